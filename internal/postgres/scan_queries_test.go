package postgres_test

import (
	"testing"

	"github.com/google/uuid"

	"memoir/internal/postgres"
	"memoir/internal/postgres/pgtest"
	"memoir/internal/records"
)

// withFiles inserts two files for each memory: one at its path, and one with the suffix .bak.
const withFiles = `INSERT INTO files (agent_id, path, memory_id, status, present, fingerprint, hash, size, mtime_ns, modified_at, content_at)
	SELECT agent_id, path || suffix, id, 'mirrored', true, fingerprint, hash, size, 0, modified_at, content_at
	FROM memories, unnest('{"", .bak}'::text[]) suffix`

// TestScanQueries_UseIndexes counts the rows that Postgres reads for an agent with thousands of
// memories and files.
func TestScanQueries_UseIndexes(t *testing.T) {
	t.Parallel()
	const memories = 3_000
	l := setupLibrary(t, memories)
	pgtest.Execute(t, l.conn, withFiles)
	pgtest.Execute(t, l.conn, "ANALYZE")
	var id uuid.UUID
	pgtest.Query(t, l.conn, "SELECT id FROM memories WHERE path = 'memory/7'", &id)
	touched := records.KnownQuery{Names: []string{"Note 7", "New"}, Paths: []string{"memory/7", "memory/new"}, Memories: []uuid.UUID{id}}

	before := l.read()
	store, err := postgres.Open(t.Context(), l.conn.Config().ConnString())
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	err = store.WithAgent(t.Context(), l.agent.ID, func(w *postgres.Writer) error {
		past, err := w.KnownState(t.Context(), touched)
		if err != nil || len(past.Heads) != 1 || len(past.Files) != 2 {
			t.Errorf("a look at a memory with two files knows of %+v, %v", past, err)
		}
		if _, err := w.Rows.FilesUnder(t.Context(), touched.Paths); err != nil {
			t.Error(err)
		}
		durable, err := w.Rows.PrimaryFilesOf(t.Context(), id)
		if err != nil || len(durable) != 2 {
			t.Errorf("the memory has the files %v, %v", durable, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	store.Close()
	if read := l.read() - before; read == 0 || read > memories/10 {
		t.Errorf("%d rows were read for a look that touches two", read)
	}
}

// read closes the store, and returns how many rows of the tables of memories and files all closed
// connections have read.
func (l *library) read() int {
	l.Helper()
	l.store.Close()
	return pgtest.RowsRead(l, l.conn, "memories", "files")
}

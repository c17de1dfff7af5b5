package postgres_test

import (
	"context"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"memoir/internal/postgres/pgtest"
)

const (
	foreignKeyViolation = "23503"
	lockNotAvailable    = "55P03"
)

// A memory and a revision whose parents do not exist.
const (
	memoryOfNobody = `
	INSERT INTO memories (id, agent_id, name, readable, state, revision_id, description, fingerprint, hash, size, path, modified_at, content_at,
		created_at, updated_at)
	SELECT gen_random_uuid(), n, 'M', true, 'active', gen_random_uuid(), '', '', '', 1, 'memory/m', now(), now(), now(), now()
	FROM unnest(ARRAY[1, 77]) n`
	revisionOfNothing = `
	INSERT INTO revisions (id, memory_id, fingerprint, hash, description, body, path, seen_at)
	SELECT gen_random_uuid(), id, 'other', '', '', '', '', now()
	FROM (SELECT id FROM memories UNION ALL SELECT gen_random_uuid()) memory`
	revisionsOf = `
	INSERT INTO revisions (id, memory_id, fingerprint, hash, description, body, path, seen_at)
	SELECT revision_id, id, '', '', '', '', '', now() FROM memories`
)

func TestForeignKeys_OfMemoriesAndRevisions(t *testing.T) {
	t.Parallel()
	url := pgtest.New(t)
	conn := pgtest.Connect(t, url)
	pgtest.Execute(t, conn, `INSERT INTO agents (slug, layout, dir, display_name, created_at, updated_at)
		SELECT slug, 'hive', '/' || slug, slug, now(), now() FROM unnest(ARRAY['ada', 'bob']) slug`)
	pgtest.Execute(t, conn, memoriesOf)
	pgtest.Execute(t, conn, revisionsOf)
	for _, statement := range []string{memoryOfNobody, revisionOfNothing} {
		if _, err := conn.Exec(t.Context(), statement); code(err) != foreignKeyViolation {
			t.Errorf("%s: %v, and it must be refused", statement, err)
		}
	}
	counted := func(want int) {
		t.Helper()
		var memories, revisions int
		pgtest.Query(t, conn, "SELECT count(*) FROM memories", &memories)
		pgtest.Query(t, conn, "SELECT count(*) FROM revisions WHERE memory_id IN (SELECT id FROM memories)", &revisions)
		if memories != want || revisions != want {
			t.Errorf("there are %d memories, %d revisions of them, want %d", memories, revisions, want)
		}
		pgtest.Query(t, conn, "SELECT count(*) FROM revisions", &revisions)
		if revisions != want {
			t.Errorf("there are %d revisions, want %d", revisions, want)
		}
	}
	counted(60)
	pgtest.Execute(t, conn, "DELETE FROM memories WHERE name LIKE 'M1%'") // M1, M10 to M19
	counted(49)
	pgtest.Execute(t, conn, "DELETE FROM agents WHERE slug = 'ada'")
	counted(24)
}

// Deleting an agent waits for a transaction that inserts rows of that agent.
func TestForeignKeys_DeleteWaitsForInsert(t *testing.T) {
	t.Parallel()
	url := pgtest.New(t)
	saving, forgetting := pgtest.Connect(t, url), pgtest.Connect(t, url)
	pgtest.Execute(t, saving, `INSERT INTO agents (slug, layout, dir, display_name, created_at, updated_at)
		SELECT slug, 'hive', '/' || slug, slug, now(), now() FROM unnest(ARRAY['ada', 'bob']) slug`)
	pgtest.Execute(t, forgetting, "SET lock_timeout = '100ms'")
	for _, save := range []string{memoriesOf, revisionsOf} {
		pgtest.Execute(t, saving, "BEGIN")
		pgtest.Execute(t, saving, save)
		if _, err := forgetting.Exec(context.Background(), "DELETE FROM agents"); code(err) != lockNotAvailable {
			t.Errorf("while this was not committed: %s, all agents were forgotten: %v", save, err)
		}
		pgtest.Execute(t, saving, "COMMIT")
	}
	pgtest.Execute(t, forgetting, "DELETE FROM agents")
}

// An insert finds its agent by the index, however many agents there are.
func TestForeignKeys_UseIndexes(t *testing.T) {
	t.Parallel()
	conn := pgtest.Connect(t, pgtest.New(t))
	pgtest.Execute(t, conn, `INSERT INTO agents (slug, layout, dir, display_name, created_at, updated_at)
		SELECT 'a' || n, 'hive', '/' || n, 'a', now(), now() FROM generate_series(1, 1000) n`)
	pgtest.Execute(t, conn, "BEGIN")
	pgtest.Execute(t, conn, memoriesOf)
	pgtest.Execute(t, conn, revisionsOf)
	var scanned, fetched int
	pgtest.Query(t, conn, "SELECT seq_tup_read FROM pg_stat_xact_user_tables WHERE relname = 'agents'", &scanned)
	pgtest.Query(t, conn, "SELECT idx_tup_fetch FROM pg_stat_xact_user_tables WHERE relname = 'agents'", &fetched)
	if scanned > 0 || fetched == 0 {
		t.Errorf("%d rows of agents were read by a sequential scan and %d by an index", scanned, fetched)
	}
}

// code returns the SQLSTATE of an error of Postgres, or "" for any other error.
func code(err error) string {
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		return refused.Code
	}
	return ""
}

package postgres_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"memoir/internal/memories"
	"memoir/internal/postgres"
	"memoir/internal/postgres/pgtest"
	"memoir/internal/records"
)

// manyMemories inserts n memories with the word "release", the oldest three of them in their names.
const manyMemories = `
	WITH came AS (INSERT INTO memories (id, agent_id, name, readable, state, type, revision_id, fingerprint, hash, description, size,
			path, modified_at, content_at, created_at, updated_at)
		SELECT ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, agents.id, CASE WHEN n <= 3 THEN 'Release ' ELSE 'Note ' END || n,
			true, 'active', 'user', gen_random_uuid(), sha256(n::text::bytea), '', 'For all', 1, 'memory/' || n, now(), now(), now(), now()
		FROM agents, generate_series(1, %d) n RETURNING *)
	INSERT INTO revisions (id, memory_id, fingerprint, hash, description, body, path, seen_at)
	SELECT revision_id, id, fingerprint, '', 'For all', 'After the release', path, now() FROM came`

// library is a test with an agent that has many memories, all of them in the search index.
type library struct {
	*testing.T
	store *postgres.Store
	agent records.Agent
	conn  *pgx.Conn
}

func setupLibrary(t *testing.T, size int) *library {
	t.Helper()
	url := pgtest.New(t)
	ctx := t.Context()
	store, err := postgres.Open(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	if _, err := store.SaveAgent(ctx, records.Agent{Slug: "ada", Layout: "hive", Dir: "/ada", Present: true}); err != nil {
		t.Fatal(err)
	}
	agent, err := store.AgentUncounted(ctx, "ada")
	if err != nil {
		t.Fatal(err)
	}
	conn := pgtest.Connect(t, url)
	pgtest.Execute(t, conn, fmt.Sprintf(manyMemories, size))
	if err := store.Index(ctx, uuid.Nil, func() {}); err != nil {
		t.Fatal(err)
	}
	return &library{t, store, agent, conn}
}

func (l *library) search(words, cursor string) (names []string, page records.MemoryPage) {
	l.Helper()
	page, err := l.store.Memories(l.Context(), l.agent, memories.Filter{Query: words}, memories.PageRequest{Limit: 200, Cursor: cursor})
	if err != nil {
		l.Fatal(err)
	}
	for _, m := range page.Memories {
		names = append(names, m.Name)
	}
	return names, page
}

func TestSearch_FrequentWord(t *testing.T) {
	t.Parallel()
	l := setupLibrary(t, 1_500)
	names, page := l.search("rele", "")
	// The three with the word in the title, then the other ranked hits, oldest first, with equal
	// ranks.
	if page.Total != 1500 || !slices.Equal(names[:4], []string{"Release 1", "Release 2", "Release 3", "Note 1204"}) {
		t.Errorf("%d hits, first %q", page.Total, names[:4])
	}
	seen := names
	for range 3 { // beyond the ranked hits
		names, page = l.search("rele", page.NextCursor)
		if page.Total != 1500 {
			t.Errorf("a further page has the total %d", page.Total)
		}
		seen = append(seen, names...)
	}
	slices.Sort(seen)
	if once := slices.Compact(slices.Clone(seen)); len(once) != 800 {
		t.Errorf("four pages of 200 have %d different memories", len(once))
	}
	if names, page := l.search("all", ""); page.Total != 1500 || names[0] != "Note 1201" {
		t.Errorf("of a word in every description there are %d hits, first %s", page.Total, names[0])
	}

	pgtest.Execute(t, l.conn, "UPDATE memories SET state = 'deleted', deleted_at = now() WHERE name IN ('Release 2', 'Note 1500')")
	names, page = l.search("rele", "")
	if page.Total != 1498 || !slices.Equal(names[:3], []string{"Release 1", "Release 3", "Note 1202"}) {
		t.Errorf("after two deletions there are %d hits, first %q", page.Total, names[:3])
	}
}

func TestIndex_CleansPendingLists(t *testing.T) {
	t.Parallel()
	l := setupLibrary(t, 1_000)
	for _, index := range []string{"memory_search_words_idx", "search_words_word_idx"} {
		var waiting int
		if err := l.conn.QueryRow(t.Context(), "SELECT gin_clean_pending_list($1::text::regclass)", index).Scan(&waiting); err != nil || waiting > 0 {
			t.Errorf("each search goes through a list of %d pages of %s that are not in order (%v)", waiting, index, err)
		}
	}
}

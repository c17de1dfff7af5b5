package postgres_test

import (
	"testing"

	"memoir/internal/postgres/pgtest"
)

// memoriesOf inserts 60 memories of two agents in turn, and one file for each. Every fifth memory
// is deleted, and its file is absent.
const memoriesOf = `
	WITH came AS (INSERT INTO memories (id, agent_id, name, readable, state, type, deleted_at, revision_id, description, fingerprint, hash, size,
			path, modified_at, content_at, created_at, updated_at)
		SELECT gen_random_uuid(), 1 + n % 2, 'M' || n, true, CASE WHEN n % 5 = 0 THEN 'deleted' ELSE 'active' END,
			(ARRAY['user', 'project', NULL])[1 + n % 3], CASE WHEN n % 5 = 0 THEN now() END, gen_random_uuid(), '', '', '', 1, 'memory/' || n, now(), now(), now(), now()
		FROM generate_series(1, 60) n RETURNING *)
	INSERT INTO files (agent_id, path, memory_id, status, present, fingerprint, hash, size, mtime_ns, modified_at, content_at)
	SELECT agent_id, path, id, 'mirrored', state <> 'deleted', '', '', 1, 1, now(), now() FROM came`

func TestTallies_FollowStatements(t *testing.T) {
	t.Parallel()
	url := pgtest.New(t)
	conn := pgtest.Connect(t, url)
	tallies := pgtest.Tallies(t, url)
	pgtest.Execute(t, conn, `INSERT INTO agents (slug, layout, dir, display_name, created_at, updated_at)
		SELECT slug, 'hive', '/' || slug, slug, now(), now() FROM unnest(ARRAY['ada', 'bob']) slug`)
	for _, statement := range []string{
		memoriesOf,
		"UPDATE memories SET state = 'missing' WHERE state = 'active' AND name LIKE 'M1%'",
		"UPDATE memories SET type = NULL WHERE name LIKE '%2'",
		"UPDATE memories SET type = 'reference', state = 'deleted', deleted_at = now() WHERE name IN ('M3', 'M4')",
		"UPDATE memories SET size = 2",
		"DELETE FROM memories WHERE name LIKE '%7'",
		"DELETE FROM agents WHERE slug = 'ada'",
	} {
		pgtest.Execute(t, conn, statement)
		if gaps := tallies(); len(gaps) > 0 {
			t.Fatalf("after %s: %q", statement, gaps)
		}
	}
	var counted int
	pgtest.Query(t, conn, "SELECT sum(n) FROM memory_tallies", &counted)
	if counted == 0 {
		t.Error("the tallies say that there is nothing, and there is")
	}
}

package postgres_test

import (
	"slices"
	"testing"

	"memoir/internal/postgres/pgtest"
)

// memoriesOf inserts memories of two agents, and files that carry them.
const memoriesOf = `
	WITH came AS (INSERT INTO memories (id, agent_id, name, readable, state, type, deleted_at, revision_id, description, fingerprint, hash, size,
			path, modified_at, content_at, created_at, updated_at)
		SELECT gen_random_uuid(), 1 + n % 2, 'M' || n, true, CASE WHEN n % 5 = 0 THEN 'deleted' ELSE 'active' END,
			(ARRAY['user', 'project', NULL])[1 + n % 3], CASE WHEN n % 5 = 0 THEN now() END, gen_random_uuid(), '', '', '', 1, 'memory/' || n, now(), now(), now(), now()
		FROM generate_series(1, 60) n RETURNING *)
	INSERT INTO files (agent_id, path, memory_id, status, present, fingerprint, hash, size, mtime_ns, modified_at, content_at)
	SELECT agent_id, path, id, 'carries', state <> 'deleted', '', '', 1, 1, now(), now() FROM came`

// rivals inserts files of two sessions beside those, half of which say something else, and of which some are older.
const rivals = `
	INSERT INTO files (agent_id, path, session, memory_id, status, present, fingerprint, hash, size, mtime_ns, modified_at, content_at)
	SELECT f.agent_id, s || '/' || f.path, s, f.memory_id, 'carries', f.present, CASE WHEN right(f.path, 1) < '5' THEN s::bytea ELSE '' END, '', 1, 1, now(),
		now() + (CASE WHEN right(f.path, 1) IN ('1', '3') THEN -1 ELSE 1 END) * interval '1 hour'
	FROM files f, unnest(ARRAY['a', 'b']) s`

func TestTheTalliesFollowEveryStatement(t *testing.T) {
	t.Parallel()
	url := pgtest.New(t)
	conn := connect(t, url)
	tallies := pgtest.Tallies(t, url)
	execute(t, conn, `INSERT INTO agents (slug, layout, dir, display_name, created_at, updated_at)
		SELECT slug, 'hive', '/' || slug, slug, now(), now() FROM unnest(ARRAY['ada', 'bob']) slug`)
	var disagreements []int // after each statement
	for _, statement := range []string{
		memoriesOf,
		"UPDATE memories SET state = 'missing' WHERE state = 'active' AND name LIKE 'M1%'",
		"UPDATE memories SET type = NULL WHERE name LIKE '%2'",
		"UPDATE memories SET type = 'reference', state = 'deleted', deleted_at = now() WHERE name IN ('M3', 'M4')",
		"UPDATE memories SET size = 2",
		"UPDATE files SET present = NOT present, signature = NULL WHERE path LIKE '%3'",
		"UPDATE files SET size = 2",
		rivals,
		"UPDATE files SET present = false, signature = NULL WHERE session = 'a' AND path LIKE '%2'",
		"UPDATE files SET content_at = now() + interval '1 day' WHERE session IS NULL AND path LIKE '%12'",
		"UPDATE files SET present = false, signature = NULL WHERE session IS NULL AND path LIKE '%12'",
		"UPDATE files SET fingerprint = 'c' WHERE session = 'b' AND path LIKE '%6'",
		"UPDATE files SET status = 'blocked', memory_id = NULL WHERE session = 'b' AND path LIKE '%14'",
		"DELETE FROM files WHERE session = 'b' AND path LIKE '%4'",
		"DELETE FROM memories WHERE name LIKE '%7'",
		"DELETE FROM files WHERE path LIKE '%8'",
		"DELETE FROM agents WHERE slug = 'ada'",
		"DELETE FROM files",
	} {
		execute(t, conn, statement)
		if gaps := tallies(); len(gaps) > 0 {
			t.Fatalf("after %s: %q", statement, gaps)
		}
		var now int
		query(t, conn, "SELECT count(*) FROM disagreements", &now)
		disagreements = append(disagreements, now)
	}
	if slices.Max(disagreements) < 10 || len(slices.Compact(slices.Sorted(slices.Values(disagreements)))) < 4 {
		t.Errorf("after each statement there were %d disagreements", disagreements)
	}
	var counted int
	query(t, conn, "SELECT sum(n) FROM memory_tallies", &counted)
	if counted == 0 {
		t.Error("the tallies say that there is nothing, and there is")
	}
}

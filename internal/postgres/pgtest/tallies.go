package pgtest

import "testing"

// miscounts are sentences on where the tallies say something else than the rows that they count.
const miscounts = `
SELECT format('%s memories of agent %s are %s of type %L, and the tally says %s', counted.n, agent_id, state, type, tally.n)
FROM (SELECT agent_id, state, coalesce(type, '') AS type, count(*) AS n FROM memories GROUP BY 1, 2, 3) counted
FULL JOIN (SELECT * FROM memory_tallies WHERE n <> 0) tally USING (agent_id, state, type)
WHERE counted.n IS DISTINCT FROM tally.n
UNION ALL
SELECT format('%s files of agent %s are there, and the tally says %s', counted.present, agent_id, tally.present)
FROM (SELECT agent_id, count(*) AS present FROM files WHERE present GROUP BY agent_id) counted
FULL JOIN (SELECT * FROM file_tallies WHERE present <> 0) tally USING (agent_id)
WHERE counted.present IS DISTINCT FROM tally.present`

// Tallies returns a function that says, a sentence each, where the tallies in the database are not what a count gives.
func Tallies(t testing.TB, url string) (gaps func() []string) {
	t.Helper()
	return sentences(t, url, miscounts)
}

package pgtest

import "testing"

// miscounts are sentences on where the tallies, and what is noted beside them, say something else than the rows that they are of.
const miscounts = `
SELECT format('%s memories of agent %s are %s of type %L, and the tally says %s', counted.n, agent_id, state, type, tally.n)
FROM (SELECT agent_id, state, coalesce(type, '') AS type, count(*) AS n FROM memories GROUP BY 1, 2, 3) counted
FULL JOIN (SELECT * FROM memory_tallies WHERE n <> 0) tally USING (agent_id, state, type)
WHERE counted.n IS DISTINCT FROM tally.n
UNION ALL
SELECT format('files of agent %s disagree about memory %s: %s, and it is noted: %s', agent_id, memory_id, found.at IS NOT NULL, noted.at IS NOT NULL)
FROM (
    SELECT agent_id, memory_id, 1 AS at
    FROM (
        SELECT s.agent_id, s.memory_id, s.content_at,
               (SELECT count(DISTINCT fingerprint) FROM files WHERE memory_id = s.memory_id AND present AND status = 'carries') AS contents,
               (SELECT max(content_at) FROM files WHERE memory_id = s.memory_id AND present AND status = 'carries' AND session IS NULL) AS own
        FROM files s WHERE s.session IS NOT NULL AND s.present AND s.status = 'carries'
    ) said
    WHERE contents > 1 AND (own IS NULL OR own < content_at)
    GROUP BY agent_id, memory_id
    UNION
    SELECT agent_id, memory_id, 1 FROM files WHERE session IS NULL AND present AND status = 'carries' AND memory_id IS NOT NULL
    GROUP BY agent_id, memory_id HAVING count(DISTINCT fingerprint) > 1
) found
FULL JOIN (SELECT agent_id, memory_id, 1 AS at FROM disagreements) noted USING (agent_id, memory_id)
WHERE found.at IS DISTINCT FROM noted.at`

// Tallies returns a function that says, a sentence each, where the tallies in the database are not what a count gives.
func Tallies(t testing.TB, url string) (gaps func() []string) {
	t.Helper()
	return sentences(t, url, miscounts)
}

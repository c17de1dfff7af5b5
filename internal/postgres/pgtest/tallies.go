package pgtest

import "testing"

// miscounts returns a sentence for each stored count or conflict that differs from the rows.
const miscounts = `
SELECT format('%s memories of agent %s are %s of type %L, and the tally says %s', counted.n, agent_id, state, type, tally.n)
FROM (SELECT agent_id, state, coalesce(type, '') AS type, count(*) AS n FROM memories GROUP BY 1, 2, 3) counted
FULL JOIN (SELECT * FROM memory_tallies WHERE n <> 0) tally USING (agent_id, state, type)
WHERE counted.n IS DISTINCT FROM tally.n
UNION ALL
SELECT format('the conflict of memory %s is %L, and its files give %L', m.id, m.conflict, found.conflict)
FROM memories m CROSS JOIN LATERAL (
    SELECT CASE
        WHEN count(DISTINCT f.fingerprint) FILTER (WHERE f.session IS NULL) > 1 THEN 'primary'
        WHEN count(DISTINCT f.fingerprint) > 1
            AND max(f.content_at) FILTER (WHERE f.session IS NOT NULL)
                > coalesce(max(f.content_at) FILTER (WHERE f.session IS NULL), '-infinity') THEN 'session'
    END AS conflict
    FROM files f WHERE f.memory_id = m.id AND f.present AND f.status = 'mirrored'
) found
WHERE m.readable AND m.state <> 'deleted' AND m.conflict IS DISTINCT FROM found.conflict`

// Tallies returns a function that returns the differences between stored counts and actual counts.
func Tallies(t testing.TB, url string) (gaps func() []string) {
	t.Helper()
	return sentences(t, url, miscounts)
}

package pgtest

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
)

// journalGaps returns a sentence for each contradiction: a memory whose journal does not lead to
// its current state, or an impossible event. It is one statement, so that it can run while Memoir
// writes.
const journalGaps = `
WITH told AS (
    SELECT *, row_number() OVER newest AS since_then,
           lag(state) OVER story AS old_state, lag(revision_id) OVER story AS old_revision, lag(id) OVER story AS old_id,
           lag(at) OVER (PARTITION BY memory_id ORDER BY id) AS at_before
    FROM activity
    WHERE state IS NOT NULL
    WINDOW story AS (PARTITION BY memory_id ORDER BY at, id), newest AS (PARTITION BY memory_id ORDER BY at DESC, id DESC)
), last AS (
    SELECT * FROM told WHERE since_then = 1
), counted AS (
    SELECT agent_id, coalesce(type, '') AS type, count(*) AS alive FROM memories WHERE state <> 'deleted' GROUP BY 1, 2
), grown AS (
    SELECT agent_id, type, sum(delta) AS alive FROM memory_growth GROUP BY 1, 2 HAVING sum(delta) <> 0
)
SELECT format('the journal leaves %s %L as %s of type %s with content %s, and it is %s of type %s with content %s', m.id, m.name,
              last.state, last.type, last.revision_id, m.state, m.type, m.revision_id)
FROM memories m LEFT JOIN last ON last.memory_id = m.id
WHERE (m.agent_id, m.name, m.state, m.type, m.revision_id)
      IS DISTINCT FROM (last.agent_id, last.name, last.state, last.type, last.revision_id)
UNION ALL
SELECT format('%L is gone, and the journal says last that it was %s', last.name, last.kind)
FROM last LEFT JOIN memories m ON m.id = last.memory_id
WHERE m.id IS NULL AND last.kind NOT IN ('purged', 'cleared')
UNION ALL
SELECT format('%L was %s, from %s to %s', name, kind, old_state, state)
FROM told
WHERE NOT CASE kind
    WHEN 'learned'  THEN old_id IS NULL AND state IN ('active', 'needs_attention')
    WHEN 'changed'  THEN old_state = state AND revision_id <> old_revision OR old_state <> state AND state IN ('active', 'needs_attention')
                                                                             AND old_state IN ('active', 'needs_attention')
    WHEN 'verified' THEN old_state = state AND revision_id = old_revision
    WHEN 'kept'     THEN old_state = state AND state <> 'deleted' AND revision_id = old_revision
    WHEN 'deleted'  THEN old_state <> 'deleted' AND state = 'deleted' AND revision_id = old_revision
    WHEN 'restored' THEN old_state = 'deleted' AND state IN ('active', 'needs_attention')
    WHEN 'missing'  THEN old_state IN ('active', 'needs_attention') AND state = 'missing' AND revision_id = old_revision
    WHEN 'returned' THEN old_state = 'missing' AND state IN ('active', 'needs_attention')
    WHEN 'purged'   THEN old_state = 'deleted' AND state = 'deleted' AND revision_id IS NULL
    WHEN 'cleared'  THEN old_id IS NOT NULL AND state = 'deleted' AND revision_id IS NULL
END
UNION ALL
SELECT format('%L was %s at %s, after what happened at %s', name, kind, at, at_before) FROM told WHERE at < at_before
UNION ALL
SELECT format('%L is listed with %L, and says %L', m.name, m.description, r.description)
FROM memories m LEFT JOIN revisions r ON r.id = m.revision_id
WHERE m.description IS DISTINCT FROM r.description
UNION ALL
SELECT format('%s memories of type %L live in agent %s, and the journal has summed up %s', counted.alive, type, agent_id, grown.alive)
FROM counted FULL JOIN grown USING (agent_id, type)
WHERE counted.alive IS DISTINCT FROM grown.alive`

// Journal returns a function that checks the journal against the memories in the database at url.
// That function returns a sentence for each contradiction or error, and an empty list if they
// agree. Journal opens a connection, which is closed at the end of the test.
func Journal(t testing.TB, url string) (gaps func() []string) {
	t.Helper()
	conn := Connect(t, url)
	return func() []string { return sentencesOf(conn, journalGaps) }
}

// JournalGaps returns a sentence for each contradiction between the journal and the memories in the
// database at url. It returns an empty list if they agree, and an error as a sentence. It opens a
// connection for the call; ctx limits only the connecting.
func JournalGaps(ctx context.Context, url string) []string {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return []string{err.Error()}
	}
	defer conn.Close(ctx) //nolint:errcheck // only read
	return sentencesOf(conn, journalGaps)
}

// sentencesOf returns the only column of all rows of the query. If the query fails, it returns the
// error's text as the only element.
func sentencesOf(conn *pgx.Conn, query string) []string {
	rows, _ := conn.Query(context.Background(), query) // CollectRows returns the error of Query
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return []string{err.Error()}
	}
	return found
}

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

// Tallies returns a function that checks the stored counts of memories and their conflicts against
// the rows in the database at url. That function returns a sentence for each difference or error,
// and an empty list if they agree. Tallies opens a connection, which is closed at the end of the
// test.
func Tallies(t testing.TB, url string) (gaps func() []string) {
	t.Helper()
	conn := Connect(t, url)
	return func() []string { return sentencesOf(conn, miscounts) }
}

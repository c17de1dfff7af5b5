-- name: WordsWithPrefix :many
-- Returns at most 60 words for each prefix, each word once.
SELECT DISTINCT w.word
FROM unnest(@beginnings::text[]) AS b (beginning)
CROSS JOIN LATERAL (
    SELECT s.word FROM search_words s
    WHERE s.word >= b.beginning AND s.word < b.beginning || U&'\+10FFFF'
    ORDER BY s.word LIMIT 60
) w;

-- name: RecallHits :many
-- Returns for each query the ids of a limited number of matching memories and facts. Memories may
-- be in the trash. A memory also matches by its phrases. Queries without a match have no row.
SELECT q.place::integer AS place, h.ids::uuid[] AS ids
FROM unnest(@matches::text[]) WITH ORDINALITY AS q (match, place)
CROSS JOIN LATERAL (
    SELECT array_agg(DISTINCT s.memory_id) AS ids
    FROM (
        (SELECT m.memory_id FROM memory_search m WHERE m.words @@ q.match::tsquery LIMIT @most::integer)
        UNION ALL
        (SELECT p.memory_id FROM asked_as p WHERE p.words @@ q.match::tsquery LIMIT @most::integer)
        UNION ALL
        (SELECT f.id FROM index_facts f JOIN agents a ON a.id = f.agent_id
         WHERE f.words @@ q.match::tsquery AND a.present LIMIT @most::integer)
    ) s
) h
WHERE h.ids IS NOT NULL;

-- name: CountToRecall :one
-- Counts the undeleted memories of the agents, and their facts, from which a recall can choose.
-- Facts of agents without a directory are left out.
SELECT ((SELECT coalesce(sum(t.n), 0) FROM memory_tallies t WHERE t.agent_id = ANY(@agent_ids::bigint[]) AND t.state <> 'deleted')
      + (SELECT count(*) FROM index_facts f JOIN agents a ON a.id = f.agent_id
         WHERE f.agent_id = ANY(@agent_ids::bigint[]) AND a.present))::bigint;

-- name: RecallTexts :many
-- Returns the readable undeleted memories among ids that belong to the agents, except quarantined
-- ones, with the first
-- characters of their bodies.
SELECT m.id, m.agent_id, m.name, m.type, m.path, m.modified_at, m.description, left(r.body, @most::integer) AS body,
    coalesce(p.phrases, '{}')::text[] AS asked_as
FROM memories m JOIN revisions r ON r.id = m.revision_id LEFT JOIN asked_as p ON p.memory_id = m.id
WHERE m.id = ANY(@ids::uuid[]) AND m.agent_id = ANY(@agent_ids::bigint[]) AND m.readable AND m.state <> 'deleted' AND NOT m.quarantined;

-- name: RecallManifest :many
-- Returns the agents' newest readable undeleted memories, newest first, except quarantined ones and
-- those in besides.
-- Without a description, the start of the body stands for it.
SELECT m.id, m.agent_id, m.name, m.type, m.path, m.modified_at, m.description,
    CASE WHEN m.description = '' THEN (SELECT left(r.body, 500) FROM revisions r WHERE r.id = m.revision_id) ELSE '' END::text AS body,
    '{}'::text[] AS asked_as
FROM unnest(@agent_ids::bigint[]) AS a (id)
CROSS JOIN LATERAL (
    SELECT n.id, n.agent_id, n.name, n.type, n.path, n.modified_at, n.description, n.revision_id
    FROM memories n
    WHERE n.agent_id = a.id AND n.readable AND n.state <> 'deleted' AND NOT n.quarantined AND NOT n.id = ANY(@besides::uuid[])
    ORDER BY n.modified_at DESC, n.id DESC
    LIMIT @most::integer
) m
ORDER BY m.modified_at DESC, m.id DESC
LIMIT @most::integer;

-- name: RecallFiles :many
-- Returns the readable undeleted memories among ids that belong to the agents, except quarantined
-- ones, with the first bytes
-- of their files.
SELECT m.id, m.agent_id, m.name, m.type, m.path, m.modified_at, m.description, m.size,
       substring(coalesce(r.raw, convert_to(r.body, 'UTF8')) FROM 1 FOR @most::integer)::bytea AS beginning
FROM memories m JOIN revisions r ON r.id = m.revision_id
WHERE m.id = ANY(@ids::uuid[]) AND m.agent_id = ANY(@agent_ids::bigint[]) AND m.readable AND m.state <> 'deleted' AND NOT m.quarantined;

-- name: DeliveredToSession :many
-- Returns the memories delivered to a session since its context was last compacted.
SELECT r.memory_id, r.bytes
FROM recall_items r
WHERE r.agent_id = @agent_id AND r.session = @session::text
  AND r.at >= coalesce((SELECT s.fresh_since FROM recall_sessions s WHERE s.agent_id = @agent_id AND s.session = @session::text), '-infinity');

-- name: LockRecallSession :exec
INSERT INTO recall_sessions (agent_id, session, at) VALUES (@agent_id, @session, @at)
ON CONFLICT (agent_id, session) DO UPDATE SET at = excluded.at;

-- name: RefreshRecallSession :exec
INSERT INTO recall_sessions (agent_id, session, at, fresh_since) VALUES (@agent_id, @session, @at, @at)
ON CONFLICT (agent_id, session) DO UPDATE SET at = excluded.at, fresh_since = excluded.fresh_since;

-- name: SaveRecall :exec
INSERT INTO recalls (id, agent_id, at, session, asked_by, query, state, selected_by, skipped, note, candidates, took_us, chosen, delivered_count)
VALUES (@id, @agent_id, @at, @session, @asked_by, @query, @state, @selected_by, @skipped, @note, @candidates, @took_us, @chosen, @delivered_count)
ON CONFLICT (id) DO UPDATE SET state = excluded.state, selected_by = excluded.selected_by, skipped = excluded.skipped,
    note = excluded.note, candidates = excluded.candidates, took_us = excluded.took_us, chosen = excluded.chosen, delivered_count = excluded.delivered_count;

-- name: SaveRecallItems :exec
INSERT INTO recall_items (recall_id, position, agent_id, session, at, memory_id, name, bytes, why)
SELECT @recall_id, row_number() OVER (), @agent_id, sqlc.narg(session), @at, i.memory_id, i.name, i.bytes, i.why::jsonb
FROM (SELECT unnest(@memory_ids::uuid[]) AS memory_id, unnest(@names::text[]) AS name, unnest(@bytes::integer[]) AS bytes,
             unnest(@whys::text[]) AS why) i;

-- name: RecallByID :one
SELECT * FROM recalls WHERE id = @id AND agent_id = @agent_id;

-- name: DeliverRecall :execrows
-- Marks a settled recall as delivered. Changes no row if it is not settled. The caller whose update
-- changes the row delivers the recall.
UPDATE recalls SET state = 'handed_out' WHERE id = @id AND state = 'settled';

-- name: LastRecallQuery :many
-- Returns the query of the session's last recall, if there is one.
SELECT query FROM recalls WHERE agent_id = @agent_id AND session = @session::text ORDER BY at DESC, id DESC LIMIT 1;

-- name: SettledRecalls :many
SELECT id FROM recalls
WHERE agent_id = @agent_id AND session = @session::text AND state = 'settled' AND at >= @since
ORDER BY at, id;

-- name: DeleteOldRecalls :execrows
DELETE FROM recalls WHERE at < @before;

-- name: DeleteOldRecallSessions :execrows
DELETE FROM recall_sessions WHERE at < @before;

-- name: ListRecalls :many
-- Returns a page of the agent's recalls, newest first, before a place; from the newest if that is
-- NULL.
SELECT *
FROM recalls
WHERE agent_id = @agent_id
  AND (at, id) < (coalesce(sqlc.narg(before)::timestamptz, 'infinity'), coalesce(sqlc.narg(before_id)::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
ORDER BY at DESC, id DESC
LIMIT @most::integer;

-- name: ListRecallsOfSession :many
-- Returns a page of the recalls of a session, newest first, before a place; from the newest if that
-- is NULL.
SELECT *
FROM recalls
WHERE agent_id = @agent_id AND session = @session::text
  AND (at, id) < (coalesce(sqlc.narg(before)::timestamptz, 'infinity'), coalesce(sqlc.narg(before_id)::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
ORDER BY at DESC, id DESC
LIMIT @most::integer;

-- name: ListRecallsOfMemory :many
-- Returns the newest recalls of an agent that delivered a memory, or that chose it and did not
-- deliver it. Only the agent's newest recalls are searched for the second.
WITH given AS (
    SELECT i.recall_id AS id FROM recall_items i
    WHERE i.agent_id = @agent_id AND i.memory_id = @memory_id
    ORDER BY i.at DESC LIMIT @most::integer
), missed AS (
    SELECT n.id
    FROM (SELECT l.id, l.chosen FROM recalls l WHERE l.agent_id = @agent_id ORDER BY l.at DESC, l.id DESC LIMIT @newest::integer) n
    WHERE n.chosen @> jsonb_build_array(jsonb_build_object('id', @memory_id::uuid))
)
SELECT r.id, r.at, r.session, r.asked_by, r.query, (r.id IN (SELECT g.id FROM given g))::boolean AS given
FROM recalls r
WHERE r.id IN (SELECT g.id FROM given g UNION SELECT m.id FROM missed m)
ORDER BY r.at DESC, r.id DESC LIMIT @most::integer;

-- name: RecallItems :many
-- Returns the delivered memories of the recalls in order. there reports whether a memory can still
-- be read, also from the trash.
SELECT r.recall_id, r.memory_id, r.name, r.bytes, r.why, (m.id IS NOT NULL)::boolean AS there
FROM recall_items r LEFT JOIN memories m ON m.id = r.memory_id
WHERE r.recall_id = ANY(@ids::uuid[])
ORDER BY r.recall_id, r.position;

-- name: CountRecallsByDay :many
-- Counts recalls by day, caller and selector: all, those with a result, and those without one
-- despite many candidates. Days without recalls have no row. Day by day, the index is read without
-- a sort.
SELECT d.day::timestamptz AS day, c.asked_by, c.selected_by, c.recalls, c.giving, c.none_of_many
FROM unnest(@days::timestamptz[]) AS d (day)
CROSS JOIN LATERAL (
    SELECT r.asked_by, coalesce(r.selected_by, '')::text AS selected_by, count(*) AS recalls, count(*) FILTER (WHERE r.delivered_count > 0) AS giving,
           count(*) FILTER (WHERE r.delivered_count = 0 AND r.candidates >= @many::integer) AS none_of_many
    FROM recalls r
    WHERE r.agent_id = @agent_id AND r.at >= d.day AND r.at < d.day + interval '24 hours'
    GROUP BY r.asked_by, r.selected_by
) c
ORDER BY d.day, c.asked_by, c.selected_by;

-- name: RecallMedians :many
-- Returns the median time of selection in microseconds, by selector, over the last recalls since a
-- time.
SELECT l.selected_by, percentile_disc(0.5) WITHIN GROUP (ORDER BY l.took_us)::bigint AS median
FROM (
    SELECT r.selected_by, r.took_us FROM recalls r
    WHERE r.agent_id = @agent_id AND r.at >= @since
    ORDER BY r.at DESC, r.id DESC LIMIT @most::integer
) l
WHERE l.selected_by IS NOT NULL
GROUP BY l.selected_by;

-- name: RecallExtremes :many
-- Returns readable undeleted memories: those that were never delivered since a time, oldest first,
-- then those delivered most often. Each row has the total of its kind.
WITH given AS MATERIALIZED (
    SELECT r.memory_id, count(*) AS recalls FROM recall_items r WHERE r.agent_id = @agent_id AND r.at >= @since GROUP BY r.memory_id
), counted AS MATERIALIZED (
    SELECT m.id, m.name, m.type, m.modified_at, m.created_at, coalesce(g.recalls, 0)::bigint AS recalls
    FROM memories m LEFT JOIN given g ON g.memory_id = m.id
    WHERE m.agent_id = @agent_id AND m.readable AND m.state <> 'deleted'
)
(SELECT c.id, c.name, c.type, c.modified_at, c.created_at, c.recalls, count(*) OVER () AS total
 FROM counted c WHERE c.recalls = 0 ORDER BY c.created_at, c.id LIMIT @most::integer)
UNION ALL
(SELECT c.id, c.name, c.type, c.modified_at, c.created_at, c.recalls, count(*) OVER () AS total
 FROM counted c WHERE c.recalls > 0 ORDER BY c.recalls DESC, c.id LIMIT @most::integer);

-- name: CountRecallsBetween :many
-- Counts for each span of time the recalls that considered memories.
SELECT s.place::integer AS place, c.recalls
FROM unnest(@beginnings::timestamptz[]) WITH ORDINALITY AS s (beginning, place)
CROSS JOIN LATERAL (
    SELECT count(*) AS recalls FROM recalls r
    WHERE r.agent_id = @agent_id AND r.at >= s.beginning AND r.at < (@ends::timestamptz[])[s.place] AND r.selected_by IS NOT NULL
) c;

-- name: RecallsOfMemory :one
-- Returns how often a memory was delivered, and when last (1970 if never).
SELECT count(*) AS recalls, coalesce(max(at), 'epoch')::timestamptz AS last FROM recall_items WHERE agent_id = @agent_id AND memory_id = @memory_id;

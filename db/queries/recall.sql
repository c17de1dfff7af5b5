-- name: WordsBeginning :many
-- Words of memories that begin as one of those does, a few of each.
SELECT DISTINCT w.word
FROM unnest(@beginnings::text[]) AS b (beginning)
CROSS JOIN LATERAL (
    SELECT s.word FROM search_words s
    WHERE s.word >= b.beginning AND s.word < b.beginning || U&'\+10FFFF'
    ORDER BY s.word LIMIT 60
) w;

-- name: RecallHits :many
-- For each query the memories that match it, so many at most, and the facts of indexes. The memories may be in the trash.
SELECT q.place::integer AS place, h.ids::uuid[] AS ids
FROM unnest(@matches::text[]) WITH ORDINALITY AS q (match, place)
CROSS JOIN LATERAL (
    SELECT array_agg(s.memory_id) AS ids
    FROM (
        (SELECT m.memory_id FROM memory_search m WHERE m.words @@ q.match::tsquery LIMIT @most::integer)
        UNION ALL
        (SELECT f.id FROM index_facts f JOIN agents a ON a.id = f.agent_id
         WHERE f.words @@ q.match::tsquery AND a.present LIMIT @most::integer)
    ) s
) h
WHERE h.ids IS NOT NULL;

-- name: CountToRecall :one
-- How many memories of these agents a recall may choose from, and facts of their indexes.
SELECT ((SELECT coalesce(sum(t.n), 0) FROM memory_tallies t WHERE t.agent_id = ANY(@agent_ids::bigint[]) AND t.state <> 'deleted')
      + (SELECT count(*) FROM index_facts f JOIN agents a ON a.id = f.agent_id
         WHERE f.agent_id = ANY(@agent_ids::bigint[]) AND a.present))::bigint;

-- name: RecallTexts :many
-- What those memories say that can be chosen, as far as one is read.
SELECT m.id, m.agent_id, m.name, m.type, m.path, m.modified_at, m.description, left(r.body, @most::integer) AS body
FROM memories m JOIN revisions r ON r.id = m.revision_id
WHERE m.id = ANY(@ids::uuid[]) AND m.agent_id = ANY(@agent_ids::bigint[]) AND m.readable AND m.state <> 'deleted';

-- name: RecallManifest :many
-- The newest memories of these agents, by which a model chooses. Each agent's are read in the order of an index.
-- One without a description has the beginning of its body.
SELECT m.id, m.agent_id, m.name, m.type, m.path, m.modified_at, m.description,
    CASE WHEN m.description = '' THEN (SELECT left(r.body, 500) FROM revisions r WHERE r.id = m.revision_id) ELSE '' END::text AS body
FROM unnest(@agent_ids::bigint[]) AS a (id)
CROSS JOIN LATERAL (
    SELECT n.id, n.agent_id, n.name, n.type, n.path, n.modified_at, n.description, n.revision_id
    FROM memories n
    WHERE n.agent_id = a.id AND n.readable AND n.state <> 'deleted' AND NOT n.id = ANY(@besides::uuid[])
    ORDER BY n.modified_at DESC, n.id DESC
    LIMIT @most::integer
) m
ORDER BY m.modified_at DESC, m.id DESC
LIMIT @most::integer;

-- name: RecallFiles :many
-- The beginnings of the files of those memories.
SELECT m.id, m.agent_id, m.name, m.type, m.path, m.modified_at, m.description, m.size,
       substring(coalesce(r.raw, convert_to(r.body, 'UTF8')) FROM 1 FOR @most::integer)::bytea AS beginning
FROM memories m JOIN revisions r ON r.id = m.revision_id
WHERE m.id = ANY(@ids::uuid[]) AND m.agent_id = ANY(@agent_ids::bigint[]) AND m.readable AND m.state <> 'deleted';

-- name: GivenToSession :many
-- What a session was given and still has.
SELECT r.memory_id, r.bytes
FROM recalled r
WHERE r.agent_id = @agent_id AND r.session = @session::text
  AND r.at >= coalesce((SELECT s.fresh_since FROM recall_sessions s WHERE s.agent_id = @agent_id AND s.session = @session::text), '-infinity');

-- name: LockRecallSession :exec
INSERT INTO recall_sessions (agent_id, session, at) VALUES (@agent_id, @session, @at)
ON CONFLICT (agent_id, session) DO UPDATE SET at = excluded.at;

-- name: RefreshRecallSession :exec
INSERT INTO recall_sessions (agent_id, session, at, fresh_since) VALUES (@agent_id, @session, @at, @at)
ON CONFLICT (agent_id, session) DO UPDATE SET at = excluded.at, fresh_since = excluded.fresh_since;

-- name: SaveRecall :exec
INSERT INTO recalls (id, agent_id, at, session, asked_by, query, state, selected_by, skipped, note, candidates, took_us, chosen, given)
VALUES (@id, @agent_id, @at, @session, @asked_by, @query, @state, @selected_by, @skipped, @note, @candidates, @took_us, @chosen, @given)
ON CONFLICT (id) DO UPDATE SET state = excluded.state, selected_by = excluded.selected_by, skipped = excluded.skipped,
    note = excluded.note, candidates = excluded.candidates, took_us = excluded.took_us, chosen = excluded.chosen, given = excluded.given;

-- name: SaveRecalled :exec
INSERT INTO recalled (recall_id, place, agent_id, session, at, memory_id, name, bytes, why)
SELECT @recall_id, row_number() OVER (), @agent_id, sqlc.narg(session), @at, i.memory_id, i.name, i.bytes, i.why::jsonb
FROM (SELECT unnest(@memory_ids::uuid[]) AS memory_id, unnest(@names::text[]) AS name, unnest(@bytes::integer[]) AS bytes,
             unnest(@whys::text[]) AS why) i;

-- name: RecallByID :one
SELECT * FROM recalls WHERE id = @id AND agent_id = @agent_id;

-- name: HandOutRecall :execrows
-- Whoever makes this change has it to hand out.
UPDATE recalls SET state = 'handed_out' WHERE id = @id AND state = 'settled';

-- name: RecallsToHandOut :many
SELECT id FROM recalls
WHERE agent_id = @agent_id AND session = @session::text AND state = 'settled' AND at >= @since
ORDER BY at, id;

-- name: ForgetRecalls :execrows
DELETE FROM recalls WHERE at < @before;

-- name: ForgetRecallSessions :execrows
DELETE FROM recall_sessions WHERE at < @before;

-- name: ForgetRecalled :exec
DELETE FROM recalled WHERE recall_id = ANY(@ids::uuid[]);

-- name: SettleRecalls :exec
UPDATE recalls SET state = 'settled', given = 0 WHERE id = ANY(@ids::uuid[]) AND state = 'handed_out';

-- name: ListRecalls :many
-- The newest before that place.
SELECT *
FROM recalls
WHERE agent_id = @agent_id
  AND (at, id) < (coalesce(sqlc.narg(before)::timestamptz, 'infinity'), coalesce(sqlc.narg(before_id)::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
ORDER BY at DESC, id DESC
LIMIT @most::integer;

-- name: ListRecallsOfSession :many
-- The newest of a session before that place.
SELECT *
FROM recalls
WHERE agent_id = @agent_id AND session = @session::text
  AND (at, id) < (coalesce(sqlc.narg(before)::timestamptz, 'infinity'), coalesce(sqlc.narg(before_id)::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
ORDER BY at DESC, id DESC
LIMIT @most::integer;

-- name: RecalledBy :many
-- What was handed out of those recalls, and whether it can still be read, if only from the trash.
SELECT r.recall_id, r.memory_id, r.name, r.bytes, r.why, (m.id IS NOT NULL)::boolean AS there
FROM recalled r LEFT JOIN memories m ON m.id = r.memory_id
WHERE r.recall_id = ANY(@ids::uuid[])
ORDER BY r.recall_id, r.place;

-- name: CountRecallsByDay :many
-- How often something was given on each of those days, which are told by their beginnings, by who asked and which way was taken; and
-- how often nothing was although there were many candidates. Day by day, that is read from the index and never sorted.
SELECT d.day::timestamptz AS day, c.asked_by, c.selected_by, c.recalls, c.giving, c.none_of_many
FROM unnest(@days::timestamptz[]) AS d (day)
CROSS JOIN LATERAL (
    SELECT r.asked_by, coalesce(r.selected_by, '')::text AS selected_by, count(*) AS recalls, count(*) FILTER (WHERE r.given > 0) AS giving,
           count(*) FILTER (WHERE r.given = 0 AND r.candidates >= @many::integer) AS none_of_many
    FROM recalls r
    WHERE r.agent_id = @agent_id AND r.at >= d.day AND r.at < d.day + interval '24 hours'
    GROUP BY r.asked_by, r.selected_by
) c
ORDER BY d.day, c.asked_by, c.selected_by;

-- name: RecallMedians :many
-- The median of the time that choosing took, in microseconds, of each way, of the last so many recalls.
SELECT l.selected_by, percentile_disc(0.5) WITHIN GROUP (ORDER BY l.took_us)::bigint AS median
FROM (
    SELECT r.selected_by, r.took_us FROM recalls r
    WHERE r.agent_id = @agent_id AND r.at >= @since
    ORDER BY r.at DESC, r.id DESC LIMIT @most::integer
) l
WHERE l.selected_by IS NOT NULL
GROUP BY l.selected_by;

-- name: RecallExtremes :many
-- The memories that no recall has given, those first that were there the longest, and those that were given most often; and how many
-- there are of the one kind and of the other. What was given is counted once for both.
WITH given AS MATERIALIZED (
    SELECT r.memory_id, count(*) AS recalls FROM recalled r WHERE r.agent_id = @agent_id AND r.at >= @since GROUP BY r.memory_id
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
-- How many recalls looked at memories in each of those spans of time.
SELECT s.place::integer AS place, c.recalls
FROM unnest(@beginnings::timestamptz[]) WITH ORDINALITY AS s (beginning, place)
CROSS JOIN LATERAL (
    SELECT count(*) AS recalls FROM recalls r
    WHERE r.agent_id = @agent_id AND r.at >= s.beginning AND r.at < (@ends::timestamptz[])[s.place] AND r.selected_by IS NOT NULL
) c;

-- name: RecallsOfMemory :one
-- How often a memory was given, and when last.
SELECT count(*) AS recalls, coalesce(max(at), 'epoch')::timestamptz AS last FROM recalled WHERE agent_id = @agent_id AND memory_id = @memory_id;

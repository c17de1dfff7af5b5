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
-- For each query the memories that match it, so many at most. They may be in the trash.
SELECT q.place::integer AS place, h.ids::uuid[] AS ids
FROM unnest(@matches::text[]) WITH ORDINALITY AS q (match, place)
CROSS JOIN LATERAL (
    SELECT array_agg(s.memory_id) AS ids
    FROM (SELECT memory_id FROM memory_search WHERE words @@ q.match::tsquery LIMIT @most::integer) s
) h
WHERE h.ids IS NOT NULL;

-- name: CountToRecall :one
-- How many memories of an agent a recall may choose from.
SELECT coalesce(sum(n), 0)::bigint FROM memory_tallies WHERE agent_id = @agent_id AND state <> 'deleted';

-- name: RecallTexts :many
-- What those memories say that can be chosen, as far as one is read.
SELECT m.id, m.name, m.type, m.path, m.modified_at, m.description, left(r.body, @most::integer) AS body
FROM memories m JOIN revisions r ON r.id = m.revision_id
WHERE m.id = ANY(@ids::uuid[]) AND m.agent_id = @agent_id AND m.readable AND m.state <> 'deleted';

-- name: RecallManifest :many
-- The newest memories of an agent, by which a model chooses.
SELECT m.id, m.name, m.type, m.path, m.modified_at, m.description
FROM memories m
WHERE m.agent_id = @agent_id AND m.readable AND m.state <> 'deleted' AND NOT m.id = ANY(@besides::uuid[])
ORDER BY m.modified_at DESC, m.id DESC
LIMIT @most::integer;

-- name: RecallFiles :many
-- The beginnings of the files of those memories.
SELECT m.id, m.name, m.type, m.path, m.modified_at, m.description, m.size,
       substring(coalesce(r.raw, convert_to(r.body, 'UTF8')) FROM 1 FOR @most::integer)::bytea AS beginning
FROM memories m JOIN revisions r ON r.id = m.revision_id
WHERE m.id = ANY(@ids::uuid[]) AND m.agent_id = @agent_id AND m.readable AND m.state <> 'deleted';

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
INSERT INTO recalls (id, agent_id, at, session, asked_by, query, state, selected_by, skipped, note, candidates, took_us, chosen)
VALUES (@id, @agent_id, @at, @session, @asked_by, @query, @state, @selected_by, @skipped, @note, @candidates, @took_us, @chosen)
ON CONFLICT (id) DO UPDATE SET state = excluded.state, selected_by = excluded.selected_by, skipped = excluded.skipped,
    note = excluded.note, candidates = excluded.candidates, took_us = excluded.took_us, chosen = excluded.chosen;

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
UPDATE recalls SET state = 'settled' WHERE id = ANY(@ids::uuid[]) AND state = 'handed_out';

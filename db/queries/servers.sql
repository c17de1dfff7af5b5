-- 1818583411 is 0x6c656173, "leas": the first half of the keys of all leases. The second is the agent. They are locks of a
-- session, and go with it.

-- name: TakeLeases :many
SELECT id::bigint AS id
FROM unnest(@agent_ids::bigint[]) AS id
WHERE pg_try_advisory_lock(1818583411, id::integer);

-- name: ReleaseLeases :exec
SELECT pg_advisory_unlock(1818583411, id::integer) FROM unnest(@agent_ids::bigint[]) AS id;

-- name: Tell :exec
SELECT pg_notify('memoir', payload) FROM unnest(@payloads::text[]) AS payload;

-- name: Ask :exec
WITH asked AS (
    INSERT INTO requests (id, agent_id, call, arguments, actor, wanted_until)
    VALUES (@id, @agent_id, @call, @arguments, @actor, now() + interval '3 seconds')
)
SELECT pg_notify('memoir', @payload::text);

-- name: StillWanted :one
-- Moves on the time up to which the request may be begun, and says how it stands.
UPDATE requests SET wanted_until = now() + interval '3 seconds' WHERE id = @id RETURNING taken, answer;

-- name: TakeRequest :one
UPDATE requests SET taken = true
WHERE id = @id AND NOT taken AND wanted_until > now()
RETURNING agent_id, call, arguments, actor;

-- name: Answer :exec
WITH answered AS (
    UPDATE requests SET answer = @answer WHERE id = @id
)
SELECT pg_notify('memoir', @payload::text);

-- name: Withdraw :one
-- Ends a request, and with it those whose askers have ended without doing so.
WITH forsaken AS (
    DELETE FROM requests AS old WHERE old.wanted_until < now() - interval '1 minute' AND old.id <> @id
)
DELETE FROM requests WHERE requests.id = @id RETURNING taken, answer;

-- name: Figures :many
-- Returns those of the agents whose directory is there and their own: what was said of another before it went is not on disk any more.
SELECT agents.id AS agent_id, coalesce(figures.files, 0)::integer AS files, coalesce(figures.pending, 0)::integer AS pending
FROM agents
LEFT JOIN figures ON figures.agent_id = agents.id
WHERE agents.present AND agents.joined_to IS NULL;

-- name: SetFigures :exec
INSERT INTO figures (agent_id, files, pending)
SELECT f.agent_id, f.files, f.pending
FROM (SELECT unnest(@agent_ids::bigint[]) AS agent_id, unnest(@files::integer[]) AS files, unnest(@pending::integer[]) AS pending) AS f
JOIN agents ON agents.id = f.agent_id
ON CONFLICT (agent_id) DO UPDATE SET files = excluded.files, pending = excluded.pending;

-- Leases are advisory locks of a session. 1818583411 is 0x6c656173, "leas", the first half of their
-- keys; the second half is the agent.

-- name: TakeLeases :many
SELECT id::bigint AS id
FROM unnest(@agent_ids::bigint[]) AS id
WHERE pg_try_advisory_lock(1818583411, id::integer);

-- name: ReleaseLeases :exec
SELECT pg_advisory_unlock(1818583411, id::integer) FROM unnest(@agent_ids::bigint[]) AS id;

-- name: Notify :exec
SELECT pg_notify('memoir', payload) FROM unnest(@payloads::text[]) AS payload;

-- name: AddRequest :exec
WITH added AS (
    INSERT INTO server_requests (id, agent_id, call, arguments, actor, action, browser, person, expires_at)
    VALUES (@id, @agent_id, @call, @arguments, @actor, @action, @browser, @person, now() + interval '3 seconds')
)
SELECT pg_notify('memoir', @payload::text);

-- name: ExtendRequest :one
-- Sets the expiry of a request to 3 seconds from now, and returns its state. Returns no row if it
-- does not exist.
UPDATE server_requests SET expires_at = now() + interval '3 seconds' WHERE id = @id RETURNING claimed, response;

-- name: ClaimRequest :one
UPDATE server_requests SET claimed = true
WHERE id = @id AND NOT claimed AND expires_at > now()
RETURNING agent_id, call, arguments, actor, action, browser, person;

-- name: SaveResponse :exec
WITH responded AS (
    UPDATE server_requests SET response = @response WHERE id = @id
)
SELECT pg_notify('memoir', @payload::text);

-- name: DeleteRequest :one
-- Deletes a request and returns its state. Also deletes requests of other callers that expired a
-- minute ago.
WITH forsaken AS (
    DELETE FROM server_requests AS old WHERE old.expires_at < now() - interval '1 minute' AND old.id <> @id
)
DELETE FROM server_requests WHERE server_requests.id = @id RETURNING claimed, response;

-- name: AgentStats :many
-- Returns statistics of agents whose directories are present and their own; zero if there are none.
SELECT agents.id AS agent_id, coalesce(agent_stats.files, 0)::integer AS files, coalesce(agent_stats.pending, 0)::integer AS pending
FROM agents
LEFT JOIN agent_stats ON agent_stats.agent_id = agents.id
WHERE agents.present AND agents.joined_to IS NULL;

-- name: SaveAgentStats :exec
INSERT INTO agent_stats (agent_id, files, pending)
SELECT f.agent_id, f.files, f.pending
FROM (SELECT unnest(@agent_ids::bigint[]) AS agent_id, unnest(@files::integer[]) AS files, unnest(@pending::integer[]) AS pending) AS f
JOIN agents ON agents.id = f.agent_id
ON CONFLICT (agent_id) DO UPDATE SET files = excluded.files, pending = excluded.pending;

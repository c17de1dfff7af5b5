-- name: BeginJoin :exec
INSERT INTO joins (agent_id, into_id, doing, beside, actor, begun_at)
VALUES (@agent_id, @into_id, @doing, @beside, @actor, @at);

-- name: BequeathTombstones :exec
-- What was deleted of an agent does not come back by joining it to another, unless that one has the very content alive.
INSERT INTO tombstones (agent_id, name, fingerprint, deleted_at, team)
SELECT @into_id, t.name, t.fingerprint, t.deleted_at, t.team
FROM tombstones t
WHERE t.agent_id = @agent_id AND NOT EXISTS (
    SELECT FROM memories m
    WHERE m.agent_id = @into_id AND m.name = t.name AND m.team = t.team AND m.readable AND m.state <> 'deleted' AND m.fingerprint = t.fingerprint)
ON CONFLICT DO NOTHING;

-- name: BequeathedTombstones :many
-- Those of BequeathTombstones under some names.
SELECT t.name, t.team, t.fingerprint
FROM tombstones t
WHERE t.agent_id = @agent_id AND t.name = ANY(@names::text[]) AND NOT EXISTS (
    SELECT FROM memories m
    WHERE m.agent_id = @into_id AND m.name = t.name AND m.team = t.team AND m.readable AND m.state <> 'deleted' AND m.fingerprint = t.fingerprint);

-- name: JoinOf :one
SELECT j.agent_id, j.into_id, j.doing, j.beside, j.actor, a.slug AS into_slug
FROM joins j JOIN agents a ON a.id = j.into_id
WHERE j.agent_id = @agent_id;

-- name: BegunJoins :many
SELECT j.agent_id, j.into_id, j.doing, j.beside, j.actor, a.slug AS into_slug
FROM joins j JOIN agents a ON a.id = j.into_id
ORDER BY j.agent_id;

-- name: SetJoinedTo :exec
UPDATE agents SET joined_to = sqlc.narg(joined_to), updated_at = @at WHERE id = @id;

-- name: EndJoin :execrows
DELETE FROM joins WHERE agent_id = @agent_id;

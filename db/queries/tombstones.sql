-- name: Tombstones :many
SELECT t.name, t.team, t.fingerprint
FROM (SELECT DISTINCT @agent_id::bigint AS agent_id, name FROM unnest(@names::text[]) AS name) asked
JOIN tombstones t USING (agent_id, name);

-- name: BuryMemory :exec
-- Every content that the memory has had leaves a tombstone.
INSERT INTO tombstones (agent_id, name, fingerprint, deleted_at, team)
SELECT m.agent_id, m.name, r.fingerprint, @at, m.team FROM memories m JOIN revisions r ON r.memory_id = m.id WHERE m.id = @memory_id
ON CONFLICT DO NOTHING;

-- name: UnburyMemory :exec
-- What the memory says, and what its last deletion alone kept out, is no longer kept out. What it had said when it was deleted before is.
DELETE FROM tombstones t USING memories m, revisions r
WHERE m.id = @memory_id AND r.memory_id = m.id AND t.agent_id = m.agent_id AND t.name = m.name AND t.team = m.team AND t.fingerprint = r.fingerprint
  AND (t.deleted_at = m.deleted_at OR r.id = m.revision_id);

-- name: LiftTombstone :many
-- One content is no longer kept out. It returns when it was deleted: nothing where it was not.
DELETE FROM tombstones WHERE agent_id = @agent_id AND name = @name AND team = @team AND fingerprint = @fingerprint
RETURNING deleted_at;

-- name: LetIn :exec
-- As LiftTombstone, where nobody asks what was lifted.
DELETE FROM tombstones WHERE agent_id = @agent_id AND name = @name AND team = @team AND fingerprint = @fingerprint;

-- name: LeaveTombstone :exec
INSERT INTO tombstones (agent_id, name, fingerprint, deleted_at, team)
VALUES (@agent_id, @name, @fingerprint, @deleted_at, @team)
ON CONFLICT DO NOTHING;

-- name: BlockedOf :many
SELECT id, agent_id, path, session, name, fingerprint, hash, type, description, body, seen_at, team
FROM blocked
WHERE agent_id = @agent_id
ORDER BY seen_at DESC, id;

-- name: NewestBlocked :many
SELECT id, agent_id, path, session, name, fingerprint, hash, type, description, body, seen_at, team
FROM blocked
WHERE agent_id = @agent_id
  AND (sqlc.narg(after_at)::timestamptz IS NULL OR seen_at < sqlc.narg(after_at)::timestamptz
    OR (seen_at = sqlc.narg(after_at)::timestamptz AND id > @after_id::uuid))
ORDER BY seen_at DESC, id
LIMIT @most;

-- name: BlockedByID :one
SELECT id, agent_id, path, session, name, fingerprint, hash, type, description, body, seen_at, team
FROM blocked
WHERE agent_id = @agent_id AND id = @id;

-- name: SaveBlocked :batchexec
INSERT INTO blocked (id, agent_id, path, session, name, fingerprint, hash, type, description, body, seen_at, team)
VALUES (@id, @agent_id, @path, @session, @name, @fingerprint, @hash, @type, @description, @body, @seen_at, @team)
ON CONFLICT (agent_id, path) DO UPDATE SET session = excluded.session, name = excluded.name,
    fingerprint = excluded.fingerprint, hash = excluded.hash, type = excluded.type, description = excluded.description,
    body = excluded.body, seen_at = excluded.seen_at, team = excluded.team;

-- name: DropBlocked :exec
DELETE FROM blocked b USING (SELECT @agent_id::bigint AS agent_id, unnest(@paths::text[]) AS path) gone
WHERE b.agent_id = gone.agent_id AND b.path = gone.path;

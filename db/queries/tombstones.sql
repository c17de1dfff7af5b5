-- name: Tombstones :many
SELECT t.name, t.team, t.fingerprint
FROM (SELECT DISTINCT @agent_id::bigint AS agent_id, name FROM unnest(@names::text[]) AS name) asked
JOIN tombstones t USING (agent_id, name);

-- name: AddTombstones :exec
-- Adds a tombstone for each content that the memory has had, unless it exists.
INSERT INTO tombstones (agent_id, name, fingerprint, deleted_at, team)
SELECT m.agent_id, m.name, r.fingerprint, @at, m.team FROM memories m JOIN revisions r ON r.memory_id = m.id WHERE m.id = @memory_id
ON CONFLICT DO NOTHING;

-- name: RenewTombstones :exec
-- Makes the deletion of a memory in the trash one of a later time, with a tombstone for each content.
WITH deleted AS (UPDATE memories d SET deleted_at = @at::timestamptz WHERE d.id = @memory_id RETURNING d.id, d.agent_id, d.name, d.team)
INSERT INTO tombstones (agent_id, name, fingerprint, deleted_at, team)
SELECT m.agent_id, m.name, r.fingerprint, @at, m.team FROM deleted m JOIN revisions r ON r.memory_id = m.id
ON CONFLICT (agent_id, name, team, fingerprint) DO UPDATE SET deleted_at = excluded.deleted_at;

-- name: RemoveTombstones :exec
-- Removes the tombstones of a memory's current content and of its last deletion. Tombstones of
-- earlier deletions stay.
DELETE FROM tombstones t USING memories m, revisions r
WHERE m.id = @memory_id AND r.memory_id = m.id AND t.agent_id = m.agent_id AND t.name = m.name AND t.team = m.team AND t.fingerprint = r.fingerprint
  AND (t.deleted_at = m.deleted_at OR r.id = m.revision_id);

-- name: LiftTombstone :many
-- Removes a tombstone, and returns the time of its deletion; no row if there was none.
DELETE FROM tombstones WHERE agent_id = @agent_id AND name = @name AND team = @team AND fingerprint = @fingerprint
RETURNING deleted_at;

-- name: DeleteTombstone :exec
-- Removes a tombstone, if it exists.
DELETE FROM tombstones WHERE agent_id = @agent_id AND name = @name AND team = @team AND fingerprint = @fingerprint;

-- name: InsertTombstone :exec
INSERT INTO tombstones (agent_id, name, fingerprint, deleted_at, team)
VALUES (@agent_id, @name, @fingerprint, @deleted_at, @team)
ON CONFLICT DO NOTHING;

-- name: BlockedOf :many
SELECT id, agent_id, path, session, name, fingerprint, hash, type, description, body, seen_at, team
FROM blocked_contents
WHERE agent_id = @agent_id
ORDER BY seen_at DESC, id;

-- name: BlockedPage :many
SELECT id, agent_id, path, session, name, fingerprint, hash, type, description, body, seen_at, team
FROM blocked_contents
WHERE agent_id = @agent_id
  AND (sqlc.narg(after_at)::timestamptz IS NULL OR seen_at < sqlc.narg(after_at)::timestamptz
    OR (seen_at = sqlc.narg(after_at)::timestamptz AND id > @after_id::uuid))
ORDER BY seen_at DESC, id
LIMIT @most;

-- name: BlockedByID :one
SELECT id, agent_id, path, session, name, fingerprint, hash, type, description, body, seen_at, team
FROM blocked_contents
WHERE agent_id = @agent_id AND id = @id;

-- name: SaveBlocked :batchexec
INSERT INTO blocked_contents (id, agent_id, path, session, name, fingerprint, hash, type, description, body, seen_at, team)
VALUES (@id, @agent_id, @path, @session, @name, @fingerprint, @hash, @type, @description, @body, @seen_at, @team)
ON CONFLICT (agent_id, path) DO UPDATE SET session = excluded.session, name = excluded.name,
    fingerprint = excluded.fingerprint, hash = excluded.hash, type = excluded.type, description = excluded.description,
    body = excluded.body, seen_at = excluded.seen_at, team = excluded.team;

-- name: DeleteBlocked :exec
DELETE FROM blocked_contents b USING (SELECT @agent_id::bigint AS agent_id, unnest(@paths::text[]) AS path) gone
WHERE b.agent_id = gone.agent_id AND b.path = gone.path;

-- name: AddNameTombstones :exec
-- Adds tombstones for the old name of a renamed memory, so that old copies in sessions do not return under it.
INSERT INTO tombstones (agent_id, name, fingerprint, deleted_at, team)
SELECT @agent_id, @name, r.fingerprint, @at, @team FROM revisions r WHERE r.memory_id = @memory_id
ON CONFLICT DO NOTHING;

-- name: RemoveNameTombstones :exec
-- Removes the tombstones of an earlier rename, if the memory gets that name again.
DELETE FROM tombstones t USING activity a
WHERE a.memory_id = @memory_id::uuid AND a.kind = 'renamed' AND a.other_name = @name::text
  AND t.agent_id = @agent_id AND t.name = @name::text AND t.team = @team AND t.deleted_at = a.at;

-- name: DetachFiles :exec
-- Detaches the memory's other files, which have the old name. Files to be removed stay. There are two parts
-- because each index is partial.
UPDATE files SET memory_id = NULL
WHERE (memory_id = @memory_id::uuid AND present OR memory_id = @memory_id::uuid AND NOT present) AND status <> 'removing';

-- name: ClearIndexLines :exec
-- The removed lines link to a file with the old name.
UPDATE memories SET index_lines = NULL, restoring = false WHERE id = @id;

-- name: MoveRevisions :exec
-- Moves the history of a deleted memory to the one that gets its name.
UPDATE revisions r SET memory_id = @memory_id::uuid
WHERE r.memory_id = @deleted_id::uuid
  AND NOT EXISTS (SELECT FROM revisions k WHERE k.memory_id = @memory_id::uuid AND k.fingerprint = r.fingerprint);

-- name: MoveFiles :exec
-- There are two parts because each index is partial.
UPDATE files SET memory_id = @memory_id::uuid
WHERE memory_id = @deleted_id::uuid AND present OR memory_id = @deleted_id::uuid AND NOT present;

-- name: UnindexMemory :exec
-- The search index has the words of the name.
DELETE FROM memory_search WHERE memory_id = @memory_id;

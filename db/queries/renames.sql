-- name: AddNameTombstones :exec
-- Adds tombstones under the old name for all contents of a renamed memory, so that old copies in
-- sessions do not return under it.
INSERT INTO tombstones (agent_id, name, fingerprint, deleted_at, team)
SELECT @agent_id, @name, r.fingerprint, @at, @team FROM revisions r WHERE r.memory_id = @memory_id
ON CONFLICT DO NOTHING;

-- name: RemoveNameTombstones :exec
-- Removes the tombstones that an earlier rename of the memory has added under the name, because it
-- gets that name again.
DELETE FROM tombstones t USING activity a
WHERE a.memory_id = @memory_id::uuid AND a.kind = 'renamed' AND a.other_name = @name::text
  AND t.agent_id = @agent_id AND t.name = @name::text AND t.team = @team AND t.deleted_at = a.at;

-- name: DetachFiles :exec
-- Detaches the memory's other files, which have the old name. Files to be removed stay. There are
-- two parts because each index is partial.
UPDATE files SET memory_id = NULL
WHERE (memory_id = @memory_id::uuid AND present OR memory_id = @memory_id::uuid AND NOT present) AND status <> 'removing';

-- name: ClearIndexLines :exec
-- Deletes the memory's removed index lines, because they link to a file with the old name, and ends
-- a restore.
UPDATE memories SET index_lines = NULL, restoring = false WHERE id = @id;

-- name: MoveRevisions :exec
-- Moves the contents of a deleted memory to the one that gets its name, except contents that this
-- one has.
UPDATE revisions r SET memory_id = @memory_id::uuid
WHERE r.memory_id = @deleted_id::uuid
  AND NOT EXISTS (SELECT FROM revisions k WHERE k.memory_id = @memory_id::uuid AND k.fingerprint = r.fingerprint);

-- name: MoveFiles :exec
-- Moves the files of a deleted memory to the one that gets its name. There are two parts because
-- each index is partial.
UPDATE files SET memory_id = @memory_id::uuid
WHERE memory_id = @deleted_id::uuid AND present OR memory_id = @deleted_id::uuid AND NOT present;

-- name: UnindexMemory :exec
-- Removes a memory from the search index, which has the words of its old name.
DELETE FROM memory_search WHERE memory_id = @memory_id;

-- name: BuryName :exec
-- A renamed memory leaves tombstones under its old name, so that old copies in sessions do not come back under it.
INSERT INTO tombstones (agent_id, name, fingerprint, deleted_at, team)
SELECT @agent_id, @name, r.fingerprint, @at, @team FROM revisions r WHERE r.memory_id = @memory_id
ON CONFLICT DO NOTHING;

-- name: UnburyName :exec
-- A memory that is renamed back lifts the tombstones that its earlier rename left under that name.
DELETE FROM tombstones t USING activity a
WHERE a.memory_id = @memory_id::uuid AND a.kind = 'renamed' AND a.renamed = @name::text
  AND t.agent_id = @agent_id AND t.name = @name::text AND t.team = @team AND t.deleted_at = a.at;

-- name: LeaveName :exec
-- The memory's other files say its old name, so they are no longer its files. Those to be removed stay until they are.
-- The condition is in two parts, because each index of the column is a partial one.
UPDATE files SET memory_id = NULL
WHERE (memory_id = @memory_id::uuid AND present OR memory_id = @memory_id::uuid AND NOT present) AND status <> 'removing';

-- name: ForgetIndexLines :exec
-- The lines that an earlier deletion took out lead to a file of the old name.
UPDATE memories SET index_lines = NULL, restoring = false WHERE id = @id;

-- name: TakeRevisions :exec
-- A deleted memory that had the name gives its history to the memory that gets it.
UPDATE revisions r SET memory_id = @memory_id::uuid
WHERE r.memory_id = @deleted_id::uuid
  AND NOT EXISTS (SELECT FROM revisions k WHERE k.memory_id = @memory_id::uuid AND k.fingerprint = r.fingerprint);

-- name: TakeFiles :exec
-- The condition is in two parts, because each index of the column is a partial one.
UPDATE files SET memory_id = @memory_id::uuid
WHERE memory_id = @deleted_id::uuid AND present OR memory_id = @deleted_id::uuid AND NOT present;

-- name: UnindexMemory :exec
-- The words of a name are in the search index.
DELETE FROM memory_search WHERE memory_id = @memory_id;

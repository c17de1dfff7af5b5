-- name: HeadsByName :many
SELECT sqlc.embed(m) FROM memories m
WHERE m.agent_id = @agent_id AND m.readable AND m.name = ANY(@names::text[]);

-- name: HeadsByID :many
SELECT sqlc.embed(m) FROM memories m
WHERE m.agent_id = @agent_id AND m.id = ANY(@ids::uuid[]);

-- name: UnreadableByPath :many
SELECT sqlc.embed(m) FROM memories m
WHERE m.agent_id = @agent_id AND NOT m.readable AND (m.state <> 'deleted' OR m.restoring) AND m.path = ANY(@paths::text[]);

-- name: RestoringHeads :many
SELECT sqlc.embed(m) FROM memories m WHERE m.agent_id = @agent_id AND m.restoring;

-- name: InsertHeads :copyfrom
INSERT INTO memories (id, agent_id, name, readable, state, type, revision_id, description, fingerprint, hash, size, path,
    session, modified_at, content_at, problems, created_at, updated_at)
VALUES (@id, @agent_id, @name, @readable, @state, @type, @revision_id, @description, @fingerprint, @hash, @size, @path,
    @session, @modified_at, @content_at, @problems, @created_at, @updated_at);

-- name: UpdateHead :batchexec
UPDATE memories SET state = @state, type = @type, revision_id = @revision_id, description = @description,
    fingerprint = @fingerprint, hash = @hash, size = @size, path = @path, session = @session, modified_at = @modified_at, content_at = @content_at,
    problems = @problems, updated_at = @updated_at, deleted_at = @deleted_at, deleted_by = @deleted_by
WHERE id = @id;

-- name: DeleteHeads :exec
DELETE FROM memories WHERE id = ANY(@ids::uuid[]);

-- name: MarkDeleted :exec
UPDATE memories SET state = 'deleted', deleted_at = @at::timestamptz, deleted_by = 'person', updated_at = @at::timestamptz,
    index_lines = @index_lines, restoring = false
WHERE id = @id;

-- name: BeginRestoring :exec
UPDATE memories SET restoring = true WHERE id = @id;

-- name: EndRestoring :exec
UPDATE memories SET restoring = false, index_lines = NULL WHERE id = @id;

-- name: Memory :one
SELECT sqlc.embed(m), r.description, r.body
FROM memories m JOIN revisions r ON r.id = m.revision_id
WHERE m.agent_id = @agent_id AND m.id = @id;

-- name: Headings :many
-- What goes into CLAUDE.md, without the bodies: everything alive that has a type.
SELECT id, name, type, description, revision_id, size, claude_md_chars, claude_md_listed
FROM memories
WHERE agent_id = @agent_id AND state IN ('active', 'missing') AND readable AND type IS NOT NULL;

-- name: SetCosts :exec
UPDATE memories m SET claude_md_chars = c.chars, claude_md_listed = c.listed
FROM (SELECT unnest(@ids::uuid[]) AS id, unnest(@chars::integer[]) AS chars, unnest(@listed::boolean[]) AS listed) c
WHERE m.id = c.id;

-- name: MissingMemories :many
SELECT id FROM memories WHERE agent_id = @agent_id AND state = 'missing' ORDER BY name, id;

-- name: SetModified :exec
UPDATE memories SET modified_at = @modified_at WHERE id = @id;

-- name: MemoriesByID :many
SELECT sqlc.embed(m), r.description, r.body
FROM memories m JOIN revisions r ON r.id = m.revision_id
WHERE m.id = ANY(@ids::uuid[]);

-- name: RowsByName :many
SELECT sqlc.embed(m)
FROM (SELECT DISTINCT @agent_id::bigint AS agent_id, name FROM unnest(@names::text[]) AS name) asked
JOIN memories m ON m.agent_id = asked.agent_id AND m.name = asked.name
WHERE m.readable;

-- name: RowsByID :many
-- Returns the agent's memories with the ids, each once, in any order. IS TRUE prevents the use of
-- another index.
SELECT sqlc.embed(m)
FROM (SELECT DISTINCT id FROM unnest(@ids::uuid[]) AS id) asked
JOIN memories m ON m.id = asked.id
WHERE (m.agent_id = @agent_id) IS TRUE;

-- name: RowByID :one
-- Returns the agent's memory with the id. Uses a cached plan, unlike a list of unknown length.
SELECT sqlc.embed(m) FROM memories m WHERE m.agent_id = @agent_id AND m.id = @id;

-- name: KeysOf :many
SELECT m.id, m.name, m.team
FROM (SELECT DISTINCT id FROM unnest(@ids::uuid[]) AS id) asked
JOIN memories m ON m.id = asked.id
WHERE (m.agent_id = @agent_id) IS TRUE;

-- name: UnreadableByPath :many
-- Returns the rows of unreadable files at the paths, except deleted ones without an unfinished
-- restore. Each part has an index. One condition for both would need a bitmap, which
-- ForceGenericPlans disables.
SELECT sqlc.embed(m) FROM (
    SELECT a.id FROM memories a WHERE a.agent_id = @agent_id AND NOT a.readable AND a.state <> 'deleted' AND a.path = ANY(@paths::text[])
    UNION ALL
    SELECT b.id FROM memories b
    WHERE b.agent_id = @agent_id AND b.restoring AND NOT b.readable AND b.state = 'deleted' AND b.path = ANY(@paths::text[])
) found JOIN memories m USING (id);

-- name: RestoringRows :many
SELECT sqlc.embed(m) FROM memories m WHERE m.agent_id = @agent_id AND m.restoring;

-- name: CountNeedingAttention :one
SELECT count(*) FROM memories WHERE agent_id = @agent_id AND state = 'needs_attention';

-- name: InsertMemories :copyfrom
INSERT INTO memories (id, agent_id, name, readable, state, type, revision_id, description, fingerprint, hash, size, path,
    session, modified_at, content_at, problems, claude_md_chars, claude_md_listed, created_at, updated_at, team, conflict)
VALUES (@id, @agent_id, @name, @readable, @state, @type, @revision_id, @description, @fingerprint, @hash, @size, @path,
    @session, @modified_at, @content_at, @problems, @claude_md_chars, @claude_md_listed, @created_at, @updated_at, @team, @conflict);

-- name: UpdateMemories :exec
-- Updates the columns of the memories in one statement, so that the tallies are updated once. A
-- zero value stands for NULL. If a restored memory is deleted again, its restore ends.
UPDATE memories m SET restoring = m.restoring AND (m.state = 'deleted' OR c.state <> 'deleted'),
    name = c.name, team = c.team, created_at = c.created_at,
    state = c.state, type = nullif(c.type, ''), revision_id = c.revision_id, description = c.description,
    fingerprint = c.fingerprint, hash = c.hash, size = c.size, path = c.path, session = nullif(c.session, ''), modified_at = c.modified_at,
    content_at = c.content_at, problems = c.problems, updated_at = c.updated_at,
    deleted_at = nullif(c.deleted_at, '0001-01-01T00:00:00Z'), deleted_by = nullif(c.deleted_by, ''),
    deleted_actor = nullif(c.deleted_actor, ''), conflict = nullif(c.conflict, '')
FROM (SELECT unnest(@ids::uuid[]) AS id, unnest(@names::text[]) AS name, unnest(@teams::boolean[]) AS team,
             unnest(@created_at::timestamptz[]) AS created_at, unnest(@states::text[]) AS state, unnest(@types::text[]) AS type,
             unnest(@revision_ids::uuid[]) AS revision_id, unnest(@descriptions::text[]) AS description,
             unnest(@fingerprints::bytea[]) AS fingerprint,
             unnest(@hashes::text[]) AS hash, unnest(@sizes::bigint[]) AS size, unnest(@paths::text[]) AS path,
             unnest(@sessions::text[]) AS session, unnest(@modified_at::timestamptz[]) AS modified_at,
             unnest(@content_at::timestamptz[]) AS content_at, unnest(@problems::jsonb[]) AS problems,
             unnest(@updated_at::timestamptz[]) AS updated_at, unnest(@deleted_at::timestamptz[]) AS deleted_at,
             unnest(@deleted_by::text[]) AS deleted_by, unnest(@deleted_actors::text[]) AS deleted_actor,
             unnest(@conflicts::text[]) AS conflict) c
WHERE m.id = c.id;

-- name: DeleteMemories :exec
DELETE FROM memories WHERE id = ANY(@ids::uuid[]);

-- name: MarkDeleted :exec
-- Moves a memory to the trash, saves its removed index lines, and adds a tombstone for each content
-- that it has had.
WITH deleted AS (
    UPDATE memories d SET state = 'deleted', deleted_at = @at::timestamptz, deleted_by = 'person', deleted_actor = @actor::text, deleted_browser = sqlc.narg(browser), deleted_person = sqlc.narg(person),
        updated_at = @at::timestamptz,
        index_lines = @index_lines, restoring = false
    WHERE d.id = @id
    RETURNING d.id, d.agent_id, d.name, d.team
)
INSERT INTO tombstones (agent_id, name, fingerprint, deleted_at, team)
SELECT m.agent_id, m.name, r.fingerprint, @at, m.team FROM deleted m JOIN revisions r ON r.memory_id = m.id
ON CONFLICT DO NOTHING;

-- name: BeginRestoring :exec
UPDATE memories SET restoring = true WHERE id = @id;

-- name: CancelRestoring :exec
-- Ends a restore. The memory stays in the trash.
UPDATE memories SET restoring = false WHERE id = @id;

-- name: SetDeletedByPerson :exec
-- Records that a user has deleted the memory, and ends a restore. The memory stays in the trash.
UPDATE memories SET deleted_by = 'person', restoring = false WHERE id = @id;

-- name: SetUpdated :exec
UPDATE memories SET updated_at = @at WHERE id = @id;

-- name: EndRestoring :exec
UPDATE memories SET restoring = false, index_lines = NULL WHERE id = @id;

-- name: RemovedIndexLines :many
-- Returns by memory the lines that were removed from indexes and are not restored. Each part has an
-- index.
SELECT d.id, d.index_lines FROM memories d WHERE d.agent_id = @agent_id AND d.state = 'deleted' AND d.index_lines <> '{}'
UNION ALL
SELECT r.id, r.index_lines FROM memories r
WHERE r.agent_id = @agent_id AND r.restoring AND r.state <> 'deleted' AND r.index_lines <> '{}';

-- name: Memory :one
SELECT sqlc.embed(m), r.description, r.body
FROM memories m JOIN revisions r ON r.id = m.revision_id
WHERE m.agent_id = @agent_id AND m.id = @id;

-- name: Summaries :many
-- Returns the agent's memories that CLAUDE.md lists, without bodies, in any order: readable active
-- and missing ones with a type.
SELECT id, name, type, description, revision_id, size, modified_at, claude_md_chars, claude_md_listed, team
FROM memories
WHERE agent_id = @agent_id AND state IN ('active', 'missing') AND readable AND type IS NOT NULL AND NOT quarantined;

-- name: SummariesOf :many
-- Returns the memories among ids that CLAUDE.md lists, without bodies, in any order: readable
-- active and missing ones with a type, except quarantined ones.
SELECT m.id, m.name, m.type, m.description, m.revision_id, m.size, m.modified_at, m.claude_md_chars, m.claude_md_listed, m.team
FROM (SELECT DISTINCT id FROM unnest(@ids::uuid[]) AS id) asked
JOIN memories m ON m.id = asked.id
WHERE (m.agent_id = @agent_id AND m.state IN ('active', 'missing') AND m.readable AND m.type IS NOT NULL AND NOT m.quarantined) IS TRUE;

-- name: SetCosts :exec
UPDATE memories m SET claude_md_chars = c.chars, claude_md_listed = c.listed
FROM (SELECT unnest(@ids::uuid[]) AS id, unnest(@chars::integer[]) AS chars, unnest(@listed::boolean[]) AS listed) c
WHERE m.id = c.id;

-- name: SetModified :exec
UPDATE memories SET modified_at = @modified_at WHERE id = @id;

-- name: NewestChanges :many
-- Returns the latest modification time among each agent's readable undeleted memories, by an index.
-- Agents without one have no row.
SELECT a.id::bigint AS agent_id, newest.modified_at
FROM unnest(@agent_ids::bigint[]) AS a (id)
CROSS JOIN LATERAL (
    SELECT m.modified_at FROM memories m
    WHERE m.agent_id = a.id AND m.state <> 'deleted' AND m.readable
    ORDER BY m.modified_at DESC
    LIMIT 1
) newest;

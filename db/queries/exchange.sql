-- name: ExportMemories :many
-- Returns a page of the agent's memories, also deleted ones, in the order of names. home is the path
-- of a primary file with the memory, or empty.
SELECT m.id, m.name, m.team, m.readable, m.type, m.state, m.fingerprint, m.created_at, m.updated_at, m.modified_at, m.content_at,
    m.deleted_at, m.deleted_by, m.deleted_actor, m.index_lines,
    (CASE WHEN m.state IN ('deleted', 'missing') OR NOT m.readable THEN CASE WHEN m.session IS NULL THEN m.path ELSE '' END
     ELSE coalesce((SELECT f.path FROM files f WHERE f.memory_id = m.id AND f.present AND f.session IS NULL AND f.status = 'mirrored'
                    ORDER BY f.path <> m.path, f.path LIMIT 1), '') END)::text AS home
FROM memories m
WHERE m.agent_id = @agent_id AND (m.name, m.team, m.id) > (@after_name::text, @after_team::boolean, @after_id::uuid)
ORDER BY m.name, m.team, m.id LIMIT @most::integer;

-- name: ExportRevisions :many
SELECT memory_id, fingerprint, hash, type, description, body, raw, path, session, seen_at
FROM revisions WHERE memory_id = ANY(@memory_ids::uuid[]) ORDER BY memory_id, seen_at, sequence;

-- name: ExportPhrases :many
SELECT memory_id, phrases, written_by, written_at, fingerprint FROM asked_as WHERE memory_id = ANY(@memory_ids::uuid[]);

-- name: ExportTombstones :many
SELECT name, team, fingerprint, deleted_at FROM tombstones WHERE agent_id = @agent_id ORDER BY name, team, fingerprint;

-- name: ExportJournal :many
-- Returns a page of the agent's journal, oldest first.
SELECT a.id, a.at, a.memory_id, a.name, a.kind, a.actor, a.path, a.session, a.state, a.type, a.modified_at, a.other_name, a.team, r.fingerprint
FROM activity a LEFT JOIN revisions r ON r.id = a.revision_id
WHERE a.agent_id = @agent_id AND (a.at, a.id) > (@at::timestamptz, @id::bigint)
ORDER BY a.at, a.id LIMIT @most::integer;

-- name: ExportDecisions :many
SELECT item_id, kind, decision, decided_at, decided_by, until FROM review_decisions WHERE agent_id = @agent_id ORDER BY item_id;

-- name: ExportPending :many
-- Returns the names about which a person has yet to decide: with a conflict, or a blocked file.
SELECT m.name, m.team FROM memories m WHERE m.agent_id = @agent_id AND m.conflict IS NOT NULL AND m.state <> 'deleted'
UNION SELECT b.name, b.team FROM blocked_contents b WHERE b.agent_id = @agent_id
UNION SELECT m.name, m.team FROM deletion_conflicts c JOIN memories m ON m.id = c.memory_id
    WHERE c.agent_id = @agent_id AND c.fingerprint = m.fingerprint AND c.deleted = (m.state = 'deleted')
ORDER BY 1, 2;

-- name: ExchangeState :many
-- Returns the agent's readable memories with the contents that they have had. since is when their
-- content became new, and kept_at when a person last restored or kept them; 1970 if nobody has.
SELECT m.id, m.name, m.team, m.state, m.fingerprint, m.content_at, m.deleted_at,
    ARRAY(SELECT r.fingerprint FROM revisions r WHERE r.memory_id = m.id)::bytea[] AS history,
    coalesce((SELECT max(a.at) FROM activity a WHERE a.memory_id = m.id AND a.kind = ANY(@content_kinds::text[])), m.content_at)::timestamptz AS since,
    coalesce((SELECT max(a.at) FROM activity a WHERE a.memory_id = m.id AND a.kind = ANY(@keeping_kinds::text[]) AND a.actor NOT IN ('session', 'disk')),
        'epoch')::timestamptz AS kept_at
FROM memories m
WHERE m.agent_id = @agent_id AND m.readable;

-- name: ReplaceTrash :execrows
-- Gives a memory in the trash another one of its contents.
UPDATE memories m SET revision_id = r.id, fingerprint = r.fingerprint, hash = r.hash, size = length(r.raw), type = r.type, description = r.description,
    problems = @problems, modified_at = @modified_at, content_at = @content_at, updated_at = @at
FROM revisions r
WHERE m.id = @id AND m.agent_id = @agent_id AND m.state = 'deleted' AND NOT m.restoring AND r.memory_id = m.id AND r.fingerprint = @fingerprint
  AND r.id <> m.revision_id;

-- name: SetImportedProblems :exec
UPDATE memories SET problems = @problems WHERE id = @id;

-- name: SaveDeletionConflict :execrows
-- Makes a memory wait for a decision, if it is deleted or not.
INSERT INTO deletion_conflicts (memory_id, agent_id, deleted, fingerprint, other_at)
SELECT m.id, m.agent_id, @deleted, m.fingerprint, @other_at FROM memories m
WHERE m.id = @memory_id AND m.agent_id = @agent_id AND (m.state = 'deleted') = @deleted::boolean
ON CONFLICT (memory_id) DO UPDATE SET deleted = excluded.deleted, fingerprint = excluded.fingerprint, other_at = excluded.other_at;

-- name: DeletionConflicts :many
SELECT c.memory_id, c.deleted, c.other_at FROM deletion_conflicts c JOIN memories m ON m.id = c.memory_id
WHERE c.agent_id = @agent_id AND c.fingerprint = m.fingerprint AND c.deleted = (m.state = 'deleted')
ORDER BY c.memory_id;

-- name: AllowConflicting :exec
-- Removes the tombstone of the content that a person has to decide about, if the memory is deleted.
DELETE FROM tombstones t USING memories m, deletion_conflicts c
WHERE c.memory_id = @memory_id AND c.deleted AND m.id = c.memory_id
  AND t.agent_id = m.agent_id AND t.name = m.name AND t.team = m.team AND t.fingerprint = c.fingerprint;

-- name: EndDeletionConflict :many
DELETE FROM deletion_conflicts WHERE memory_id = @memory_id RETURNING other_at;

-- name: UnreadableFiles :many
-- Returns the memories of unreadable files. The path of a deleted one is empty.
SELECT id, (CASE WHEN state <> 'deleted' THEN path ELSE '' END)::text AS path FROM memories WHERE agent_id = @agent_id AND NOT readable;

-- name: KnownIDs :many
-- Returns the ids that memories of any agent have.
SELECT id FROM memories WHERE id = ANY(@ids::uuid[]);

-- name: ImportMemory :batchexec
-- Inserts a memory into the trash. If restoring, the next restore brings it back.
INSERT INTO memories (id, agent_id, name, team, readable, state, type, revision_id, fingerprint, hash, size, description, path, session,
    modified_at, content_at, created_at, updated_at, deleted_at, deleted_by, deleted_actor, index_lines, restoring)
VALUES (@id, @agent_id, @name, @team, @readable, 'deleted', @type, @revision_id, @fingerprint, @hash, @size, @description, @path, NULL,
    @modified_at, @content_at, @created_at, @updated_at, @deleted_at, @deleted_by, @deleted_actor, @index_lines, @restoring)
ON CONFLICT DO NOTHING;

-- name: ImportRevision :batchexec
INSERT INTO revisions (id, memory_id, fingerprint, hash, type, description, body, raw, path, session, seen_at)
SELECT @id, m.id, @fingerprint, @hash, @type, @description, @body, @raw, @path, @session, @seen_at FROM memories m WHERE m.id = @memory_id
ON CONFLICT (memory_id, fingerprint) DO NOTHING;

-- name: ImportFile :batchexec
-- Records where the memory's file was, so that a restore writes it there.
INSERT INTO files (agent_id, path, memory_id, status, present, fingerprint, hash, size, mtime_ns, modified_at, content_at)
VALUES (@agent_id, @path, @memory_id, 'mirrored', false, @fingerprint, @hash, @size, @mtime_ns, @modified_at, @content_at)
ON CONFLICT DO NOTHING;

-- name: ImportPhrases :batchexec
INSERT INTO asked_as (memory_id, fingerprint, phrases, written_by, written_at, words)
SELECT m.id, @fingerprint, @phrases::text[], @written_by, @written_at, CAST(@words::text AS tsvector) FROM memories m WHERE m.id = @memory_id
ON CONFLICT DO NOTHING;

-- name: ImportTombstone :batchexec
-- Adds a tombstone, unless a memory has the content now.
INSERT INTO tombstones (agent_id, name, team, fingerprint, deleted_at)
SELECT @agent_id, @name, @team, @fingerprint, @deleted_at
WHERE NOT EXISTS (SELECT FROM memories m WHERE m.agent_id = @agent_id AND m.name = @name AND m.team = @team AND m.fingerprint = @fingerprint
                  AND m.readable AND (m.state <> 'deleted' OR m.restoring))
ON CONFLICT DO NOTHING;

-- name: ImportDecision :batchexec
INSERT INTO review_decisions (item_id, agent_id, kind, decision, decided_at, decided_by, until)
VALUES (@item_id, @agent_id, @kind, @decision, @decided_at, @decided_by, @until)
ON CONFLICT DO NOTHING;

-- name: ImportEntry :batchexec
-- Adds an entry to the journal, unless it has the entry.
INSERT INTO activity (agent_id, at, memory_id, name, kind, actor, path, session, state, type, revision_id, modified_at, other_name, team)
SELECT @agent_id, @at, sqlc.narg(memory_id), @name, @kind, @actor, @path, sqlc.narg(session), sqlc.narg(state), sqlc.narg(type),
    (SELECT r.id FROM revisions r WHERE r.memory_id = sqlc.narg(memory_id) AND r.fingerprint = sqlc.narg(content)::bytea),
    sqlc.narg(modified_at), sqlc.narg(other_name), @team
WHERE NOT EXISTS (SELECT FROM activity a WHERE a.agent_id = @agent_id AND a.at = @at AND a.kind = @kind AND a.name = @name AND a.team = @team AND a.path = @path
                  AND a.memory_id IS NOT DISTINCT FROM sqlc.narg(memory_id));

-- name: FirstEntries :many
-- Returns when the journal of each memory begins.
SELECT memory_id::uuid AS memory_id, min(at)::timestamptz AS at FROM activity WHERE memory_id = ANY(@memory_ids::uuid[]) GROUP BY memory_id;

-- name: LastEntry :one
SELECT coalesce(max(id), 0)::bigint FROM activity WHERE agent_id = @agent_id;

-- name: DeleteEntriesSince :exec
-- Deletes the entries of memories after an entry.
DELETE FROM activity WHERE agent_id = @agent_id AND id > @id AND memory_id = ANY(@memory_ids::uuid[]);

-- name: SetImportedTimes :batchexec
-- Gives a restored memory its own times again.
UPDATE memories SET created_at = @created_at, updated_at = @updated_at, content_at = @content_at, modified_at = @modified_at
WHERE id = @id AND state <> 'deleted';

-- name: SetImportedRevision :batchexec
UPDATE revisions SET path = @path, session = @session, seen_at = @seen_at WHERE memory_id = @memory_id AND fingerprint = @fingerprint;

-- name: DeleteGrowth :exec
DELETE FROM memory_growth WHERE agent_id = @agent_id;

-- name: RecountGrowth :exec
-- Computes the growth of an agent from its journal.
INSERT INTO memory_growth (agent_id, day, type, delta)
SELECT @agent_id::bigint, day, type, sum(delta) FROM (
    SELECT (at AT TIME ZONE 'UTC')::date AS day, coalesce(type, '') AS type, 1 AS delta
    FROM activity WHERE agent_id = @agent_id AND state IS NOT NULL AND state <> 'deleted'
    UNION ALL
    SELECT (at AT TIME ZONE 'UTC')::date, coalesce(before_type, ''), -1
    FROM (SELECT at, lag(state) OVER w AS before_state, lag(type) OVER w AS before_type
          FROM activity WHERE agent_id = @agent_id AND state IS NOT NULL WINDOW w AS (PARTITION BY memory_id ORDER BY at, id)) previous
    WHERE before_state <> 'deleted'
) changes GROUP BY day, type HAVING sum(delta) <> 0;

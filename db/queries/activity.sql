-- name: InsertActivity :copyfrom
INSERT INTO activity (agent_id, at, memory_id, name, kind, actor, path, session, state, type, revision_id, modified_at, renamed)
VALUES (@agent_id, @at, @memory_id, @name, @kind, @actor, @path, @session, @state, @type, @revision_id, @modified_at, @renamed);

-- name: MemoriesAsOf :many
-- The memories as the last row of each at that moment has left them, by name. One whose content is gone is left out.
SELECT m.id, m.name, m.readable, m.created_at, a.state, a.type, a.path, a.session, a.modified_at, a.at,
       r.hash, r.description, r.body, coalesce(octet_length(r.raw), 0)::bigint AS size
FROM memories m
JOIN activity a ON a.memory_id = m.id AND a.id = (
    SELECT last.id FROM activity last
    WHERE last.memory_id = m.id AND last.at <= @at AND last.state IS NOT NULL
    ORDER BY last.at DESC, last.id DESC
    LIMIT 1
)
JOIN revisions r ON r.id = a.revision_id
WHERE m.agent_id = @agent_id
  AND (sqlc.narg(id)::uuid IS NULL OR m.id = sqlc.narg(id))
  AND (sqlc.narg(after_name)::text IS NULL OR (m.name, m.id) > (sqlc.narg(after_name), @after_id::uuid))
  AND (sqlc.narg(name)::text IS NULL OR m.name = sqlc.narg(name))
  AND (a.state = sqlc.narg(state) OR sqlc.narg(state)::text IS NULL AND a.state <> 'deleted')
  AND (sqlc.narg(type)::text IS NULL OR a.type = sqlc.narg(type))
  AND (sqlc.narg(session)::text IS NULL OR a.session = sqlc.narg(session))
  AND (NOT @stale::boolean OR a.modified_at + interval '48 hours' <= @at)
ORDER BY m.name, m.id
LIMIT @most::integer;

-- name: CountMemoriesAsOf :one
SELECT count(*)
FROM memories m
JOIN activity a ON a.memory_id = m.id AND a.id = (
    SELECT last.id FROM activity last
    WHERE last.memory_id = m.id AND last.at <= @at AND last.state IS NOT NULL
    ORDER BY last.at DESC, last.id DESC
    LIMIT 1
)
WHERE m.agent_id = @agent_id
  AND (sqlc.narg(name)::text IS NULL OR m.name = sqlc.narg(name))
  AND (a.state = sqlc.narg(state) OR sqlc.narg(state)::text IS NULL AND a.state <> 'deleted')
  AND (sqlc.narg(type)::text IS NULL OR a.type = sqlc.narg(type))
  AND (sqlc.narg(session)::text IS NULL OR a.session = sqlc.narg(session))
  AND (NOT @stale::boolean OR a.modified_at + interval '48 hours' <= @at);

-- name: SectionsAsOf :many
-- What went into CLAUDE.md at that moment.
SELECT m.id, m.name, a.type, r.description, r.body
FROM memories m
JOIN activity a ON a.memory_id = m.id AND a.id = (
    SELECT last.id FROM activity last
    WHERE last.memory_id = m.id AND last.at <= @at AND last.state IS NOT NULL
    ORDER BY last.at DESC, last.id DESC
    LIMIT 1
)
JOIN revisions r ON r.id = a.revision_id
WHERE m.agent_id = @agent_id AND m.readable AND a.state IN ('active', 'missing') AND a.type IS NOT NULL;

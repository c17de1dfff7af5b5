-- name: InsertActivity :copyfrom
INSERT INTO activity (agent_id, at, memory_id, name, kind, actor, path, session, state, type, revision_id, modified_at, other_name, team)
VALUES (@agent_id, @at, @memory_id, @name, @kind, @actor, @path, @session, @state, @type, @revision_id, @modified_at, @other_name, @team);

-- name: MemoriesAsOf :many
-- Returns the memories as of a time, sorted by their name at that time. Memories without content are omitted.
-- One pass in primary key order is faster than one lookup per memory.
WITH last AS (
    SELECT DISTINCT ON (a.memory_id) a.memory_id, a.name, a.team, a.actor, a.at, a.state, a.type, a.path, a.session, a.revision_id, a.modified_at
    FROM activity a
    WHERE a.agent_id = @agent_id AND a.at <= @at AND a.state IS NOT NULL
    ORDER BY a.memory_id, a.at DESC, a.id DESC
), wanted AS (
    SELECT m.id, last.name, last.team, m.readable, m.created_at,
           last.actor, last.state, last.type, last.path, last.session, last.modified_at, last.at, last.revision_id
    FROM last JOIN memories m ON m.id = last.memory_id
    WHERE (last.state = sqlc.narg(state)::text OR sqlc.narg(state)::text IS NULL AND last.state <> 'deleted')
      AND (sqlc.narg(name)::text IS NULL OR last.name = sqlc.narg(name)::text)
      AND (sqlc.narg(team)::boolean IS NULL OR last.team = sqlc.narg(team)::boolean)
      AND (sqlc.narg(type)::text IS NULL OR last.type = sqlc.narg(type)::text)
      AND (sqlc.narg(session)::text IS NULL OR last.session = sqlc.narg(session)::text)
      AND (NOT @stale::boolean OR last.modified_at + interval '48 hours' <= @at::timestamptz AND m.readable
           AND last.modified_at >= '2020-01-01 00:00:00+00')
)
SELECT w.id, w.name, w.team, w.readable, w.created_at, w.actor, w.state, w.type, w.path, w.session, w.modified_at, w.at,
       r.hash, r.description, r.body, coalesce(octet_length(r.raw), 0)::bigint AS size, (SELECT count(*) FROM wanted) AS total
FROM wanted w JOIN revisions r ON r.id = w.revision_id
WHERE sqlc.narg(after_name)::text IS NULL OR (w.name, w.id) > (sqlc.narg(after_name)::text, @after_id::uuid)
ORDER BY w.name, w.id
LIMIT @most::integer;

-- name: MemoryAsOf :one
SELECT m.id, a.name, a.team, m.readable, m.created_at, a.actor, a.state, a.type, a.path, a.session, a.modified_at, a.at,
       r.hash, r.description, r.body, coalesce(octet_length(r.raw), 0)::bigint AS size, 1::bigint AS total
FROM activity a
JOIN memories m ON m.id = a.memory_id
JOIN revisions r ON r.id = a.revision_id
WHERE a.memory_id = @id::uuid AND m.agent_id = @agent_id AND a.at <= @at AND a.state IS NOT NULL
ORDER BY a.at DESC, a.id DESC
LIMIT 1;

-- name: SummariesAsOf :many
-- Returns what CLAUDE.md had at a time, without bodies.
WITH last AS (
    SELECT DISTINCT ON (a.memory_id) a.memory_id, a.name, a.team, a.state, a.type, a.revision_id
    FROM activity a
    WHERE a.agent_id = @agent_id AND a.at <= @at AND a.state IS NOT NULL
    ORDER BY a.memory_id, a.at DESC, a.id DESC
)
SELECT m.id, last.name, last.team, last.type, r.description, r.id AS revision_id, coalesce(octet_length(r.raw), 0)::bigint AS size
FROM last
JOIN memories m ON m.id = last.memory_id
JOIN revisions r ON r.id = last.revision_id
WHERE m.readable AND last.state IN ('active', 'missing') AND last.type IS NOT NULL;

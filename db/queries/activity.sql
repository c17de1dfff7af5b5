-- name: InsertActivity :copyfrom
INSERT INTO activity (agent_id, at, memory_id, name, kind, actor, path, session, state, type, revision_id, modified_at, other_name, team, action, browser, person)
VALUES (@agent_id, @at, @memory_id, @name, @kind, @actor, @path, @session, @state, @type, @revision_id, @modified_at, @other_name, @team, @action, @browser, @person);

-- name: MemoryAsOf :one
SELECT m.id, a.name, a.team, m.readable, m.created_at, a.actor, a.browser, a.person, a.state, a.type, a.path, a.session, a.modified_at, a.at,
       r.hash, r.description, r.body, coalesce(octet_length(r.raw), 0)::bigint AS size, 1::bigint AS total
FROM activity a
JOIN memories m ON m.id = a.memory_id
JOIN revisions r ON r.id = a.revision_id
WHERE a.memory_id = @id::uuid AND m.agent_id = @agent_id AND a.at <= @at AND a.state IS NOT NULL
ORDER BY a.at DESC, a.id DESC
LIMIT 1;

-- name: SummariesAsOf :many
-- Returns the memories that CLAUDE.md listed at a time, without bodies, in any order: readable
-- active and missing ones with a type.
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

-- name: AddReveal :exec
-- Adds an entry that a memory's text was shown without masks, unless the journal has one by the same
-- actor and browser since a time.
INSERT INTO activity (agent_id, at, memory_id, name, kind, actor, path, session, type, team, action, browser, person)
SELECT m.agent_id, @at, m.id, m.name, 'revealed', @actor, m.path, m.session, m.type, m.team, sqlc.narg(action), sqlc.narg(browser), sqlc.narg(person)
FROM memories m
WHERE m.agent_id = @agent_id AND m.id = @id
  AND NOT EXISTS (SELECT 1 FROM activity a
                  WHERE a.memory_id = m.id AND a.kind = 'revealed' AND a.at > @since AND a.actor = @actor
                    AND a.browser IS NOT DISTINCT FROM sqlc.narg(browser) AND a.person IS NOT DISTINCT FROM sqlc.narg(person));

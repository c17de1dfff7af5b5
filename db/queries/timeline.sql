-- name: TimelineEntries :many
-- Returns the newest journal entries of the agents up to a time, without details. Each condition
-- that is NULL or empty selects all. first_scan selects the memories that were older than Memoir's
-- knowledge of the agent, or the other entries.
SELECT e.agent_id, e.id, e.at, e.kind, e.actor, e.session, e.action, e.browser, e.person
FROM agents
CROSS JOIN LATERAL (
    SELECT a.agent_id, a.id, a.at, a.kind, a.actor, a.session, a.action, a.browser, a.person
    FROM activity a
    WHERE a.agent_id = agents.id
      AND a.at <= @until
      AND (sqlc.narg(first_scan)::boolean IS NULL
           OR sqlc.narg(first_scan)::boolean = (a.kind = 'learned' AND a.actor IN ('disk', 'session') AND a.at < agents.created_at))
      AND (@kind::text = '' OR a.kind = @kind)
      AND (@actor::text = '' OR a.actor = @actor)
      AND (@session::text = '' OR a.session = @session)
      AND (sqlc.narg(memory_id)::uuid IS NULL OR a.memory_id = sqlc.narg(memory_id)::uuid)
      AND (@pattern::text = '' OR a.name ILIKE @pattern)
    ORDER BY a.at DESC, a.id DESC
    LIMIT @most::integer
) e
WHERE agents.id = ANY(@agent_ids::bigint[])
ORDER BY e.at DESC, e.id DESC
LIMIT @most::integer;

-- name: FirstScans :many
-- Counts for each agent the memories that were older than Memoir's knowledge of it.
SELECT agents.id, agents.created_at, count(*) AS n
FROM agents
JOIN activity a ON a.agent_id = agents.id AND a.kind = 'learned' AND a.actor IN ('disk', 'session') AND a.at < agents.created_at
WHERE agents.id = ANY(@agent_ids::bigint[]) AND agents.created_at <= @until AND (@actor::text = '' OR a.actor = @actor)
GROUP BY agents.id, agents.created_at;

-- name: TimelineRecalls :many
-- Returns the newest recalls of the agents up to a time that delivered a memory, without details.
SELECT e.agent_id, e.id, e.at, e.session
FROM unnest(@agent_ids::bigint[]) AS agents (id)
CROSS JOIN LATERAL (
    SELECT r.agent_id, r.id, r.at, r.session
    FROM recalls r
    WHERE r.agent_id = agents.id
      AND r.at <= @until
      AND r.delivered_count > 0
      AND (@session::text = '' OR r.session = @session)
      AND (sqlc.narg(memory_id)::uuid IS NULL
           OR EXISTS (SELECT 1 FROM recall_items i WHERE i.recall_id = r.id AND i.memory_id = sqlc.narg(memory_id)::uuid))
      AND (@pattern::text = '' OR r.query ILIKE @pattern
           OR EXISTS (SELECT 1 FROM recall_items i WHERE i.recall_id = r.id AND i.name ILIKE @pattern))
    ORDER BY r.at DESC, r.id DESC
    LIMIT @most::integer
) e
ORDER BY e.at DESC, e.id DESC
LIMIT @most::integer;

-- name: TimelineDetails :many
-- Returns the journal entries with these keys, in any order. is_last means that no later entry is
-- about a change of the same memory.
SELECT a.id, a.at, a.agent_id, agents.slug, a.memory_id, (m.id IS NOT NULL)::boolean AS found, a.name, a.kind, a.actor, a.path, a.session,
       a.state, a.type, a.team, r.description, r.hash, a.other_name,
       (NOT EXISTS (SELECT 1 FROM activity b WHERE b.memory_id = a.memory_id AND (b.at, b.id) > (a.at, a.id) AND b.state IS NOT NULL))::boolean AS is_last
FROM (SELECT unnest(@agent_ids::bigint[]) AS agent_id, unnest(@ats::timestamptz[]) AS at, unnest(@ids::bigint[]) AS id) k
JOIN activity a ON a.agent_id = k.agent_id AND a.at = k.at AND a.id = k.id
JOIN agents ON agents.id = a.agent_id
LEFT JOIN memories m ON m.id = a.memory_id
LEFT JOIN revisions r ON r.id = a.revision_id;

-- name: EventOf :one
-- Returns the action and the memory of a journal entry.
SELECT action, memory_id FROM activity WHERE agent_id = @agent_id AND at = @at AND id = @id;

-- name: EventEntries :many
-- Returns the changes of memories that are entries of an action, or the entry with a key, in order.
-- memory_id selects the entries about one memory; NULL: about all.
SELECT a.id, a.at, a.agent_id, agents.slug, a.memory_id::uuid AS memory_id, a.kind, a.name, a.state::text AS state, a.team, a.modified_at,
       r.fingerprint, r.hash
FROM activity a
JOIN agents ON agents.id = a.agent_id
LEFT JOIN revisions r ON r.id = a.revision_id
WHERE a.memory_id IS NOT NULL AND a.state IS NOT NULL
  AND (a.action = @action::text OR (a.agent_id = @agent_id AND a.at = @at AND a.id = @id))
  AND (sqlc.narg(memory_id)::uuid IS NULL OR a.memory_id = sqlc.narg(memory_id)::uuid)
ORDER BY a.at, a.id;

-- name: StatesAround :many
-- Returns for each memory its state before a journal entry, and its state now. A state is empty if
-- the memory did not exist, or does not.
SELECT k.memory_id::uuid AS memory_id,
       coalesce(b.state, '')::text AS state, coalesce(b.name, '')::text AS name, coalesce(b.team, false)::boolean AS team,
       coalesce(b.modified_at, '0001-01-01T00:00:00Z')::timestamptz AS modified_at, r.fingerprint, coalesce(r.hash, '')::text AS hash,
       coalesce(m.state, '')::text AS now_state, coalesce(m.name, '')::text AS now_name, coalesce(m.team, false)::boolean AS now_team,
       coalesce(m.modified_at, '0001-01-01T00:00:00Z')::timestamptz AS now_modified_at, m.fingerprint AS now_fingerprint
FROM (SELECT unnest(@memory_ids::uuid[]) AS memory_id, unnest(@ats::timestamptz[]) AS at, unnest(@ids::bigint[]) AS id) k
LEFT JOIN LATERAL (
    SELECT a.state, a.name, a.team, a.modified_at, a.revision_id
    FROM activity a
    WHERE a.memory_id = k.memory_id AND (a.at, a.id) < (k.at, k.id) AND a.state IS NOT NULL
    ORDER BY a.at DESC, a.id DESC
    LIMIT 1
) b ON true
LEFT JOIN revisions r ON r.id = b.revision_id
LEFT JOIN memories m ON m.id = k.memory_id;

-- name: TimelineRecallDetails :many
-- Returns the recalls with these ids, each with its best memory, in any order.
SELECT r.id, agents.slug, r.query, r.delivered_count, i.memory_id, i.name, (m.id IS NOT NULL)::boolean AS found
FROM recalls r
JOIN agents ON agents.id = r.agent_id
JOIN recall_items i ON i.recall_id = r.id
    AND i.position = (SELECT min(f.position) FROM recall_items f WHERE f.recall_id = r.id)
LEFT JOIN memories m ON m.id = i.memory_id
WHERE r.id = ANY(@ids::uuid[]);

-- name: DeletionsByDay :many
-- Counts the deletions of the agents by day (UTC).
SELECT (at AT TIME ZONE 'UTC')::date AS day, count(*) AS n
FROM activity
WHERE agent_id = ANY(@agent_ids::bigint[]) AND kind = 'deleted'
GROUP BY 1
ORDER BY 1;

-- name: ChangesSince :one
-- Compares the agents' memories at a time with those of now: how many exist now only, existed then
-- only, and have existed at both times and were changed. A memory that is younger than the time
-- needs no look at its events, of which the first scan of a large agent makes thousands. OFFSET 0
-- makes Postgres read the state of each of the others once, not for each count.
SELECT count(*) FILTER (WHERE NOT t.was AND t.is_now) AS learned,
       count(*) FILTER (WHERE t.was AND NOT t.is_now) AS deleted,
       count(*) FILTER (WHERE t.was AND t.is_now AND t.changed) AS changed
FROM (
    SELECT e.changed,
           CASE WHEN m.created_at > @at THEN false
               ELSE coalesce((SELECT b.state <> 'deleted' FROM activity b
                              WHERE b.memory_id = e.memory_id AND b.at <= @at AND b.state IS NOT NULL
                              ORDER BY b.at DESC, b.id DESC LIMIT 1), false) END AS was,
           coalesce(m.state <> 'deleted', false) AS is_now
    FROM (
        SELECT a.memory_id, bool_or(a.kind IN ('changed', 'renamed')) AS changed
        FROM activity a
        WHERE a.agent_id = ANY(@agent_ids::bigint[]) AND a.at > @at AND a.memory_id IS NOT NULL AND a.state IS NOT NULL
        GROUP BY a.memory_id
    ) e
    LEFT JOIN memories m ON m.id = e.memory_id
    OFFSET 0
) t;

-- name: SessionNames :many
SELECT agent_id, id, name FROM session_names WHERE agent_id = ANY(@agent_ids::bigint[]);

-- name: SaveSessionName :exec
INSERT INTO session_names (agent_id, id, name) VALUES (@agent_id, @id, @name)
ON CONFLICT (agent_id, id) DO UPDATE SET name = excluded.name;

-- name: DeleteSessionName :exec
DELETE FROM session_names WHERE agent_id = @agent_id AND id = @id;

-- name: TimelineSessions :many
-- Returns the agent's sessions that had memory files or were given memories, the newest first, after
-- a place; from the newest if that is NULL.
SELECT s.session::text AS session, max(s.at)::timestamptz AS at, sum(s.files)::bigint AS files
FROM (
    SELECT f.session, max(f.modified_at) AS at, count(*) FILTER (WHERE f.present) AS files
    FROM files f WHERE f.agent_id = @agent_id AND f.session IS NOT NULL GROUP BY f.session
    UNION ALL
    SELECT i.session, max(i.at), 0
    FROM recall_items i WHERE i.agent_id = @agent_id AND i.session IS NOT NULL GROUP BY i.session
) s
WHERE @session::text = '' OR s.session = @session
GROUP BY s.session
HAVING sqlc.narg(after_at)::timestamptz IS NULL OR max(s.at) < sqlc.narg(after_at)::timestamptz
    OR (max(s.at) = sqlc.narg(after_at)::timestamptz AND s.session > @after_session::text)
ORDER BY max(s.at) DESC, s.session
LIMIT @most;

-- name: LearnedInSessions :many
SELECT session::text AS session, count(*) AS n
FROM activity
WHERE agent_id = @agent_id AND kind = 'learned' AND session = ANY(@sessions::text[])
GROUP BY session;

-- name: RecalledInSessions :many
SELECT session::text AS session, count(DISTINCT memory_id) AS n
FROM recall_items
WHERE agent_id = @agent_id AND session = ANY(@sessions::text[])
GROUP BY session;

-- name: RecalledMemories :many
-- Returns the memories that a session was given, the newest first, each once.
SELECT i.memory_id, i.name, i.at, (m.id IS NOT NULL)::boolean AS found
FROM (
    SELECT DISTINCT ON (g.memory_id) g.memory_id, g.name, g.at
    FROM recall_items g
    WHERE g.agent_id = @agent_id AND g.session = @session::text
    ORDER BY g.memory_id, g.at DESC
) i
LEFT JOIN memories m ON m.id = i.memory_id
ORDER BY i.at DESC, i.memory_id
LIMIT @most;

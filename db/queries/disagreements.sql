-- Files on disk that say different things under one name disagree while the newest of them is a session's. Once the
-- newest is the agent's own, which is where a save goes, the matter is settled: until a session says something new.
-- Two primary files that say different things always disagree: one of them has to go.

-- name: Disagreements :many
-- Of the agent's memories, or of that one: those of which files disagree.
SELECT m.id, m.name, said.versions, said.sessions, said.durable, said.primary_versions, said.newest_at
FROM memories m
CROSS JOIN LATERAL (
    SELECT count(DISTINCT o.fingerprint) AS versions, count(DISTINCT o.session) AS sessions,
           bool_or(o.session IS NULL)::boolean AS durable,
           count(DISTINCT o.fingerprint) FILTER (WHERE o.session IS NULL) AS primary_versions, max(o.content_at)::timestamptz AS newest_at
    FROM files o
    WHERE o.memory_id = m.id AND o.present AND o.status = 'carries'
) said
WHERE m.agent_id = @agent_id AND m.conflict IS NOT NULL AND m.readable AND m.state <> 'deleted'
  AND m.id = coalesce(sqlc.narg(memory_id)::uuid, m.id)
ORDER BY m.name, m.id;

-- name: VersionsOf :many
-- What each file on disk that carries the memory says, the newest first.
SELECT f.path, f.session, f.fingerprint, f.hash, f.modified_at, f.content_at, r.type, r.description, r.body
FROM files f JOIN revisions r ON r.memory_id = f.memory_id AND r.fingerprint = f.fingerprint
WHERE f.memory_id = @memory_id::uuid AND f.present AND f.status = 'carries'
ORDER BY f.content_at DESC, f.path;

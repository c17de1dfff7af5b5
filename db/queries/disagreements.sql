-- Files on disk that say different things under one name disagree while the newest of them is a session's. Once the
-- newest is the agent's own, which is where a save goes, the matter is settled: until a session says something new.

-- name: Disagreements :many
SELECT m.id, m.name, count(DISTINCT f.fingerprint) AS versions, count(DISTINCT f.session) AS sessions,
       bool_or(f.session IS NULL) AS durable, max(f.content_at)::timestamptz AS newest_at
FROM files f JOIN memories m ON m.id = f.memory_id
WHERE f.agent_id = @agent_id AND f.present AND f.status = 'carries' AND m.readable AND m.state <> 'deleted'
GROUP BY m.id
HAVING count(DISTINCT f.fingerprint) > 1
   AND max(f.content_at) FILTER (WHERE f.session IS NOT NULL)
       > coalesce(max(f.content_at) FILTER (WHERE f.session IS NULL), '-infinity')
ORDER BY m.name, m.id;

-- name: DisagreementOf :one
-- The same of one memory, by the index over its files.
SELECT m.id, m.name, count(DISTINCT f.fingerprint) AS versions, count(DISTINCT f.session) AS sessions,
       bool_or(f.session IS NULL) AS durable, max(f.content_at)::timestamptz AS newest_at
FROM files f JOIN memories m ON m.id = f.memory_id
WHERE f.memory_id = @memory_id::uuid AND f.present AND f.status = 'carries' AND m.readable AND m.state <> 'deleted'
GROUP BY m.id
HAVING count(DISTINCT f.fingerprint) > 1
   AND max(f.content_at) FILTER (WHERE f.session IS NOT NULL)
       > coalesce(max(f.content_at) FILTER (WHERE f.session IS NULL), '-infinity');

-- name: VersionsOf :many
-- What each file on disk that carries the memory says, the newest first.
SELECT f.path, f.session, f.fingerprint, f.hash, f.modified_at, f.content_at, r.type, r.description, r.body
FROM files f JOIN revisions r ON r.memory_id = f.memory_id AND r.fingerprint = f.fingerprint
WHERE f.memory_id = @memory_id::uuid AND f.present AND f.status = 'carries'
ORDER BY f.content_at DESC, f.path;

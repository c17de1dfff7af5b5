-- Conflicts between the files of a memory. The file with the newest content wins; a session's newer
-- file is a conflict until the primary file is saved again. Two primary files with different
-- contents are always a conflict.

-- name: Disagreements :many
-- Returns the agent's undeleted memories with a conflict, by name; only the given one if memory_id
-- is not NULL. Omits those without two contents on disk: earlier versions did not clear a conflict
-- when the primary directory returned without the files.
SELECT m.id, m.name, said.versions, said.sessions, said.has_primary, said.primary_versions, said.newest_at
FROM memories m
CROSS JOIN LATERAL (
    SELECT count(DISTINCT o.fingerprint) AS versions, count(DISTINCT o.session) AS sessions,
           bool_or(o.session IS NULL)::boolean AS has_primary,
           count(DISTINCT o.fingerprint) FILTER (WHERE o.session IS NULL) AS primary_versions, max(o.content_at)::timestamptz AS newest_at
    FROM files o
    WHERE o.memory_id = m.id AND o.present AND o.status = 'mirrored'
) said
WHERE m.agent_id = @agent_id AND m.conflict IS NOT NULL AND m.readable AND m.state <> 'deleted' AND said.versions > 1
  AND m.id = coalesce(sqlc.narg(memory_id)::uuid, m.id)
ORDER BY m.name, m.id;

-- name: VersionsOf :many
-- Returns each file of the memory on disk with its content, newest first.
SELECT f.path, f.session, f.fingerprint, f.hash, f.modified_at, f.content_at, r.type, r.description, r.body
FROM files f JOIN revisions r ON r.memory_id = f.memory_id AND r.fingerprint = f.fingerprint
WHERE f.memory_id = @memory_id::uuid AND f.present AND f.status = 'mirrored'
ORDER BY f.content_at DESC, f.path;

-- name: Files :many
SELECT agent_id, path, session, memory_id, status, present, fingerprint, hash, size, mtime_ns, modified_at, content_at,
       problem, signature, expected_hash, flaws, unfinished
FROM files
WHERE agent_id = @agent_id;

-- name: FilesUnder :many
-- Returns the files at or below the paths, also absent ones; no path contains another. '0' is the
-- byte after '/'. OFFSET makes Postgres use the index for each part, instead of reading all files
-- of the agent.
SELECT f.agent_id, f.path, f.session, f.memory_id, f.status, f.present, f.fingerprint, f.hash, f.size, f.mtime_ns,
       f.modified_at, f.content_at, f.problem, f.signature, f.expected_hash, f.flaws, f.unfinished
FROM unnest(@paths::text[]) AS scope (path)
CROSS JOIN LATERAL (
    SELECT itself.* FROM files itself WHERE itself.agent_id = @agent_id AND itself.path = scope.path
    UNION ALL
    SELECT below.* FROM files below
    WHERE below.agent_id = @agent_id AND below.path >= scope.path || '/' AND below.path < scope.path || '0'
    OFFSET 0) f;

-- name: SumSignatures :many
-- Returns counts and checksums of the agent's files by part and presence. Files without a signature
-- are one more part.
SELECT coalesce(signature >> 56, 0)::integer AS part, present, count(*) AS files, count(signature) AS signed,
       coalesce(bit_xor(signature), 0)::bigint AS signatures
FROM files
WHERE agent_id = @agent_id
GROUP BY signature >> 56, present;

-- name: SumSignaturesUnder :many
SELECT coalesce(f.signature >> 56, 0)::integer AS part, f.present, count(*) AS files, count(f.signature) AS signed,
       coalesce(bit_xor(f.signature), 0)::bigint AS signatures
FROM unnest(@paths::text[]) AS scope (path)
CROSS JOIN LATERAL (
    SELECT itself.* FROM files itself WHERE itself.agent_id = @agent_id AND itself.path = scope.path
    UNION ALL
    SELECT below.* FROM files below
    WHERE below.agent_id = @agent_id AND below.path >= scope.path || '/' AND below.path < scope.path || '0'
    OFFSET 0) f
GROUP BY f.signature >> 56, f.present;

-- name: FilesWithoutSignature :many
SELECT agent_id, path, session, memory_id, status, present, fingerprint, hash, size, mtime_ns, modified_at, content_at,
       problem, signature, expected_hash, flaws, unfinished
FROM files
WHERE agent_id = @agent_id AND present AND signature IS NULL;

-- name: SignaturesInParts :many
SELECT f.signature::bigint
FROM unnest(@parts::bigint[]) AS asked (part)
JOIN files f ON f.agent_id = @agent_id AND f.signature >> 56 = asked.part
WHERE '.' = ANY(@paths::text[]) OR EXISTS (
    SELECT FROM unnest(@paths::text[]) AS scope (path)
    WHERE f.path = scope.path OR (f.path >= scope.path || '/' AND f.path < scope.path || '0'));

-- name: FilesWithSignatures :many
SELECT f.agent_id, f.path, f.session, f.memory_id, f.status, f.present, f.fingerprint, f.hash, f.size, f.mtime_ns,
       f.modified_at, f.content_at, f.problem, f.signature, f.expected_hash, f.flaws, f.unfinished
FROM unnest(@signatures::bigint[]) AS asked (signature)
JOIN files f ON f.agent_id = @agent_id AND f.signature = asked.signature;

-- name: FilesAt :many
-- Returns the agent's files at exactly the paths, also absent ones. The agent is joined to each
-- element. As a constant, it would make Postgres read all files of the agent.
SELECT f.agent_id, f.path, f.session, f.memory_id, f.status, f.present, f.fingerprint, f.hash, f.size, f.mtime_ns,
       f.modified_at, f.content_at, f.problem, f.signature, f.expected_hash, f.flaws, f.unfinished
FROM (SELECT DISTINCT @agent_id::bigint AS agent_id, path FROM unnest(@paths::text[]) AS path) asked
JOIN files f USING (agent_id, path);

-- name: SaveSignatures :exec
-- Saves the signatures of files that were read again and had not changed. Skips files that are
-- absent, blocked or to be removed.
UPDATE files SET signature = signed.signature
FROM (SELECT @agent_id::bigint AS agent_id, unnest(@paths::text[]) AS path, unnest(@signatures::bigint[]) AS signature) signed
WHERE files.agent_id = signed.agent_id AND files.path = signed.path AND files.present AND files.status IN ('mirrored', 'unreadable');

-- name: FilesOfMemories :many
-- Returns the present files of the memories, and absent files with a pending removal, sorted by
-- path. Each part has an index.
SELECT here.agent_id, here.path, here.session, here.memory_id, here.status, here.present, here.fingerprint, here.hash, here.size, here.mtime_ns,
       here.modified_at, here.content_at, here.problem, here.signature, here.expected_hash, here.flaws, here.unfinished
FROM files here
WHERE here.memory_id = ANY(@memory_ids::uuid[]) AND here.present
UNION ALL
SELECT gone.agent_id, gone.path, gone.session, gone.memory_id, gone.status, gone.present, gone.fingerprint, gone.hash, gone.size, gone.mtime_ns,
       gone.modified_at, gone.content_at, gone.problem, gone.signature, gone.expected_hash, gone.flaws, gone.unfinished
FROM files gone
WHERE gone.memory_id = ANY(@memory_ids::uuid[]) AND NOT gone.present AND gone.status = 'removing'
ORDER BY path;

-- name: FilesOfMemory :many
-- Returns all files of a memory, present and absent, sorted by path, because an index may still
-- list absent ones. Uses a cached plan.
SELECT here.agent_id, here.path, here.session, here.memory_id, here.status, here.present, here.fingerprint, here.hash, here.size, here.mtime_ns,
       here.modified_at, here.content_at, here.problem, here.signature, here.expected_hash, here.flaws, here.unfinished
FROM files here
WHERE here.memory_id = @memory_id::uuid AND here.present
UNION ALL
SELECT gone.agent_id, gone.path, gone.session, gone.memory_id, gone.status, gone.present, gone.fingerprint, gone.hash, gone.size, gone.mtime_ns,
       gone.modified_at, gone.content_at, gone.problem, gone.signature, gone.expected_hash, gone.flaws, gone.unfinished
FROM files gone
WHERE gone.memory_id = @memory_id::uuid AND NOT gone.present
ORDER BY path;

-- name: RemovedPaths :many
SELECT path FROM files WHERE memory_id = ANY(@memory_ids::uuid[]) AND NOT present ORDER BY path;

-- name: PrimaryFilesOf :many
-- Returns the memory's files outside of sessions, present ones first, then by path. Each part has
-- an index.
SELECT here.path, here.present, here.hash, here.status, here.unfinished FROM files here
WHERE here.agent_id = @agent_id AND here.memory_id = @memory_id::uuid AND here.session IS NULL AND here.present
UNION ALL
SELECT gone.path, gone.present, gone.hash, gone.status, gone.unfinished FROM files gone
WHERE gone.agent_id = @agent_id AND gone.memory_id = @memory_id::uuid AND gone.session IS NULL AND NOT gone.present
ORDER BY present DESC, path;

-- name: FilesToRemove :many
SELECT agent_id, path, session, memory_id, status, present, fingerprint, hash, size, mtime_ns, modified_at, content_at,
       problem, signature, expected_hash, flaws, unfinished
FROM files
WHERE agent_id = @agent_id AND status = 'removing'
ORDER BY path;

-- name: CountPrimaryMemories :one
-- Counts undeleted memories with a present file outside of sessions that is not to be removed.
-- Blocked and unreadable files count for their memory.
SELECT count(DISTINCT f.memory_id)
FROM files f
JOIN memories m ON m.id = f.memory_id
WHERE f.agent_id = @agent_id AND f.session IS NULL AND f.present AND f.status <> 'removing' AND m.state <> 'deleted';

-- name: SessionsOf :many
SELECT session, count(*) FILTER (WHERE present) AS files, count(*) AS ever, max(modified_at)::timestamptz AS modified_at
FROM files
WHERE agent_id = @agent_id AND session IS NOT NULL
GROUP BY session
HAVING sqlc.narg(after_at)::timestamptz IS NULL OR max(modified_at) < sqlc.narg(after_at)::timestamptz
    OR (max(modified_at) = sqlc.narg(after_at)::timestamptz AND session > @after_session::text)
ORDER BY max(modified_at) DESC, session
LIMIT @most;

-- name: CountFiles :one
-- Counts the present files of agents whose directories are present and their own, as AgentStats
-- does, and all memories that need attention.
SELECT (SELECT count(*) FROM files f JOIN agents a ON a.id = f.agent_id
        WHERE f.present AND a.present AND a.joined_to IS NULL)::bigint AS mirrored,
       (SELECT coalesce(sum(n), 0) FROM memory_tallies WHERE state = 'needs_attention')::bigint AS needs_attention;

-- name: CountFilesByAgent :many
-- Counts present files by agent. Agents without a directory, or whose directory is a link to
-- another agent's, are omitted.
SELECT f.agent_id, count(*) AS present FROM files f JOIN agents a ON a.id = f.agent_id
WHERE f.present AND a.present AND a.joined_to IS NULL
GROUP BY f.agent_id;

-- name: InsertFiles :copyfrom
INSERT INTO files (agent_id, path, session, memory_id, status, present, fingerprint, hash, size, mtime_ns,
    modified_at, content_at, problem, signature, flaws)
VALUES (@agent_id, @path, @session, @memory_id, @status, @present, @fingerprint, @hash, @size, @mtime_ns,
    @modified_at, @content_at, @problem, @signature, @flaws);

-- name: UpdateFiles :exec
-- Updates all columns of the files at the paths in one statement. A zero value stands for NULL.
-- Expected hashes are cleared.
UPDATE files f SET session = nullif(c.session, ''), memory_id = nullif(c.memory_id, '00000000-0000-0000-0000-000000000000'),
    status = c.status, present = c.present, fingerprint = c.fingerprint, hash = c.hash, size = c.size,
    mtime_ns = c.mtime_ns, modified_at = c.modified_at, content_at = c.content_at,
    problem = nullif(c.problem, ''), signature = nullif(c.signature, 0), expected_hash = NULL,
    flaws = nullif(c.flaws, ''), unfinished = nullif(c.unfinished, '')
FROM (SELECT @agent_id::bigint AS agent_id, unnest(@paths::text[]) AS path, unnest(@sessions::text[]) AS session,
             unnest(@memory_ids::uuid[]) AS memory_id,
             unnest(@statuses::text[]) AS status, unnest(@present::boolean[]) AS present,
             unnest(@fingerprints::bytea[]) AS fingerprint, unnest(@hashes::text[]) AS hash, unnest(@sizes::bigint[]) AS size,
             unnest(@mtimes_ns::bigint[]) AS mtime_ns, unnest(@signatures::bigint[]) AS signature,
             unnest(@modified_at::timestamptz[]) AS modified_at,
             unnest(@content_at::timestamptz[]) AS content_at, unnest(@problems::text[]) AS problem,
             unnest(@flaws::text[]) AS flaws, unnest(@unfinished::text[]) AS unfinished) c
WHERE f.agent_id = c.agent_id AND f.path = c.path;

-- name: MarkFileRemoved :exec
UPDATE files SET present = false, status = 'mirrored', problem = NULL, signature = NULL, flaws = NULL, unfinished = NULL WHERE agent_id = @agent_id AND path = @path;

-- name: MarkFilesRemoved :many
-- Returns for each file whether it was present before.
UPDATE files f SET present = false, status = 'mirrored', problem = NULL, flaws = NULL, unfinished = NULL
FROM (SELECT @agent_id::bigint AS agent_id, unnest(@paths::text[]) AS path) removed
JOIN files before ON before.agent_id = removed.agent_id AND before.path = removed.path
WHERE f.agent_id = removed.agent_id AND f.path = removed.path
RETURNING before.path, before.present;

-- name: MarkFileNotRemoved :exec
UPDATE files SET problem = @problem WHERE agent_id = @agent_id AND path = @path;

-- name: MarkFilesRemoving :exec
UPDATE files f SET status = 'removing', problem = NULL, signature = NULL
FROM (SELECT @agent_id::bigint AS agent_id, unnest(@paths::text[]) AS path) going
WHERE f.agent_id = going.agent_id AND f.path = going.path;

-- name: ExpectFile :exec
-- Registers a file before it is written. If the scan does not accept it, it is removed as after a
-- deletion. It belongs to no memory, so that a restore does not keep it.
INSERT INTO files (agent_id, path, status, present, fingerprint, hash, size, mtime_ns, modified_at, content_at)
VALUES (@agent_id, @path, 'removing', false, @fingerprint, @hash, 0, 0, @at, @at)
ON CONFLICT (agent_id, path) DO UPDATE SET status = 'removing', present = false, memory_id = NULL, hash = excluded.hash, signature = NULL, problem = NULL;

-- name: UnmarkFiles :exec
-- Cancels the pending removals of a memory and marks these files as absent. The next scan treats
-- existing ones as returned.
UPDATE files SET status = 'mirrored', present = false, signature = NULL, problem = NULL
WHERE agent_id = @agent_id AND memory_id = @memory_id::uuid AND status = 'removing';

-- name: InvalidateFile :exec
-- Makes the next scan read the file as changed.
UPDATE files SET hash = '', signature = NULL WHERE agent_id = @agent_id AND path = @path;

-- name: AcceptUnfinished :exec
-- Makes the next scan read the unfinished file and accept its flaws. Changes nothing if the file is
-- not unfinished.
UPDATE files SET flaws = unfinished, unfinished = NULL, hash = '', signature = NULL
WHERE agent_id = @agent_id AND path = @path AND unfinished IS NOT NULL;

-- name: LastGood :one
-- Returns the bytes of the recorded content of a memory's file, or NULL if they were not saved. For
-- an unfinished file, that is its last good content.
SELECT r.raw FROM files f JOIN revisions r ON r.memory_id = f.memory_id AND r.fingerprint = f.fingerprint
WHERE f.agent_id = @agent_id AND f.path = @path AND f.memory_id = @memory_id::uuid;

-- name: SetExpectedHash :exec
-- Saves the hash of bytes that are about to be written and do not make the content newer; NULL
-- cancels it.
UPDATE files SET expected_hash = @hash WHERE agent_id = @agent_id AND path = @path;

-- name: SetFileHash :exec
-- Saves the hash of written bytes, so that the next scan finds no change. Clears the expected hash
-- and the signature.
UPDATE files SET hash = @hash, expected_hash = NULL, signature = NULL WHERE agent_id = @agent_id AND path = @path;

-- name: UnsetPrimaryFiles :exec
-- Marks all files of the agent outside of sessions as absent. The next scan treats those that exist
-- as returned. It may find none of a memory's files, and then leaves the memory's row. So conflict
-- and problems are set here to those of the remaining files, which are all in sessions. Only primary
-- files have last good contents. The message of a duplicate_name begins with the path of a file.
WITH unset AS (
    UPDATE files own SET present = false, signature = NULL
    WHERE own.agent_id = @agent_id AND own.session IS NULL AND own.present AND own.status = 'mirrored'
    RETURNING own.memory_id
), remaining AS (
    SELECT m.id, CASE WHEN count(DISTINCT f.fingerprint) > 1 THEN 'session' END AS conflict,
           (SELECT coalesce(jsonb_agg(p.problem ORDER BY p.n), '[]')
            FROM jsonb_array_elements(m.problems) WITH ORDINALITY AS p(problem, n)
            WHERE p.problem->>'code' <> 'last_good'
              AND (p.problem->>'code' <> 'duplicate_name'
                OR EXISTS (SELECT FROM files s WHERE s.memory_id = m.id AND s.present AND s.session IS NOT NULL
                             AND starts_with(p.problem->>'message', s.path || ' and ')))) AS problems
    FROM memories m
    LEFT JOIN files f ON f.memory_id = m.id AND f.present AND f.status = 'mirrored' AND f.session IS NOT NULL
    WHERE m.id IN (SELECT memory_id FROM unset)
    GROUP BY m.id, m.problems
)
UPDATE memories m SET conflict = remaining.conflict, problems = remaining.problems FROM remaining
WHERE m.id = remaining.id AND (m.conflict IS DISTINCT FROM remaining.conflict OR m.problems <> remaining.problems);

-- name: FilesToIndex :many
-- Returns the files that MEMORY.md lists, sorted by path: present ones outside of sessions. Absent
-- files of missing memories are included, to distinguish them from unknown files.
SELECT f.path, f.present, m.id, m.name, m.type, m.description, m.quarantined
FROM files f
JOIN memories m ON m.id = f.memory_id
WHERE f.agent_id = @agent_id AND f.session IS NULL AND f.status = 'mirrored' AND m.state <> 'deleted'
  AND (f.present OR m.state = 'missing')
ORDER BY f.path;

-- name: FilesToIndexOf :many
-- Returns the files of the memories that MEMORY.md lists: present ones outside of sessions, sorted
-- by path. It omits memories with an unfinished restore, which puts back their own lines. OFFSET
-- makes Postgres use the indexes, instead of reading all files of the agent.
SELECT f.path, m.id, m.name, m.type, m.description, m.quarantined
FROM memories m
CROSS JOIN LATERAL (SELECT its.* FROM files its WHERE its.memory_id = m.id AND its.present OFFSET 0) f
WHERE m.id = ANY(@ids::uuid[]) AND f.agent_id = @agent_id::bigint AND m.state <> 'deleted' AND NOT m.restoring AND f.session IS NULL
  AND f.status = 'mirrored'
ORDER BY f.path;

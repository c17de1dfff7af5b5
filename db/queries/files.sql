-- name: Files :many
SELECT agent_id, path, session, memory_id, status, present, fingerprint, hash, size, mtime_ns, modified_at, content_at,
       problem, signature, promised, flaws, unfinished
FROM files
WHERE agent_id = @agent_id;

-- name: FilesUnder :many
-- The files at or below the given paths, none of which contains another. '0' is the byte after '/'. The two are looked for
-- apart, and OFFSET keeps Postgres to it: where one condition has both, it goes over all of the agent's files for each path.
SELECT f.agent_id, f.path, f.session, f.memory_id, f.status, f.present, f.fingerprint, f.hash, f.size, f.mtime_ns,
       f.modified_at, f.content_at, f.problem, f.signature, f.promised, f.flaws, f.unfinished
FROM unnest(@paths::text[]) AS scope (path)
CROSS JOIN LATERAL (
    SELECT itself.* FROM files itself WHERE itself.agent_id = @agent_id AND itself.path = scope.path
    UNION ALL
    SELECT below.* FROM files below
    WHERE below.agent_id = @agent_id AND below.path >= scope.path || '/' AND below.path < scope.path || '0'
    OFFSET 0) f;

-- name: SumSignatures :many
-- What an agent's rows come to, part by part; those without a signature are one more.
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
       problem, signature, promised, flaws, unfinished
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
       f.modified_at, f.content_at, f.problem, f.signature, f.promised, f.flaws, f.unfinished
FROM unnest(@signatures::bigint[]) AS asked (signature)
JOIN files f ON f.agent_id = @agent_id AND f.signature = asked.signature;

-- name: FilesAt :many
-- Here and wherever a list is asked for, the agent comes with each element of it: as a constant it would do for Postgres to go over all
-- of the agent's files, which it takes for few until it has counted them, and for ten elements later as well.
SELECT f.agent_id, f.path, f.session, f.memory_id, f.status, f.present, f.fingerprint, f.hash, f.size, f.mtime_ns,
       f.modified_at, f.content_at, f.problem, f.signature, f.promised, f.flaws, f.unfinished
FROM (SELECT DISTINCT @agent_id::bigint AS agent_id, path FROM unnest(@paths::text[]) AS path) asked
JOIN files f USING (agent_id, path);

-- name: SignFiles :exec
-- What was read too soon after a change has been read again, and was the same.
UPDATE files SET signature = signed.signature
FROM (SELECT @agent_id::bigint AS agent_id, unnest(@paths::text[]) AS path, unnest(@signatures::bigint[]) AS signature) signed
WHERE files.agent_id = signed.agent_id AND files.path = signed.path AND files.present AND files.status IN ('carries', 'unreadable');

-- name: FilesOfMemories :many
-- Those on disk, and those that are gone but of which a deletion has something left to do. The two have an index each.
SELECT here.agent_id, here.path, here.session, here.memory_id, here.status, here.present, here.fingerprint, here.hash, here.size, here.mtime_ns,
       here.modified_at, here.content_at, here.problem, here.signature, here.promised, here.flaws, here.unfinished
FROM files here
WHERE here.memory_id = ANY(@memory_ids::uuid[]) AND here.present
UNION ALL
SELECT gone.agent_id, gone.path, gone.session, gone.memory_id, gone.status, gone.present, gone.fingerprint, gone.hash, gone.size, gone.mtime_ns,
       gone.modified_at, gone.content_at, gone.problem, gone.signature, gone.promised, gone.flaws, gone.unfinished
FROM files gone
WHERE gone.memory_id = ANY(@memory_ids::uuid[]) AND NOT gone.present AND gone.status = 'removing'
ORDER BY path;

-- name: FilesOfMemory :many
-- Of one, Postgres keeps the plan. Those that are gone are among them: an index may still lead to them.
SELECT here.agent_id, here.path, here.session, here.memory_id, here.status, here.present, here.fingerprint, here.hash, here.size, here.mtime_ns,
       here.modified_at, here.content_at, here.problem, here.signature, here.promised, here.flaws, here.unfinished
FROM files here
WHERE here.memory_id = @memory_id::uuid AND here.present
UNION ALL
SELECT gone.agent_id, gone.path, gone.session, gone.memory_id, gone.status, gone.present, gone.fingerprint, gone.hash, gone.size, gone.mtime_ns,
       gone.modified_at, gone.content_at, gone.problem, gone.signature, gone.promised, gone.flaws, gone.unfinished
FROM files gone
WHERE gone.memory_id = @memory_id::uuid AND NOT gone.present
ORDER BY path;

-- name: GoneFilesOfMemories :many
SELECT path FROM files WHERE memory_id = ANY(@memory_ids::uuid[]) AND NOT present ORDER BY path;

-- name: DurableFilesOf :many
-- Every durable file that carries the memory or last did, the present ones first. Those on disk have one index, the others another.
SELECT here.path, here.present, here.hash, here.status, here.unfinished FROM files here
WHERE here.agent_id = @agent_id AND here.memory_id = @memory_id::uuid AND here.session IS NULL AND here.present
UNION ALL
SELECT gone.path, gone.present, gone.hash, gone.status, gone.unfinished FROM files gone
WHERE gone.agent_id = @agent_id AND gone.memory_id = @memory_id::uuid AND gone.session IS NULL AND NOT gone.present
ORDER BY present DESC, path;

-- name: FilesToRemove :many
SELECT agent_id, path, session, memory_id, status, present, fingerprint, hash, size, mtime_ns, modified_at, content_at,
       problem, signature, promised, flaws, unfinished
FROM files
WHERE agent_id = @agent_id AND status = 'removing'
ORDER BY path;

-- name: CountDurableMemories :one
-- A file that is kept out, or cannot be read any more, is one of the memory that it would carry, as long as that lives. One in the trash
-- is none of the directory's memories, whatever lies there.
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
-- Counts files of agents whose directory is there, as Figures does.
SELECT (SELECT count(*) FROM files f JOIN agents a ON a.id = f.agent_id
        WHERE f.present AND a.present AND a.joined_to IS NULL)::bigint AS mirrored,
       (SELECT coalesce(sum(n), 0) FROM memory_tallies WHERE state = 'needs_attention')::bigint AS needs_attention;

-- name: CountFilesByAgent :many
-- The files of an agent that is joined to another are that one's, and those of one whose directory is gone are not on disk.
SELECT f.agent_id, count(*) AS present FROM files f JOIN agents a ON a.id = f.agent_id
WHERE f.present AND a.present AND a.joined_to IS NULL
GROUP BY f.agent_id;

-- name: InsertFiles :copyfrom
INSERT INTO files (agent_id, path, session, memory_id, status, present, fingerprint, hash, size, mtime_ns,
    modified_at, content_at, problem, signature, flaws)
VALUES (@agent_id, @path, @session, @memory_id, @status, @present, @fingerprint, @hash, @size, @mtime_ns,
    @modified_at, @content_at, @problem, @signature, @flaws);

-- name: UpdateFiles :exec
-- All in one statement, so that those that are there are counted once. What is none is the zero value of its column here.
UPDATE files f SET session = nullif(c.session, ''), memory_id = nullif(c.memory_id, '00000000-0000-0000-0000-000000000000'),
    status = c.status, present = c.present, fingerprint = c.fingerprint, hash = c.hash, size = c.size,
    mtime_ns = c.mtime_ns, modified_at = c.modified_at, content_at = c.content_at,
    problem = nullif(c.problem, ''), signature = nullif(c.signature, 0), promised = NULL,
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
UPDATE files SET present = false, status = 'carries', problem = NULL, signature = NULL, flaws = NULL, unfinished = NULL WHERE agent_id = @agent_id AND path = @path;

-- name: MarkFilesRemoved :exec
UPDATE files f SET present = false, status = 'carries', problem = NULL, flaws = NULL, unfinished = NULL
FROM (SELECT @agent_id::bigint AS agent_id, unnest(@paths::text[]) AS path) removed
WHERE f.agent_id = removed.agent_id AND f.path = removed.path;

-- name: MarkFileNotRemoved :exec
UPDATE files SET problem = @problem WHERE agent_id = @agent_id AND path = @path;

-- name: MarkFilesRemoving :exec
UPDATE files f SET status = 'removing', problem = NULL, signature = NULL
FROM (SELECT @agent_id::bigint AS agent_id, unnest(@paths::text[]) AS path) going
WHERE f.agent_id = going.agent_id AND f.path = going.path;

-- name: PromiseFile :exec
-- A file that is about to be written. Like one that a deletion has left it goes again, unless it is taken in. It is no memory's,
-- whatever was there before: restoring that one must not keep it.
INSERT INTO files (agent_id, path, status, present, fingerprint, hash, size, mtime_ns, modified_at, content_at)
VALUES (@agent_id, @path, 'removing', false, @fingerprint, @hash, 0, 0, @at, @at)
ON CONFLICT (agent_id, path) DO UPDATE SET status = 'removing', present = false, memory_id = NULL, hash = excluded.hash, signature = NULL, problem = NULL;

-- name: LeaveFiles :exec
-- What a deletion has not removed yet is to stay: the next look finds it as if it had come back.
UPDATE files SET status = 'carries', present = false, signature = NULL, problem = NULL
WHERE agent_id = @agent_id AND memory_id = @memory_id::uuid AND status = 'removing';

-- name: ForgetContent :exec
-- The next look takes the file for changed, whatever its bytes are.
UPDATE files SET hash = '', signature = NULL WHERE agent_id = @agent_id AND path = @path;

-- name: TakeAsIs :exec
-- The next look takes the unfinished file for changed, with flaws that do not make it unfinished.
UPDATE files SET flaws = unfinished, unfinished = NULL, hash = '', signature = NULL
WHERE agent_id = @agent_id AND path = @path AND unfinished IS NOT NULL;

-- name: LastGood :one
-- The bytes of the content that a file has on record. Those of an unfinished file are of its last good content.
SELECT r.raw FROM files f JOIN revisions r ON r.memory_id = f.memory_id AND r.fingerprint = f.fingerprint
WHERE f.agent_id = @agent_id AND f.path = @path AND f.memory_id = @memory_id::uuid;

-- name: PromiseBytes :exec
-- A file is about to get other bytes, which make its content no newer.
UPDATE files SET promised = @hash WHERE agent_id = @agent_id AND path = @path;

-- name: RecordBytes :exec
-- The file has those bytes now: the next look finds nothing new in it.
UPDATE files SET hash = @hash, promised = NULL, signature = NULL WHERE agent_id = @agent_id AND path = @path;

-- name: LeaveDurableFiles :exec
-- Whether the durable files are still there is no longer known: the next look finds those that are as if they had come back.
UPDATE files SET present = false, signature = NULL
WHERE agent_id = @agent_id AND session IS NULL AND present AND status = 'carries';

-- name: FilesToIndex :many
-- The durable files that a MEMORY.md is to list, with what they say: files of one memory have its name and its newest
-- description. Those of missing memories are among them, to be told from files that nobody knows.
SELECT f.path, f.present, m.id, m.name, m.type, m.description
FROM files f
JOIN memories m ON m.id = f.memory_id
WHERE f.agent_id = @agent_id AND f.session IS NULL AND f.status = 'carries' AND m.state <> 'deleted'
  AND (f.present OR m.state = 'missing')
ORDER BY f.path;

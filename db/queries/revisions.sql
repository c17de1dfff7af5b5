-- name: InsertRevisions :copyfrom
INSERT INTO revisions (id, memory_id, fingerprint, hash, type, description, body, raw, path, session, seen_at)
VALUES (@id, @memory_id, @fingerprint, @hash, @type, @description, @body, @raw, @path, @session, @seen_at);

-- name: RevisionsByContent :many
-- Returns the revisions of those contents that their memories have had before.
SELECT id, memory_id, fingerprint FROM revisions
WHERE (memory_id, fingerprint) IN (SELECT unnest(@memory_ids::uuid[]), unnest(@fingerprints::bytea[]));

-- name: RawsByContent :many
-- Returns the bytes of each content. Contents without saved bytes have no row.
SELECT r.memory_id, r.fingerprint, r.raw
FROM (SELECT DISTINCT unnest(@memory_ids::uuid[]) AS memory_id, unnest(@fingerprints::bytea[]) AS fingerprint) asked
JOIN revisions r USING (memory_id, fingerprint)
WHERE r.raw IS NOT NULL;

-- name: SaveRevision :batchexec
-- Inserts a content of a memory. A known content keeps its revision; its hash, bytes, path, session
-- and time change only if it is current again.
INSERT INTO revisions AS known (id, memory_id, fingerprint, hash, type, description, body, raw, path, session, seen_at)
VALUES (@id, @memory_id, @fingerprint, @hash, @type, @description, @body, @raw, @path, @session, @seen_at)
ON CONFLICT (memory_id, fingerprint) DO UPDATE SET
    hash = CASE WHEN @current::boolean THEN excluded.hash ELSE known.hash END,
    raw = CASE WHEN @current::boolean THEN excluded.raw ELSE known.raw END,
    path = CASE WHEN @current::boolean THEN excluded.path ELSE known.path END,
    session = CASE WHEN @current::boolean THEN excluded.session ELSE known.session END,
    seen_at = CASE WHEN @current::boolean THEN excluded.seen_at ELSE known.seen_at END;

-- name: Revisions :many
-- Returns a page of a memory's contents, newest first, from the one with a fingerprint or hash on;
-- with the number of the rest and of all. Returns no row if that one is unknown.
SELECT r.fingerprint, r.hash, r.type, r.description, r.body, r.path, r.session, r.seen_at,
       count(*) OVER () AS rest,
       (SELECT count(*) FROM revisions a WHERE a.memory_id = @memory_id) AS total
FROM revisions r
WHERE r.memory_id = @memory_id
  AND (sqlc.narg(from_id)::text IS NULL OR (r.seen_at, r.sequence) <= (
      SELECT f.seen_at, f.sequence FROM revisions f
      WHERE f.memory_id = @memory_id AND (encode(f.fingerprint, 'hex') = sqlc.narg(from_id) OR f.hash = sqlc.narg(from_id))
      ORDER BY f.seen_at DESC, f.sequence DESC LIMIT 1))
ORDER BY r.seen_at DESC, r.sequence DESC
LIMIT @most;

-- name: RawOfHash :one
SELECT raw FROM revisions WHERE memory_id = @memory_id AND hash = @hash AND raw IS NOT NULL LIMIT 1;

-- name: CurrentRaw :one
SELECT r.raw FROM memories m JOIN revisions r ON r.id = m.revision_id WHERE m.id = @memory_id;

-- name: KeepRaw :exec
UPDATE revisions SET raw = @raw, hash = @hash WHERE id = @id;

-- name: Bodies :many
SELECT id, body FROM revisions WHERE id = ANY(@ids::uuid[]);

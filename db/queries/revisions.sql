-- name: InsertRevisions :copyfrom
INSERT INTO revisions (id, memory_id, fingerprint, hash, type, description, body, raw, path, session, seen_at)
VALUES (@id, @memory_id, @fingerprint, @hash, @type, @description, @body, @raw, @path, @session, @seen_at);

-- name: SaveRevision :batchone
-- A content that the memory has had before is the same revision. It is seen once more when it is current again.
INSERT INTO revisions AS known (id, memory_id, fingerprint, hash, type, description, body, raw, path, session, seen_at)
VALUES (@id, @memory_id, @fingerprint, @hash, @type, @description, @body, @raw, @path, @session, @seen_at)
ON CONFLICT (memory_id, fingerprint) DO UPDATE SET
    hash = CASE WHEN @current::boolean THEN excluded.hash ELSE known.hash END,
    raw = CASE WHEN @current::boolean THEN excluded.raw ELSE known.raw END,
    path = CASE WHEN @current::boolean THEN excluded.path ELSE known.path END,
    session = CASE WHEN @current::boolean THEN excluded.session ELSE known.session END,
    seen_at = CASE WHEN @current::boolean THEN excluded.seen_at ELSE known.seen_at END
RETURNING id;

-- name: Revisions :many
SELECT hash, type, description, body, raw, path, session, seen_at
FROM revisions
WHERE memory_id = @memory_id
ORDER BY seen_at DESC, seen_order DESC;

-- name: CurrentRaw :one
SELECT r.raw FROM memories m JOIN revisions r ON r.id = m.revision_id WHERE m.id = @memory_id;

-- name: KeepRaw :exec
UPDATE revisions SET raw = @raw, hash = @hash WHERE id = @id;

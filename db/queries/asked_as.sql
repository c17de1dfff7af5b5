-- name: AskedAs :one
-- Returns the phrases of a memory. stale reports whether its content has changed since.
SELECT p.phrases, p.written_by, p.written_at, (p.fingerprint <> m.fingerprint)::boolean AS stale
FROM asked_as p JOIN memories m ON m.id = p.memory_id
WHERE p.memory_id = @memory_id;

-- name: AskedAsToChange :one
-- Returns a memory's content with its phrases, whose row it locks until the transaction ends.
SELECT m.agent_id, m.fingerprint, coalesce(p.phrases, '{}')::text[] AS phrases, coalesce(p.written_by, '')::text AS written_by
FROM memories m LEFT JOIN (SELECT * FROM asked_as a WHERE a.memory_id = @memory_id FOR UPDATE) p ON p.memory_id = m.id
WHERE m.id = @memory_id;

-- name: SaveAskedAs :execrows
-- Saves the phrases of a memory if it has the content. Those of the model replace only its own and
-- an agent's for another content.
INSERT INTO asked_as AS p (memory_id, fingerprint, phrases, written_by, written_at, words)
SELECT m.id, m.fingerprint, @phrases::text[], @written_by, @written_at, CAST(@words::text AS tsvector)
FROM memories m WHERE m.id = @memory_id AND m.fingerprint = @fingerprint
ON CONFLICT (memory_id) DO UPDATE SET fingerprint = excluded.fingerprint, phrases = excluded.phrases, written_by = excluded.written_by,
    written_at = excluded.written_at, words = excluded.words
WHERE excluded.written_by <> 'model' OR p.written_by <> 'person' AND p.fingerprint <> excluded.fingerprint;

-- name: TextsToAsk :many
-- Returns memories of the agent for which the model is to write phrases, the newest first. Their
-- content has none yet, and those in use are not a person's.
SELECT m.id, m.name, m.type, m.fingerprint, r.description, r.body
FROM memories m JOIN revisions r ON r.id = m.revision_id LEFT JOIN asked_as p ON p.memory_id = m.id
WHERE m.agent_id = @agent_id AND m.readable AND m.state <> 'deleted' AND NOT m.quarantined
  AND (p.memory_id IS NULL OR p.fingerprint <> m.fingerprint AND p.written_by <> 'person')
ORDER BY m.modified_at DESC, m.id DESC LIMIT @most::integer;

-- name: PhrasesOfTexts :many
-- Returns the newest phrases of other memories with the same name and content, of any agent, by the
-- memory that lacks them.
SELECT DISTINCT ON (t.id) t.id::uuid AS id, p.phrases
FROM (SELECT unnest(@ids::uuid[]) AS id, unnest(@names::text[]) AS name, unnest(@fingerprints::bytea[]) AS fingerprint) t
JOIN asked_as p ON p.fingerprint = t.fingerprint
JOIN memories m ON m.id = p.memory_id AND m.name = t.name
WHERE p.memory_id <> t.id AND (p.written_by = 'model' OR p.phrases <> '{}')
ORDER BY t.id, p.written_at DESC;

-- name: AgentsToAsk :many
-- Returns those of the slugs, or without any of all, whose agents are present and have memories as in
-- TextsToAsk.
SELECT a.slug
FROM agents a
WHERE (@slugs::text[] = '{}' OR a.slug = ANY(@slugs)) AND a.present AND a.joined_to IS NULL AND NOT a.memory_off AND EXISTS (
    SELECT FROM memories m LEFT JOIN asked_as p ON p.memory_id = m.id
    WHERE m.agent_id = a.id AND m.readable AND m.state <> 'deleted' AND NOT m.quarantined
      AND (p.memory_id IS NULL OR p.fingerprint <> m.fingerprint AND p.written_by <> 'person'))
ORDER BY a.slug;

-- name: UnindexedAskedAs :many
SELECT p.memory_id, m.agent_id, p.phrases
FROM asked_as p JOIN memories m ON m.id = p.memory_id
WHERE p.words IS NULL ORDER BY p.memory_id LIMIT @most::integer;

-- name: IndexAskedAs :exec
UPDATE asked_as p SET words = CAST(@words::text AS tsvector) WHERE p.memory_id = @memory_id AND p.phrases = @phrases::text[];

-- name: DeleteAskedAsWith :exec
-- Deletes the phrases of a memory if one has any of the values.
DELETE FROM asked_as p
WHERE p.memory_id = @memory_id AND EXISTS (SELECT FROM unnest(p.phrases) f, unnest(@removed::text[]) v WHERE strpos(f, v) > 0);

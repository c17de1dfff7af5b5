-- name: UseEmbeddingModel :one
-- Inserts a model, or records that a known one is used. Returns the probe that was saved first.
INSERT INTO embedding_models (name, text_version, probe, used_at) VALUES (@name, @text_version, @probe, @used_at)
ON CONFLICT (name, text_version) DO UPDATE SET used_at = excluded.used_at
RETURNING id, probe;

-- name: DeleteEmbeddingModel :exec
DELETE FROM embedding_models WHERE id = @id;

-- name: DeleteOldEmbeddingModels :exec
DELETE FROM embedding_models WHERE used_at < @before;

-- name: ShareEmbeddingModel :one
-- Keeps unused vectors of the model from being deleted until the transaction ends.
SELECT octet_length(probe)::integer AS dimensions FROM embedding_models WHERE id = @id FOR SHARE;

-- name: LockEmbeddingModels :exec
SELECT FROM embedding_models ORDER BY id FOR UPDATE;

-- name: DeleteQuarantinedEmbeddings :exec
DELETE FROM memory_embeddings e USING memories m WHERE m.id = e.memory_id AND m.quarantined;

-- name: DeleteUnusedEmbeddings :exec
-- Deletes the vectors of texts that no memory has any longer.
DELETE FROM embeddings e WHERE NOT EXISTS (SELECT FROM memory_embeddings m WHERE m.embedding_id = e.id);

-- name: Unembedded :many
-- Returns readable undeleted memories of the agent, except quarantined ones, whose content or name
-- was not embedded by the model, in the order of ids.
SELECT m.id, m.revision_id, m.name, r.description, left(r.body, @most_characters::integer) AS body
FROM memories m JOIN revisions r ON r.id = m.revision_id
WHERE m.agent_id = @agent_id AND m.readable AND m.state <> 'deleted' AND NOT m.quarantined AND m.id > @after::uuid
  AND NOT EXISTS (SELECT FROM memory_embeddings e
                  WHERE e.memory_id = m.id AND e.model_id = @model_id AND e.revision_id = m.revision_id AND e.name = m.name)
ORDER BY m.id LIMIT @most::integer;

-- name: EmbeddedTexts :many
-- Returns those of the hashes whose texts have vectors.
SELECT text_hash FROM embeddings WHERE model_id = @model_id AND text_hash = ANY(@hashes::bytea[]);

-- name: SaveEmbeddings :exec
INSERT INTO embeddings (model_id, text_hash, vector)
SELECT @model_id, i.hash, i.vector
FROM (SELECT unnest(@hashes::bytea[]) AS hash, unnest(@vectors::bytea[]) AS vector) i
ORDER BY i.hash
ON CONFLICT (model_id, text_hash) DO NOTHING;

-- name: DeleteMemoryEmbeddings :exec
DELETE FROM memory_embeddings WHERE model_id = @model_id AND memory_id = ANY(@memory_ids::uuid[]);

-- name: SaveMemoryEmbeddings :exec
-- Saves the texts of memories that still exist. An empty hash means that the text was not sent. Rows
-- of texts without a vector are left out.
INSERT INTO memory_embeddings (memory_id, model_id, position, revision_id, name, embedding_id)
SELECT i.memory_id, @model_id, i.position, i.revision_id, i.name, e.id
FROM (SELECT unnest(@memory_ids::uuid[]) AS memory_id, unnest(@positions::integer[]) AS position, unnest(@revision_ids::uuid[]) AS revision_id,
             unnest(@names::text[]) AS name, unnest(@hashes::bytea[]) AS hash) i
JOIN memories m ON m.id = i.memory_id
LEFT JOIN embeddings e ON e.model_id = @model_id AND e.text_hash = i.hash
WHERE i.hash = '' OR e.id IS NOT NULL;

-- name: RaiseEmbeddingVersion :exec
INSERT INTO embedding_versions AS v (agent_id, version) VALUES (@agent_id, 1)
ON CONFLICT (agent_id) DO UPDATE SET version = v.version + 1;

-- name: EmbeddingVersions :many
-- Returns the versions of the agents' memories and of their vectors.
SELECT a.id, a.memories_version, coalesce(v.version, 0)::bigint AS version
FROM agents a LEFT JOIN embedding_versions v ON v.agent_id = a.id
WHERE a.id = ANY(@agent_ids::bigint[]);

-- name: CountEmbedded :one
-- Counts the agent's memories that may be embedded; those that the model has embedded; and those that
-- were not sent.
SELECT count(*) AS memories, count(*) FILTER (WHERE e.embedding_id IS NOT NULL) AS embedded,
    count(*) FILTER (WHERE e.memory_id IS NOT NULL AND e.embedding_id IS NULL) AS withheld
FROM memories m
LEFT JOIN memory_embeddings e ON e.memory_id = m.id AND e.model_id = @model_id AND e.position = 0 AND e.revision_id = m.revision_id AND e.name = m.name
WHERE m.agent_id = @agent_id AND m.readable AND m.state <> 'deleted' AND NOT m.quarantined;

-- name: AddEmbeddingTokens :exec
INSERT INTO embedding_tokens AS t (day, tokens) VALUES (@day, @tokens)
ON CONFLICT (day) DO UPDATE SET tokens = t.tokens + excluded.tokens;

-- name: EmbeddingTokens :one
SELECT coalesce(sum(tokens), 0)::bigint AS tokens FROM embedding_tokens WHERE day = @day;

-- name: DeleteOldEmbeddingTokens :exec
DELETE FROM embedding_tokens WHERE day < @before;

-- name: DeleteEmbeddingsOf :exec
-- Deletes the vectors of texts that only these memories have, when they are purged.
DELETE FROM embeddings e USING memory_embeddings t
WHERE t.embedding_id = e.id AND t.memory_id = ANY(@memory_ids::uuid[])
  AND NOT EXISTS (SELECT FROM memory_embeddings o WHERE o.embedding_id = e.id AND NOT o.memory_id = ANY(@memory_ids::uuid[]));

-- name: MemoriesToIndex :many
-- Contents that the search index does not hold yet, in the order of their ids: each part goes on where the one before
-- has ended, and never over what is done.
SELECT m.id, m.revision_id, m.name, r.description, r.body
FROM memories m
JOIN revisions r ON r.id = m.revision_id
LEFT JOIN memory_search s ON s.memory_id = m.id
WHERE m.id > @after AND s.revision_id IS DISTINCT FROM m.revision_id
ORDER BY m.id
LIMIT @most::integer;

-- name: SaveWords :exec
INSERT INTO memory_search (memory_id, revision_id, words)
SELECT i.memory_id, i.revision_id, i.words::tsvector
FROM (SELECT unnest(@memory_ids::uuid[]) AS memory_id, unnest(@revision_ids::uuid[]) AS revision_id, unnest(@words::text[]) AS words) i
WHERE EXISTS (SELECT FROM memories m WHERE m.id = i.memory_id)
ON CONFLICT (memory_id) DO UPDATE SET revision_id = excluded.revision_id, words = excluded.words;

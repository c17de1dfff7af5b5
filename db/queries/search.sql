-- name: MemoriesToIndex :many
-- Contents that the search index does not hold yet, from one memory on in the order of their ids: each part goes on with
-- the last of the one before, and never over what is done. Which they are is found first, and then what they say.
SELECT m.id, m.agent_id, m.revision_id, m.name, r.description, r.body
FROM (
    SELECT m.id, m.agent_id, m.revision_id, m.name
    FROM memories m
    LEFT JOIN memory_search s ON s.memory_id = m.id AND s.memory_id >= @first
    WHERE m.id >= @first AND s.revision_id IS DISTINCT FROM m.revision_id
    ORDER BY m.id
    LIMIT @most::integer
) m
JOIN revisions r ON r.id = m.revision_id
ORDER BY m.id;

-- name: SaveWords :exec
INSERT INTO memory_search (memory_id, revision_id, words)
SELECT i.memory_id, i.revision_id, i.words::tsvector
FROM (SELECT unnest(@memory_ids::uuid[]) AS memory_id, unnest(@revision_ids::uuid[]) AS revision_id, unnest(@words::text[]) AS words) i
WHERE EXISTS (SELECT FROM memories m WHERE m.id = i.memory_id)
ON CONFLICT (memory_id) DO UPDATE SET revision_id = excluded.revision_id, words = excluded.words;

-- name: OrderSearchIndex :exec
-- What was added lately waits in a list of up to 4 MB, all of which each search goes through for each of its words, until the table is
-- vacuumed: after a large fill that takes longer than to find the word.
SELECT gin_clean_pending_list('memory_search_by_word');

-- name: OrderNearMisses :exec
-- The same for the words that are looked through for ones that look alike.
SELECT gin_clean_pending_list('search_words_by_trigram');

-- name: AddWords :exec
INSERT INTO search_words (word) SELECT unnest(@words::text[]) ON CONFLICT DO NOTHING;

-- name: TextsOf :many
-- Every content of the memories, or of all of an agent's, its indexes' facts among them, to forget the words that went with them.
SELECT m.name, r.description, r.body
FROM memories m JOIN revisions r ON r.memory_id = m.id
WHERE m.id = ANY(@ids::uuid[]) OR m.agent_id = sqlc.narg(agent_id)
UNION ALL
SELECT '', f.heading, f.body FROM index_facts f WHERE f.agent_id = sqlc.narg(agent_id);

-- name: ForgetWords :exec
DELETE FROM search_words w
WHERE w.word = ANY(@words::text[])
  AND NOT EXISTS (SELECT FROM memory_search s WHERE s.words @@ ('''' || w.word || '''')::tsquery)
  AND NOT EXISTS (SELECT FROM index_facts f WHERE f.words @@ ('''' || w.word || '''')::tsquery);

-- name: SimilarWords :many
-- Words that look alike, the most alike first; which of them come close is decided by the caller. % is the extension's
-- own operator and goes by pg_trgm.similarity_threshold.
SELECT typed.word::text AS typed, alike.word::text AS word
FROM unnest(@typed::text[]) AS typed (word)
CROSS JOIN LATERAL (
    SELECT w.word FROM search_words w WHERE w.word % typed.word ORDER BY similarity(w.word, typed.word) DESC, w.word LIMIT 60
) alike;

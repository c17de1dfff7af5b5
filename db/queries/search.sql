-- name: MemoriesToIndex :many
-- Returns the contents that the search index lacks, from a memory id on, in the order of ids. The
-- ids are found before the texts are read.
SELECT m.id, m.agent_id, m.revision_id, m.name, m.quarantined, r.description, r.body
FROM (
    SELECT m.id, m.agent_id, m.revision_id, m.name, m.quarantined
    FROM memories m
    LEFT JOIN memory_search s ON s.memory_id = m.id AND s.memory_id >= @first
    WHERE m.id >= @first AND s.revision_id IS DISTINCT FROM m.revision_id
    ORDER BY m.id
    LIMIT @most::integer
) m
JOIN revisions r ON r.id = m.revision_id
ORDER BY m.id;

-- name: SaveSearchVectors :exec
INSERT INTO memory_search (memory_id, revision_id, words)
SELECT i.memory_id, i.revision_id, i.words::tsvector
FROM (SELECT unnest(@memory_ids::uuid[]) AS memory_id, unnest(@revision_ids::uuid[]) AS revision_id, unnest(@words::text[]) AS words) i
WHERE EXISTS (SELECT FROM memories m WHERE m.id = i.memory_id)
ON CONFLICT (memory_id) DO UPDATE SET revision_id = excluded.revision_id, words = excluded.words;

-- name: CleanPendingList :exec
-- Empties the pending list of the search index. Each search reads all of it, up to 4 MB, until the
-- next vacuum.
SELECT gin_clean_pending_list('memory_search_words_idx');

-- name: CleanWordsPendingList :exec
-- Empties the pending list of the index for fuzzy search. Each search reads all of it, up to 4 MB,
-- until the next vacuum.
SELECT gin_clean_pending_list('search_words_word_idx');

-- name: AddWords :exec
INSERT INTO search_words (word) SELECT unnest(@words::text[]) ON CONFLICT DO NOTHING;

-- name: TextsOf :many
-- Returns all contents of the memories, or of all memories and facts of an agent, to delete their
-- words.
SELECT m.name, r.description, r.body
FROM memories m JOIN revisions r ON r.memory_id = m.id
WHERE m.id = ANY(@ids::uuid[]) OR m.agent_id = sqlc.narg(agent_id)
UNION ALL
SELECT '', f.heading, f.body FROM index_facts f WHERE f.agent_id = sqlc.narg(agent_id)
UNION ALL
SELECT '', '', array_to_string(p.phrases, E'\n') FROM asked_as p JOIN memories m ON m.id = p.memory_id
WHERE m.id = ANY(@ids::uuid[]) OR m.agent_id = sqlc.narg(agent_id);

-- name: DeleteUnusedWords :exec
DELETE FROM search_words w
WHERE w.word = ANY(@words::text[])
  AND NOT EXISTS (SELECT FROM memory_search s WHERE s.words @@ ('''' || w.word || '''')::tsquery)
  AND NOT EXISTS (SELECT FROM index_facts f WHERE f.words @@ ('''' || w.word || '''')::tsquery)
  AND NOT EXISTS (SELECT FROM asked_as p WHERE p.words @@ ('''' || w.word || '''')::tsquery);

-- name: SlipsOf :many
-- Returns those of the words that memories have, with the typed words at the same places.
SELECT DISTINCT typed.word::text AS typed, w.word::text AS word
FROM (SELECT unnest(@typed::text[]) AS word, unnest(@words::text[]) AS slip) typed
JOIN search_words w ON w.word = typed.slip;

-- name: SimilarWords :many
-- Returns for each typed word at most 60 similar words, the most similar first. % is an operator of
-- pg_trgm and uses pg_trgm.similarity_threshold.
SELECT typed.word::text AS typed, alike.word::text AS word
FROM unnest(@typed::text[]) AS typed (word)
CROSS JOIN LATERAL (
    SELECT w.word FROM search_words w WHERE w.word % typed.word ORDER BY similarity(w.word, typed.word) DESC, w.word LIMIT 60
) alike;

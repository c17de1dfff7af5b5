-- name: Carried :many
-- Returns for each agent the size of the MEMORY.md that it loads, and the median size of what recalls
-- have delivered to a conversation, over the last recalls since a time. A recall without a session is
-- a conversation.
SELECT a.id::bigint AS agent_id, coalesce(l.chars, 0)::integer AS index_chars, coalesce(c.median, 0)::bigint AS recalled_bytes,
       c.conversations::bigint AS conversations
FROM unnest(@agent_ids::bigint[]) AS a (id)
LEFT JOIN loaded_indexes l ON l.agent_id = a.id
CROSS JOIN LATERAL (
    SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY s.bytes) AS median, count(*) AS conversations
    FROM (
        SELECT coalesce(sum(i.bytes), 0) AS bytes
        FROM (
            SELECT l.id, l.session FROM recalls l
            WHERE l.agent_id = a.id AND l.at >= @since
            ORDER BY l.at DESC, l.id DESC LIMIT @most::integer
        ) r LEFT JOIN recall_items i ON i.recall_id = r.id
        GROUP BY coalesce(r.session, r.id::text)
    ) s
) c;

-- name: MemoriesAtPaths :many
-- Returns the memories whose files are at the paths, on disk now.
SELECT f.path, f.memory_id::uuid AS memory_id FROM files f
WHERE f.agent_id = @agent_id AND f.path = ANY(@paths::text[]) AND f.present AND f.memory_id IS NOT NULL;

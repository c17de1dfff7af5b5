-- name: ChangesByAgent :many
-- Counts by agent the memories that were learned, changed and deleted in a time, by the primary key
-- of the journal. A file that got another name counts for none. Agents without a change have no row.
SELECT g.id AS agent_id, c.learned, c.changed, c.deleted
FROM agents g
CROSS JOIN LATERAL (
    SELECT count(DISTINCT a.memory_id) FILTER (WHERE a.kind = 'learned') AS learned,
           count(DISTINCT a.memory_id) FILTER (WHERE a.kind = 'changed') AS changed,
           count(DISTINCT a.memory_id) FILTER (WHERE a.kind = 'deleted') AS deleted
    FROM activity a
    WHERE a.agent_id = g.id AND a.at >= @since AND a.at <= @until AND a.kind IN ('learned', 'changed', 'deleted') AND a.other_name IS NULL
) c
WHERE g.joined_to IS NULL AND c.learned + c.changed + c.deleted > 0;

-- name: News :many
-- Returns what agents have learned or changed in a time and still know, newest first. Memories in
-- quarantine are left out.
SELECT g.slug, m.id, m.name, m.type, m.description, x.at::timestamptz AS at
FROM agents g
CROSS JOIN LATERAL (
    SELECT a.memory_id, max(a.at) AS at
    FROM activity a
    WHERE a.agent_id = g.id AND a.at >= @since AND a.at <= @until AND a.kind IN ('learned', 'changed')
    GROUP BY a.memory_id
    ORDER BY 2 DESC
    LIMIT @most::integer
) x
JOIN memories m ON m.id = x.memory_id
WHERE g.joined_to IS NULL AND m.state IN ('active', 'missing') AND m.readable AND NOT m.quarantined
ORDER BY x.at DESC, m.id
LIMIT @most::integer;

-- name: GrowthOfAll :many
-- Returns by how many memories all agents together have grown on each day after a day.
SELECT g.day, sum(g.delta)::integer AS delta
FROM memory_growth g JOIN agents a ON a.id = g.agent_id
WHERE g.day > @since::date AND a.joined_to IS NULL
GROUP BY g.day
ORDER BY g.day;

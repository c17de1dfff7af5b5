-- name: FindMemories :many
-- Returns the memories whose search text matches, also deleted ones. Each phrase must be in the text.
SELECT s.memory_id FROM memory_search s
WHERE s.words @@ sqlc.arg(match)::text::tsquery AND NOT EXISTS (
    SELECT FROM unnest(@phrases::text[]) phrase
    JOIN memories m ON m.id = s.memory_id JOIN revisions r ON r.id = m.revision_id
    WHERE position(phrase IN normalize(m.name || E'\n' || r.description || E'\n' || r.body, NFKC)) = 0);

-- name: ListMemories :many
-- Returns rows of the Memory tab. part is the group: 1 to 4 are the types, 5 is what needs attention,
-- and 6 is a list without groups. place counts the rows of a part from 1. A part shows the places
-- from lowest[part] to highest[part]. If the anchor is beyond, or is_page is set, its part shows the
-- places from before to after, counted from the anchor's, instead. An anchor that the filter leaves
-- out has the place of the row before it.
WITH parted AS (
    SELECT m.id, m.state, m.type, m.team, m.readable, m.name, m.session, m.claude_md_chars, m.modified_at, m.created_at, m.updated_at, m.deleted_at,
        CASE WHEN m.state = 'needs_attention' THEN 5
            ELSE coalesce(array_position('{feedback,user,project,reference}'::text[], m.type), 5) END::integer AS kind
    FROM memories m WHERE m.agent_id = @agent_id
), found AS (
    SELECT m.id, m.name, m.updated_at, CASE WHEN @grouped::boolean THEN m.kind ELSE 6 END::integer AS part,
        CASE WHEN @sort::text = 'name' THEN lower(m.name) END AS by_name,
        CASE WHEN @sort = 'cost' THEN m.claude_md_chars END AS by_cost,
        CASE WHEN @sort = 'oldest' THEN coalesce(m.deleted_at, m.modified_at) END AS by_age,
        coalesce(m.deleted_at, m.modified_at) AS newest,
        ((m.state = 'deleted') = (@view::text = 'trash')
            AND (@kind::integer = 0 OR m.kind = @kind)
            AND (@state::text = '' OR m.state = @state)
            AND (@view <> 'team' OR m.team)
            AND (@view <> 'new' OR m.modified_at >= @new_since::timestamptz OR m.created_at >= @found_since::timestamptz)
            AND (@view <> 'unchecked' OR m.readable AND m.modified_at >= @known_since::timestamptz AND m.kind < 5
                AND m.modified_at <= (@unchecked_since::timestamptz[])[m.kind])
            AND (@view <> 'never-recalled' OR m.readable AND m.modified_at <= @recalled_since::timestamptz
                AND m.id NOT IN (SELECT i.memory_id FROM recall_items i WHERE i.agent_id = @agent_id))
            AND (@session::text = '' OR coalesce(m.session = @session, false) OR m.id IN (SELECT f.memory_id FROM files f
                WHERE f.agent_id = @agent_id AND f.session = @session AND f.memory_id IS NOT NULL AND f.present AND f.status IN ('mirrored', 'removing')))
            AND (NOT @searched::boolean OR m.id IN (SELECT unnest(@ids::uuid[])))) AS hit
    FROM parted m
), placed AS MATERIALIZED (
    SELECT f.id, f.part, f.hit, f.updated_at,
        (count(*) FILTER (WHERE f.hit) OVER (PARTITION BY f.part
            ORDER BY f.by_name, f.by_cost DESC, f.by_age, f.newest DESC, f.name, f.id ROWS UNBOUNDED PRECEDING))::integer AS place
    FROM found f WHERE f.hit OR f.id = @anchor::uuid
), totals AS MATERIALIZED (
    SELECT p.part, count(*)::integer AS total, max(p.updated_at) AS changed_at FROM placed p WHERE p.hit GROUP BY p.part
), anchors AS (
    SELECT p.part, p.place FROM placed p
    WHERE p.id = @anchor AND (@is_page::boolean OR p.hit AND p.place > (@highest::integer[])[p.part])
), shown AS (
    SELECT p.id, p.part, p.place, t.total FROM totals t JOIN placed p ON p.part = t.part
    WHERE p.hit AND CASE
        -- As subqueries of one row, which are read once: a join reads all rows again for each one, if
        -- the planner expects few.
        WHEN p.part = (SELECT a.part FROM anchors a)
            THEN p.place - (SELECT a.place FROM anchors a) BETWEEN @before::integer AND @after::integer
        ELSE p.place BETWEEN least((@lowest::integer[])[p.part], greatest(t.total - 24, 1)) AND (@highest)[p.part] END
)
SELECT sqlc.embed(m), s.part, s.place, s.total, (SELECT max(t.changed_at) FROM totals t)::timestamptz AS changed_at,
    ARRAY(SELECT i.kind FROM review_items i WHERE i.memory_ids @> ARRAY[m.id] AND i.kind IN ('contradiction', 'expired'))::text[] AS kinds,
    (m.state = 'deleted' AND EXISTS (SELECT FROM files f WHERE f.agent_id = m.agent_id AND f.memory_id = m.id AND f.status = 'removing' AND f.problem IS NOT NULL))::boolean AS not_removed,
    coalesce((SELECT r.body FROM revisions r WHERE @searched::boolean AND r.id = m.revision_id), '')::text AS body
FROM shown s JOIN memories m ON m.id = s.id
ORDER BY s.part, s.place;

-- name: CountMemoryViews :one
-- Counts the memories of each view, as ListMemories selects them.
SELECT count(*) FILTER (WHERE m.state <> 'deleted') AS total,
    count(*) FILTER (WHERE m.state = 'deleted') AS trash,
    count(*) FILTER (WHERE m.state <> 'deleted' AND m.team) AS team,
    count(*) FILTER (WHERE m.state <> 'deleted' AND (m.modified_at >= @new_since::timestamptz OR m.created_at >= @found_since::timestamptz)) AS new,
    count(*) FILTER (WHERE m.state NOT IN ('deleted', 'needs_attention') AND m.readable AND m.modified_at >= @known_since::timestamptz
        AND m.modified_at <= (@unchecked_since::timestamptz[])[array_position('{feedback,user,project,reference}'::text[], m.type)]) AS unchecked,
    count(*) FILTER (WHERE m.state <> 'deleted' AND m.readable AND m.modified_at <= @recalled_since::timestamptz
        AND m.id NOT IN (SELECT i.memory_id FROM recall_items i WHERE i.agent_id = @agent_id)) AS never_recalled
FROM memories m WHERE m.agent_id = @agent_id;

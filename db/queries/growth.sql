-- name: AddGrowth :exec
INSERT INTO growth (agent_id, day, type, alive)
SELECT @agent_id::bigint, unnest(@days::date[]), unnest(@types::text[]), unnest(@alive::integer[])
ON CONFLICT (agent_id, day, type) DO UPDATE SET alive = growth.alive + excluded.alive;

-- name: Growth :many
SELECT agent_id, day, type, alive
FROM growth
WHERE agent_id = ANY(@agent_ids::bigint[])
ORDER BY agent_id, day, type;

-- name: Ages :many
-- How many memories live, by the whole days of 24 hours since what their age counts from; bounds are the first days of the
-- buckets but the first, ascending. Unknown ages are left out: those of unreadable files, and before known_since.
SELECT agent_id, coalesce(type, '')::text AS type,
       width_bucket(date_part('epoch', sqlc.arg(now)::timestamptz - modified_at) / 86400, @bounds::float8[])::integer AS bucket,
       count(*) AS n
FROM memories
WHERE agent_id = ANY(@agent_ids::bigint[]) AND state <> 'deleted' AND readable AND modified_at >= @known_since
GROUP BY agent_id, type, bucket;

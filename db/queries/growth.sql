-- name: AddGrowth :exec
INSERT INTO memory_growth (agent_id, day, type, delta)
SELECT @agent_id::bigint, unnest(@days::date[]), unnest(@types::text[]), unnest(@deltas::integer[])
ON CONFLICT (agent_id, day, type) DO UPDATE SET delta = memory_growth.delta + excluded.delta;

-- name: Growth :many
SELECT agent_id, day, type, delta
FROM memory_growth
WHERE agent_id = ANY(@agent_ids::bigint[])
ORDER BY agent_id, day, type;

-- name: Ages :many
-- Counts undeleted memories by agent, type and age in days of 24 hours. bounds are the lower bounds
-- of the buckets after the first. Unreadable files and times before known_since are omitted.
SELECT agent_id, coalesce(type, '')::text AS type,
       width_bucket(date_part('epoch', sqlc.arg(now)::timestamptz - modified_at) / 86400, @bounds::float8[])::integer AS bucket,
       count(*) AS n
FROM memories
WHERE agent_id = ANY(@agent_ids::bigint[]) AND state <> 'deleted' AND readable AND modified_at >= @known_since
GROUP BY agent_id, type, bucket;

-- Figures of the whole database, for /metrics and memoir doctor.

-- name: MemoryFigures :many
-- Counts the memories of all agents by state and type; an empty type means none.
SELECT state, type, sum(n)::bigint AS n FROM memory_tallies GROUP BY state, type HAVING sum(n) > 0 ORDER BY state, type;

-- name: JobFigures :many
-- Counts the jobs of all agents, and the tokens that they have used, by kind and state. Finished
-- jobs are kept for 30 days.
SELECT kind, state::text AS state, count(*) AS n,
    coalesce(sum((metadata #>> '{output,input_tokens}')::bigint), 0)::bigint AS input,
    coalesce(sum((metadata #>> '{output,output_tokens}')::bigint), 0)::bigint AS output
FROM river_job GROUP BY kind, state ORDER BY kind, state;

-- name: RecallFigures :many
-- Counts the recalls of all agents and the memories that they have delivered, by the asker.
SELECT asked_by, (delivered_count > 0)::boolean AS given, count(*) AS n, sum(delivered_count)::bigint AS delivered
FROM recalls GROUP BY asked_by, 2 ORDER BY asked_by, 2;

-- name: DatabaseSize :one
SELECT pg_database_size(current_database())::bigint AS bytes;

-- name: FailingJobs :many
-- Returns for each kind the jobs of the last day whose last attempt has failed: their number, and the
-- newest problem.
SELECT DISTINCT ON (kind) kind, (metadata #>> '{output,problem}')::text AS problem, count(*) OVER (PARTITION BY kind) AS n
FROM river_job
WHERE coalesce(metadata #>> '{output,problem}', '') <> '' AND state <> 'completed' AND coalesce(attempted_at, created_at) > now() - interval '1 day'
ORDER BY kind, attempted_at DESC NULLS LAST;

-- name: IndexFindings :many
-- Returns what the review says about the MEMORY.md of agents: lines that are not loaded.
SELECT a.slug, i.subject AS path, i.reason FROM review_items i JOIN agents a ON a.id = i.agent_id
WHERE i.kind = 'index' AND a.present ORDER BY a.slug, i.subject;

-- name: ReviewFigures :many
-- Counts the items of the review by kind.
SELECT kind, count(*) AS n FROM review_items GROUP BY kind ORDER BY kind;

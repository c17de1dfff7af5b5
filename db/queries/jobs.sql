-- Queries on the tables of River's queue that River itself does not make.

-- name: LockAgentRow :one
-- Returns the agent's id, and prevents the deletion of the agent until the transaction ends.
SELECT id FROM agents WHERE id = @id FOR KEY SHARE;

-- name: PostponeJob :exec
-- Postpones an unfinished job and replaces its arguments. A running job runs once more at that
-- time.
UPDATE river_job SET
    args = @args,
    scheduled_at = CASE WHEN state = 'running' THEN scheduled_at ELSE greatest(scheduled_at, @run_at) END,
    metadata = CASE WHEN state = 'running' THEN metadata || jsonb_build_object('again', @again::bigint) ELSE metadata END,
    state = CASE WHEN state = 'available' AND @run_at > now() THEN 'scheduled'::river_job_state ELSE state END
WHERE id = @id AND finalized_at IS NULL;

-- name: CancelRerun :exec
-- Cancels the next run of a running job, unless its time differs from again.
UPDATE river_job SET metadata = metadata - 'again' WHERE id = @id AND (metadata ->> 'again')::bigint = @again::bigint;

-- name: LockRunningJob :one
-- Locks the row of a job if this attempt still runs it, and returns when it is to run again (0:
-- never).
SELECT coalesce((metadata ->> 'again')::bigint, 0)::bigint AS again FROM river_job
WHERE id = @id AND state = 'running' AND attempt = @attempt AND attempted_by[array_upper(attempted_by, 1)] = @server::text
FOR UPDATE;

-- name: EndJob :exec
-- Saves the final state of a job that has failed permanently, with the current time and the output.
UPDATE river_job SET state = (@state::text)::river_job_state, finalized_at = now(), metadata = metadata || jsonb_build_object('output', @output::jsonb)
WHERE id = @id;

-- name: SaveJobServer :one
-- Saves a heartbeat. Returns whether the server has sent heartbeats for silence, which is long
-- enough to judge others.
INSERT INTO job_servers AS s (id, since, seen_at) VALUES (@id, now(), now())
ON CONFLICT (id) DO UPDATE SET
    since = CASE WHEN s.seen_at < now() - make_interval(secs => @silence::float8) THEN now() ELSE s.since END,
    seen_at = now()
RETURNING (since < now() - make_interval(secs => @silence::float8))::boolean AS settled;

-- name: FreeJobs :many
-- Frees abandoned jobs and returns their ids: those of silent servers if others is true, and those
-- of this server that it does not run. The attempt counts, so that a job which crashes its server
-- ends too.
UPDATE river_job j SET
    state = CASE WHEN attempt >= max_attempts THEN 'discarded'::river_job_state ELSE 'available'::river_job_state END,
    finalized_at = CASE WHEN attempt >= max_attempts THEN now() END,
    scheduled_at = now(),
    metadata = metadata || jsonb_build_object('output', coalesce(metadata -> 'output', '{}') || jsonb_build_object('problem', @problem::text))
WHERE state = 'running'
    AND CASE WHEN attempted_by[array_upper(attempted_by, 1)] = @server::text
        THEN attempted_at < now() - make_interval(secs => @silence::float8) AND NOT id = ANY (@working::bigint[])
        ELSE @others::boolean AND NOT EXISTS (SELECT FROM job_servers s
            WHERE s.id = j.attempted_by[array_upper(j.attempted_by, 1)] AND s.seen_at > now() - make_interval(secs => @silence::float8))
        END
RETURNING id;

-- name: WakeMisconfiguredJobs :exec
-- Makes jobs due that have failed because of a setting, after a start. There are few, so no index
-- is needed.
UPDATE river_job SET state = 'available', scheduled_at = now()
WHERE state = 'scheduled' AND (metadata #>> '{output,misconfigured}')::boolean;

-- name: OtherJobServer :one
-- Reports whether another server has sent a heartbeat within the last silence seconds.
SELECT EXISTS (SELECT FROM job_servers WHERE id <> @id AND seen_at > now() - make_interval(secs => @silence::float8));

-- name: DeleteJobServer :exec
-- Deletes the heartbeat of a stopping server, and those of servers that were silent for a day.
DELETE FROM job_servers WHERE id = @id OR seen_at < now() - interval '1 day';

-- name: DeleteJobs :exec
DELETE FROM river_job WHERE args @> jsonb_build_object('agent', @agent_id::bigint);

-- name: Jobs :many
-- Returns an agent's jobs: unfinished ones first, then the latest finished.
SELECT id, kind, state::text AS state, coalesce(args ->> 'key', '')::text AS key, attempt, created_at, scheduled_at, finalized_at,
    coalesce(metadata -> 'output', '{}')::jsonb AS output
FROM river_job
WHERE args @> jsonb_build_object('agent', @agent_id::bigint)
ORDER BY finalized_at IS NULL DESC, coalesce(finalized_at, created_at) DESC, id DESC
LIMIT @most;

-- name: JobTokens :many
-- Returns the tokens that an agent's jobs have used since a time, by day (UTC), oldest first.
SELECT (coalesce(finalized_at, attempted_at) AT TIME ZONE 'UTC')::date AS day,
    sum(coalesce((metadata #>> '{output,input_tokens}')::bigint, 0))::bigint AS input,
    sum(coalesce((metadata #>> '{output,output_tokens}')::bigint, 0))::bigint AS output
FROM river_job
WHERE args @> jsonb_build_object('agent', @agent_id::bigint) AND coalesce(finalized_at, attempted_at) >= @since::timestamptz
    AND metadata ? 'output'
GROUP BY 1
ORDER BY 1;

-- name: TokensOfKind :one
-- Returns the tokens that the jobs of a kind have used since a time, in all agents.
SELECT coalesce(sum(coalesce((metadata #>> '{output,input_tokens}')::bigint, 0) + coalesce((metadata #>> '{output,output_tokens}')::bigint, 0)), 0)::bigint AS tokens
FROM river_job
WHERE kind = @kind AND coalesce(finalized_at, attempted_at) >= @since::timestamptz AND metadata ? 'output';

-- name: TryLockConsolidation :one
-- Takes the lock for a consolidation of the agent, over all servers, and returns true. Returns
-- false at once if it is held. 0x64726561 is "drea".
SELECT pg_try_advisory_lock(1685218657, @agent_id::integer);

-- name: UnlockConsolidation :exec
SELECT pg_advisory_unlock(1685218657, @agent_id::integer);

-- name: InsertConsolidation :exec
INSERT INTO consolidations (id, agent_id, made_at, made_by, memories, model, note, input_tokens, output_tokens, chars_before, chars_after, findings)
VALUES (@id, @agent_id, @made_at, @made_by, @memories, @model, @note, @input_tokens, @output_tokens, @chars_before, @chars_after, @findings);

-- name: InsertConsolidationStep :batchexec
INSERT INTO consolidation_steps (id, plan_id, agent_id, place, kind, source, title, reason, state, problem, changes, chars_before, chars_after, actor)
VALUES (@id, @plan_id, @agent_id, @place, @kind, @source, @title, @reason, @state, '', @changes, @chars_before, @chars_after, @actor);

-- name: OpenConsolidation :one
SELECT * FROM consolidations WHERE agent_id = @agent_id AND closed_at IS NULL;

-- name: LastConsolidation :one
SELECT * FROM consolidations WHERE agent_id = @agent_id ORDER BY made_at DESC LIMIT 1;

-- name: ConsolidationSteps :many
SELECT * FROM consolidation_steps WHERE plan_id = @plan_id ORDER BY place;

-- name: ConsolidationStep :one
SELECT * FROM consolidation_steps WHERE agent_id = @agent_id AND id = @id;

-- name: AppliedConsolidationSteps :many
-- Returns the agent's steps that were applied, the last applied first, also those undone since.
SELECT * FROM consolidation_steps WHERE agent_id = @agent_id AND applied_at IS NOT NULL ORDER BY applied_at DESC, id LIMIT @most;

-- name: UnfinishedConsolidationSteps :many
SELECT * FROM consolidation_steps WHERE agent_id = @agent_id AND state IN ('chosen', 'undoing') ORDER BY plan_id, place;

-- name: AgentsConsolidating :many
SELECT DISTINCT a.slug FROM consolidation_steps s JOIN agents a ON a.id = s.agent_id WHERE s.state IN ('chosen', 'undoing');

-- name: ChooseConsolidationSteps :execrows
UPDATE consolidation_steps SET state = 'chosen', actor = @actor, problem = ''
WHERE agent_id = @agent_id AND id = ANY(@ids::uuid[]) AND state = 'proposed';

-- name: SaveConsolidationStep :exec
UPDATE consolidation_steps SET state = @state, problem = @problem, changes = @changes, applied_at = @applied_at, undone_at = @undone_at
WHERE id = @id;

-- name: CloseConsolidation :execrows
UPDATE consolidations SET closed_at = @closed_at WHERE agent_id = @agent_id AND closed_at IS NULL;

-- name: DeleteOldSteps :exec
-- Deletes the steps of the agent's closed plans that were never begun, and those applied before a
-- time. Later applied ones can still be undone.
DELETE FROM consolidation_steps s USING consolidations c
WHERE c.id = s.plan_id AND c.agent_id = @agent_id AND c.closed_at IS NOT NULL
  AND (s.applied_at IS NULL AND s.state NOT IN ('chosen', 'undoing') OR s.applied_at < @before);

-- name: DeleteOldPlans :exec
DELETE FROM consolidations c
WHERE c.agent_id = @agent_id AND c.closed_at < @before AND NOT EXISTS (SELECT FROM consolidation_steps s WHERE s.plan_id = c.id);

-- name: ClaimConsolidationCheck :execrows
-- Saves the time of the agent's check. Changes no row if another server has checked after since.
INSERT INTO consolidation_checks AS l (agent_id, checked_at) VALUES (@agent_id, @checked_at)
ON CONFLICT (agent_id) DO UPDATE SET checked_at = excluded.checked_at WHERE l.checked_at <= @since;

-- name: ConsolidationCheckedAt :one
SELECT checked_at FROM consolidation_checks WHERE agent_id = @agent_id;

-- name: SupersededBy :many
-- Returns, by id, active private memories with a body that another one had before and has since
-- replaced by a newer one.
SELECT DISTINCT ON (b.id) b.id, a.id AS by_id, o.seen_at AS said_at
FROM memories b
JOIN revisions rb ON rb.id = b.revision_id
JOIN revisions o ON md5(o.body) = md5(rb.body) AND o.body = rb.body AND o.memory_id <> b.id
JOIN memories a ON a.id = o.memory_id AND a.agent_id = b.agent_id AND a.revision_id <> o.id
JOIN revisions ra ON ra.id = a.revision_id
WHERE b.agent_id = @agent_id AND b.state = 'active' AND a.state = 'active' AND b.readable AND a.readable AND NOT a.team AND NOT b.team
  AND ra.body <> rb.body AND b.content_at < a.content_at AND length(rb.body) >= @shortest::integer
ORDER BY b.id, o.seen_at DESC;

-- name: ForgottenNames :many
-- Returns the names of deleted and renamed memories that no memory outside the trash has now, with
-- the new name if there is one.
SELECT DISTINCT ON (v.name) v.name, v.other_name
FROM (
    SELECT d.agent_id, d.name, d.other_name, d.at, d.id FROM activity d WHERE d.agent_id = @agent_id AND d.kind = 'deleted'
    UNION ALL
    SELECT n.agent_id, n.other_name, n.name, n.at, n.id FROM activity n
    WHERE n.agent_id = @agent_id AND n.kind = 'renamed' AND n.other_name <> n.name
) v
WHERE NOT EXISTS (SELECT FROM memories m WHERE m.agent_id = v.agent_id AND m.name = v.name AND m.state <> 'deleted')
ORDER BY v.name, v.at DESC, v.id DESC;

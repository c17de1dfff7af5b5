-- name: PublishTargets :many
SELECT * FROM publish_targets WHERE agent_id = @agent_id ORDER BY target;

-- name: TargetsInDir :many
-- Returns the slugs of other agents that are published into a directory of a project.
SELECT DISTINCT agents.slug
FROM publish_targets JOIN agents ON agents.id = publish_targets.agent_id
WHERE publish_targets.dir = @dir AND publish_targets.agent_id <> @agent_id
ORDER BY agents.slug;

-- name: AgentsWithTargets :many
SELECT DISTINCT agent_id FROM publish_targets;

-- name: SetTargets :exec
-- Makes these the agent's wanted targets, and marks its others for removal. A target that exists
-- keeps its directory and what is known of its file.
WITH others AS (
    UPDATE publish_targets SET wanted = false WHERE publish_targets.agent_id = @agent_id AND wanted AND NOT target = ANY(@targets::text[])
)
INSERT INTO publish_targets (agent_id, target, dir)
SELECT @agent_id, unnest(@targets::text[]), @dir
ON CONFLICT (agent_id, target) DO UPDATE SET wanted = true;

-- name: SaveTarget :exec
-- Saves what is known of a target's file.
UPDATE publish_targets SET added = @added, created = @created, same_as = @same_as, bytes = @bytes, problem = @problem, publish_key = @publish_key,
    published_at = coalesce(sqlc.narg(published_at), published_at)
WHERE agent_id = @agent_id AND target = @target;

-- name: DeleteTarget :exec
DELETE FROM publish_targets WHERE agent_id = @agent_id AND target = @target;

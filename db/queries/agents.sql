-- name: Agents :many
SELECT id, slug, layout, dir, display_name, present, sessions, primary_device, claude_md_path, claude_md_published_at,
       claude_md_chars, claude_md_problem, created_at, updated_at, claude_md_publish_key, memories_version, memory_off, joined_to, primary_inode, examined_version
FROM agents
ORDER BY slug;

-- name: AgentBySlug :one
SELECT id, slug, layout, dir, display_name, present, sessions, primary_device, claude_md_path, claude_md_published_at,
       claude_md_chars, claude_md_problem, created_at, updated_at, claude_md_publish_key, memories_version, memory_off, joined_to, primary_inode, examined_version
FROM agents
WHERE slug = @slug;

-- name: AgentByID :one
-- Returns the agent with the id. shared identifies what other agents share with it; it is empty if
-- they share nothing. SharedStamp returns the same for the sharing agents. has_targets reports
-- whether the agent has publish targets.
SELECT sqlc.embed(agents), EXISTS (SELECT FROM publish_targets WHERE agent_id = agents.id) AS has_targets, coalesce((
    SELECT string_agg(s.id || ':' || s.memories_version || ':' || left(md5(s.dir), 8), ',' ORDER BY s.id)
    FROM agents s WHERE s.layout = 'shared' AND NOT s.memory_off AND agents.layout <> 'shared' AND NOT agents.memory_off
), '')::text AS shared
FROM agents
WHERE agents.id = @id;

-- name: SharedStamp :one
SELECT coalesce(string_agg(id || ':' || memories_version || ':' || left(md5(dir), 8), ',' ORDER BY id), '')::text AS shared
FROM agents WHERE layout = 'shared' AND NOT memory_off;

-- name: SharedAgents :many
-- Returns the agents that share their memories, sorted by id. An agent whose memory is off shares
-- none.
SELECT id, slug, layout, dir, display_name, present, sessions, primary_device, claude_md_path, claude_md_published_at,
       claude_md_chars, claude_md_problem, created_at, updated_at, claude_md_publish_key, memories_version, memory_off, joined_to, primary_inode, examined_version
FROM agents
WHERE layout = 'shared' AND NOT memory_off
ORDER BY id;

-- name: AddAgent :one
-- Inserts an agent and returns its id. If the slug exists, it changes nothing and returns no row.
INSERT INTO agents (slug, layout, dir, display_name, claude_md_path, present, created_at, updated_at)
VALUES (@slug, @layout, @dir, @display_name, @claude_md_path, @present, @at, @at)
ON CONFLICT (slug) DO NOTHING
RETURNING id;

-- name: SaveAgent :one
-- Inserts an agent, or updates the one with the slug, and returns its id. updated_at changes only
-- if another value does. A new directory clears the identity of the primary directory.
INSERT INTO agents (slug, layout, dir, display_name, claude_md_path, present, joined_to, created_at, updated_at)
VALUES (@slug, @layout, @dir, @display_name, @claude_md_path, @present, sqlc.narg(joined_to), @at, @at)
ON CONFLICT (slug) DO UPDATE SET
    layout = excluded.layout,
    dir = excluded.dir,
    display_name = excluded.display_name,
    claude_md_path = CASE WHEN excluded.claude_md_path IS NOT NULL THEN coalesce(agents.claude_md_path, excluded.claude_md_path) END,
    present = excluded.present,
    joined_to = excluded.joined_to,
    primary_device = CASE WHEN agents.dir = excluded.dir THEN agents.primary_device END,
    primary_inode = CASE WHEN agents.dir = excluded.dir THEN agents.primary_inode END,
    updated_at = CASE WHEN (agents.layout, agents.dir, agents.display_name, agents.present)
                         = (excluded.layout, excluded.dir, excluded.display_name, excluded.present)
                      AND agents.joined_to IS NOT DISTINCT FROM excluded.joined_to
                      THEN agents.updated_at ELSE excluded.updated_at END
RETURNING id;

-- name: SetAgentSessions :exec
-- Saves the number of sessions at the last full scan, if it has changed.
UPDATE agents SET sessions = @sessions, updated_at = @at WHERE id = @id AND sessions <> @sessions;

-- name: SetPrimaryDir :exec
-- Saves the identity of the agent's primary directory. NULL means that it is absent.
UPDATE agents SET primary_device = sqlc.narg(primary_device), primary_inode = sqlc.narg(primary_inode), updated_at = @at WHERE id = @id;

-- name: SetAgentPresent :exec
UPDATE agents SET present = @present, updated_at = @at WHERE id = @id AND present <> @present;

-- name: SetAgentPublished :exec
-- Saves the state of CLAUDE.md after a compilation. It raises the version too, because caches keep
-- the costs of memories by version.
UPDATE agents SET claude_md_path = sqlc.narg(path), claude_md_chars = @chars, claude_md_problem = sqlc.narg(problem), claude_md_publish_key = sqlc.narg(publish_key),
    claude_md_published_at = coalesce(sqlc.narg(published_at), claude_md_published_at), memories_version = memories_version + 1,
    updated_at = CASE WHEN claude_md_chars <> @chars OR claude_md_path IS DISTINCT FROM sqlc.narg(path) OR claude_md_problem IS DISTINCT FROM sqlc.narg(problem)
                        OR sqlc.narg(published_at)::timestamptz IS NOT NULL
                      THEN @at ELSE updated_at END
WHERE id = @id;

-- name: SetPublishKey :exec
UPDATE agents SET claude_md_publish_key = sqlc.narg(publish_key) WHERE id = @id AND claude_md_publish_key IS DISTINCT FROM sqlc.narg(publish_key);

-- name: RaiseMemoriesVersion :exec
-- Raises the version by the number of changed memories and clears the publish key, so that
-- CLAUDE.md is compiled again.
UPDATE agents SET claude_md_publish_key = NULL, memories_version = memories_version + @changed WHERE id = @id;

-- name: SetMemoryOff :execrows
-- Switches the agent's memory off or on, clears the publish key and raises the version, so that
-- CLAUDE.md is compiled again. Changes no row if it is switched already.
UPDATE agents SET memory_off = @off, claude_md_publish_key = NULL, memories_version = memories_version + 1, updated_at = @at
WHERE id = @id AND memory_off <> @off;

-- name: DeleteAgent :exec
-- Deletes the agent. The rows of its memories, files and other data are deleted by cascade.
DELETE FROM agents WHERE agents.id = @id;

-- name: CountMemories :many
SELECT agent_id, state, type, n
FROM memory_tallies
WHERE agent_id = ANY(@agent_ids::bigint[]) AND n <> 0;

-- name: LockAgent :exec
-- Waits for the exclusive lock of the agent, over all servers of the database, and takes it.
-- 0x6d656d6f is "memo", the first half of all keys.
SELECT pg_advisory_lock(1835363695, @agent_id::integer);

-- name: UnlockAgent :exec
SELECT pg_advisory_unlock(1835363695, @agent_id::integer);

-- name: CommitAsync :exec
-- Makes the commit of this transaction return before it is on disk. A power cut may lose this
-- transaction, but no earlier one.
SELECT set_config('synchronous_commit', 'off', true);

-- name: DisableSeqScan :exec
-- Makes the planner use indexes in this transaction. It underestimates the cost of reading search
-- vectors.
SELECT set_config('enable_seqscan', 'off', true);

-- name: ForceGenericPlans :exec
-- Makes this transaction use cached generic plans, which use keys only. A new plan takes longer
-- than the query. The planner also expects ten list elements and would read all files of an agent.
SELECT set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true),
       set_config('enable_bitmapscan', 'off', true), set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true);

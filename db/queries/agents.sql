-- name: Agents :many
SELECT id, slug, layout, dir, display_name, present, sessions, durable_device, claude_md_path, claude_md_published_at,
       claude_md_chars, claude_md_problem, created_at, updated_at, claude_md_in_step, memories_version, memory_off, joined_to, durable_inode
FROM agents
ORDER BY slug;

-- name: AgentBySlug :one
SELECT id, slug, layout, dir, display_name, present, sessions, durable_device, claude_md_path, claude_md_published_at,
       claude_md_chars, claude_md_problem, created_at, updated_at, claude_md_in_step, memories_version, memory_off, joined_to, durable_inode
FROM agents
WHERE slug = @slug;

-- name: AgentByID :one
-- shared is another text whenever something else may be shared with the agent; empty: nothing is. SharedStamp has the same for whoever
-- shares it.
SELECT sqlc.embed(agents), coalesce((
    SELECT string_agg(s.id || ':' || s.memories_version || ':' || left(md5(s.dir), 8), ',' ORDER BY s.id)
    FROM agents s WHERE s.layout = 'shared' AND NOT s.memory_off AND agents.layout <> 'shared' AND NOT agents.memory_off
), '')::text AS shared
FROM agents
WHERE agents.id = @id;

-- name: SharedStamp :one
SELECT coalesce(string_agg(id || ':' || memories_version || ':' || left(md5(dir), 8), ',' ORDER BY id), '')::text AS shared
FROM agents WHERE layout = 'shared' AND NOT memory_off;

-- name: SharedAgents :many
-- Those whose memories all others are given. One that is switched off gives none.
SELECT id, slug, layout, dir, display_name, present, sessions, durable_device, claude_md_path, claude_md_published_at,
       claude_md_chars, claude_md_problem, created_at, updated_at, claude_md_in_step, memories_version, memory_off, joined_to, durable_inode
FROM agents
WHERE layout = 'shared' AND NOT memory_off
ORDER BY id;

-- name: AddAgent :one
-- No row: another server has made an agent of that slug known meanwhile.
INSERT INTO agents (slug, layout, dir, display_name, claude_md_path, present, created_at, updated_at)
VALUES (@slug, @layout, @dir, @display_name, @claude_md_path, @present, @at, @at)
ON CONFLICT (slug) DO NOTHING
RETURNING id;

-- name: SaveAgent :one
-- Inserts an agent or points a known one at its directory. The row changes only when something about it does.
INSERT INTO agents (slug, layout, dir, display_name, claude_md_path, present, joined_to, created_at, updated_at)
VALUES (@slug, @layout, @dir, @display_name, @claude_md_path, @present, sqlc.narg(joined_to), @at, @at)
ON CONFLICT (slug) DO UPDATE SET
    layout = excluded.layout,
    dir = excluded.dir,
    display_name = excluded.display_name,
    claude_md_path = CASE WHEN excluded.claude_md_path IS NOT NULL THEN coalesce(agents.claude_md_path, excluded.claude_md_path) END,
    present = excluded.present,
    joined_to = excluded.joined_to,
    durable_device = CASE WHEN agents.dir = excluded.dir THEN agents.durable_device END,
    durable_inode = CASE WHEN agents.dir = excluded.dir THEN agents.durable_inode END,
    updated_at = CASE WHEN (agents.layout, agents.dir, agents.display_name, agents.present)
                         = (excluded.layout, excluded.dir, excluded.display_name, excluded.present)
                      AND agents.joined_to IS NOT DISTINCT FROM excluded.joined_to
                      THEN agents.updated_at ELSE excluded.updated_at END
RETURNING id;

-- name: SetAgentLook :exec
-- What a look at the agent's directory found of the agent itself.
UPDATE agents SET sessions = @sessions, updated_at = @at WHERE id = @id AND sessions <> @sessions;

-- name: SetDurableDirectory :exec
-- None: the durable directory is not there.
UPDATE agents SET durable_device = sqlc.narg(durable_device), durable_inode = sqlc.narg(durable_inode), updated_at = @at WHERE id = @id;

-- name: SetAgentPresent :exec
UPDATE agents SET present = @present, updated_at = @at WHERE id = @id AND present <> @present;

-- name: SetAgentPublished :exec
-- The version is raised with it: what each memory takes in CLAUDE.md is among what is kept at a version.
UPDATE agents SET claude_md_path = sqlc.narg(path), claude_md_chars = @chars, claude_md_problem = sqlc.narg(problem), claude_md_in_step = sqlc.narg(in_step),
    claude_md_published_at = coalesce(sqlc.narg(published_at), claude_md_published_at), memories_version = memories_version + 1,
    updated_at = CASE WHEN claude_md_chars <> @chars OR claude_md_path IS DISTINCT FROM sqlc.narg(path) OR claude_md_problem IS DISTINCT FROM sqlc.narg(problem)
                        OR sqlc.narg(published_at)::timestamptz IS NOT NULL
                      THEN @at ELSE updated_at END
WHERE id = @id;

-- name: SetClaudeMDInStep :exec
UPDATE agents SET claude_md_in_step = sqlc.narg(in_step) WHERE id = @id AND claude_md_in_step IS DISTINCT FROM sqlc.narg(in_step);

-- name: RaiseMemoriesVersion :exec
-- By the number of memories that change.
UPDATE agents SET claude_md_in_step = NULL, memories_version = memories_version + @changed WHERE id = @id;

-- name: SetMemoryOff :execrows
-- CLAUDE.md is to be compiled anew.
UPDATE agents SET memory_off = @off, claude_md_in_step = NULL, memories_version = memories_version + 1, updated_at = @at
WHERE id = @id AND memory_off <> @off;

-- name: DeleteAgent :exec
-- All that belongs to the agent is deleted by cascade.
DELETE FROM agents WHERE agents.id = @id;

-- name: CountMemories :many
SELECT agent_id, state, type, n
FROM memory_tallies
WHERE agent_id = ANY(@agent_ids::bigint[]) AND n <> 0;

-- name: LockAgent :exec
-- One writer per agent over all servers of this database. 0x6d656d6f is "memo": the first half of every key of ours.
SELECT pg_advisory_lock(1835363695, @agent_id::integer);

-- name: UnlockAgent :exec
SELECT pg_advisory_unlock(1835363695, @agent_id::integer);

-- name: NeedNotWaitForTheDisk :exec
-- The transaction's commit is answered before it is on disk. After a power cut it may be as if it had never been; nothing that
-- was committed before it is lost by that.
SELECT set_config('synchronous_commit', 'off', true);

-- name: GoByIndexes :exec
-- For the transaction, Postgres reads no table from end to end where an index would do. It takes search vectors for cheap to read,
-- and where many match it would rather read those of all memories than ask the index.
SELECT set_config('enable_seqscan', 'off', true);

-- name: KeepPlans :exec
-- For the transaction, Postgres takes for each prepared statement the plan that it has, and that goes by keys alone. To make it anew
-- because there is a list among the arguments takes longer than to carry it out; and since nobody knows how long the list will be
-- the planner expects ten, and would rather read all thousand files of an agent.
SELECT set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true),
       set_config('enable_bitmapscan', 'off', true), set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true);

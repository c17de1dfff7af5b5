-- name: RecordMemoryRead :exec
-- Counts a read of the file at a path for its memory.
INSERT INTO memory_uses (memory_id, reads, last_read_at)
SELECT f.memory_id, 1, @at::timestamptz
FROM files f JOIN memories m ON m.id = f.memory_id
WHERE f.agent_id = @agent_id AND f.path = @path AND f.present AND f.status = 'mirrored'
ON CONFLICT (memory_id) DO UPDATE SET reads = memory_uses.reads + 1, last_read_at = greatest(memory_uses.last_read_at, excluded.last_read_at);

-- name: RecordIndexLoaded :exec
-- Counts a conversation for the memories whose lines of MEMORY.md an agent loads. A conversation that
-- was the last one counted for a memory is not counted again.
INSERT INTO memory_uses (memory_id, loads, last_loaded_at, last_loaded_session)
SELECT DISTINCT f.memory_id, 1, @at::timestamptz, @session::text
FROM index_entries e
JOIN files f ON f.agent_id = e.agent_id AND f.path = e.path AND f.present AND f.status = 'mirrored'
JOIN memories m ON m.id = f.memory_id
WHERE e.agent_id = @agent_id AND e.loaded
ON CONFLICT (memory_id) DO UPDATE SET loads = memory_uses.loads + 1, last_loaded_at = excluded.last_loaded_at,
    last_loaded_session = excluded.last_loaded_session
WHERE memory_uses.last_loaded_session IS DISTINCT FROM excluded.last_loaded_session;

-- name: VerificationOf :one
-- Returns the check of the memory's current content; no row if only an earlier content was checked.
SELECT v.checked_at, v.project, v.citations
FROM verifications v JOIN memories m ON m.id = v.memory_id AND m.revision_id = v.revision_id
WHERE m.agent_id = @agent_id AND m.id = @memory_id;

-- name: ToReview :many
-- Returns undeleted memories with dead citations: the most citations first, then types that age
-- fastest, then the oldest.
SELECT m.id, m.name, m.type, m.description, m.modified_at, v.checked_at, v.project, v.citations
FROM verifications v JOIN memories m ON m.id = v.memory_id AND m.revision_id = v.revision_id
WHERE v.agent_id = @agent_id AND v.gone > 0 AND m.state <> 'deleted'
ORDER BY v.gone DESC, array_position(ARRAY['project', 'reference', 'user', 'feedback'], m.type) NULLS LAST, m.modified_at, m.id
LIMIT @limit_to;

-- name: VerifiedAgents :many
SELECT a.id FROM agents a WHERE EXISTS (SELECT FROM verifications v WHERE v.agent_id = a.id);

-- name: SaveVerifications :exec
-- Inserts checks, or replaces those of the same memories. Skips memories that were purged during
-- the check.
INSERT INTO verifications (memory_id, agent_id, revision_id, checked_at, project, gone, citations)
SELECT c.memory_id, @agent_id, c.revision_id, @checked_at::timestamptz, @project, c.gone, c.citations
FROM (SELECT unnest(@memory_ids::uuid[]) AS memory_id, unnest(@revision_ids::uuid[]) AS revision_id,
             unnest(@gone::integer[]) AS gone, unnest(@citations::jsonb[]) AS citations) c
JOIN memories m ON m.id = c.memory_id AND m.agent_id = @agent_id
ORDER BY c.memory_id
ON CONFLICT (memory_id) DO UPDATE SET revision_id = excluded.revision_id, checked_at = excluded.checked_at, project = excluded.project,
    gone = excluded.gone, citations = excluded.citations;

-- name: DeleteVerifications :exec
DELETE FROM verifications WHERE agent_id = @agent_id;

-- name: DeadCitationsOf :many
-- Returns the citations of the memories among ids that have dead ones, by the check of their
-- current contents.
SELECT m.id, v.citations
FROM verifications v JOIN memories m ON m.id = v.memory_id AND m.revision_id = v.revision_id
WHERE v.agent_id = @agent_id AND v.gone > 0 AND m.id = ANY(@ids::uuid[]);

-- name: WantedMemories :many
-- Returns the names of memories that never existed and to which undeleted memories link, by the
-- check of their current contents: those with the most links first.
SELECT min(split_part(c.citation ->> 'text', '|', 1))::text AS name, count(DISTINCT m.id)::integer AS links
FROM verifications v
JOIN memories m ON m.id = v.memory_id AND m.revision_id = v.revision_id AND m.state <> 'deleted'
CROSS JOIN jsonb_array_elements(v.citations) AS c (citation)
WHERE v.agent_id = @agent_id AND c.citation ->> 'status' = 'wanted'
GROUP BY lower(split_part(c.citation ->> 'text', '|', 1))
ORDER BY links DESC, name
LIMIT @most;

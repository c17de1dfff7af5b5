-- name: CountWaiting :many
-- What waits for somebody besides the memories that their state tells of. The first two counts are answered by indexes
-- that hold little else: blocked's key, and files_to_remove. The third is of what Disagreements lists.
-- The fourth is that of ToReview, and verifications_with_gone holds nothing else; proposals are counted in an index too.
-- Team memories do not wait, but are counted with the rest: memories_in_team has them alone.
SELECT a.id,
       (SELECT count(*) FROM blocked b WHERE b.agent_id = a.id) AS blocked,
       (SELECT count(DISTINCT f.memory_id) FROM files f
        WHERE f.agent_id = a.id AND f.status = 'removing' AND f.problem IS NOT NULL) AS not_removed,
       (SELECT count(*) FROM memories m
        WHERE m.agent_id = a.id AND m.conflict IS NOT NULL AND m.readable AND m.state <> 'deleted') AS disagreements,
       (SELECT count(*) FROM verifications v JOIN memories m ON m.id = v.memory_id AND m.revision_id = v.revision_id
        WHERE v.agent_id = a.id AND v.gone > 0 AND m.state <> 'deleted') AS cites_gone,
       (SELECT count(*) FROM proposals p WHERE p.agent_id = a.id AND p.state = 'waiting') AS proposals,
       (SELECT count(*) FROM memories m WHERE m.agent_id = a.id AND m.team AND m.state <> 'deleted') AS team
FROM agents a
WHERE a.id = ANY(@agent_ids::bigint[]);

-- name: CountWaiting :many
-- Counts for each agent what waits for a decision of a user, and the team memories. Small indexes
-- answer each count: the key of blocked_contents, files_agent_id_removing_idx,
-- memories_agent_id_conflict_idx, verifications_agent_id_gone_idx,
-- proposals_agent_id_state_proposed_at_idx, review_items_agent_id_rank_weight_id_idx and
-- memories_agent_id_team_idx.
SELECT a.id,
       (SELECT count(*) FROM blocked_contents b WHERE b.agent_id = a.id) AS blocked,
       (SELECT count(DISTINCT f.memory_id) FROM files f
        WHERE f.agent_id = a.id AND f.status = 'removing' AND f.problem IS NOT NULL) AS not_removed,
       (SELECT count(*) FROM memories m
        WHERE m.agent_id = a.id AND m.conflict IS NOT NULL AND m.readable AND m.state <> 'deleted') AS disagreements,
       (SELECT count(*) FROM verifications v JOIN memories m ON m.id = v.memory_id AND m.revision_id = v.revision_id
        WHERE v.agent_id = a.id AND v.gone > 0 AND m.state <> 'deleted') AS cites_gone,
       (SELECT count(*) FROM proposals p WHERE p.agent_id = a.id AND p.state = 'waiting') AS proposals,
       (SELECT count(*) FROM review_items i WHERE i.agent_id = a.id) AS review,
       (SELECT count(*) FROM memories m WHERE m.agent_id = a.id AND m.team AND m.state <> 'deleted') AS team
FROM agents a
WHERE a.id = ANY(@agent_ids::bigint[]);

-- name: CountWaiting :many
-- What waits for somebody besides the memories that their state tells of. The first two counts are answered by indexes
-- that hold little else: blocked's key, and files_to_remove. The third begins with the files of sessions, which are few
-- beside the agent's own, and looks up what else is said under their names in files_by_memory; its rule is that of
-- Disagreements. The fourth is that of ToReview, and verifications_with_gone holds nothing else; proposals are counted in an index too.
-- Team memories do not wait, but are counted with the rest: memories_in_team has them alone.
SELECT a.id,
       (SELECT count(*) FROM blocked b WHERE b.agent_id = a.id) AS blocked,
       (SELECT count(DISTINCT f.memory_id) FROM files f
        WHERE f.agent_id = a.id AND f.status = 'removing' AND f.problem IS NOT NULL) AS not_removed,
       CASE WHEN a.sessions = 0 THEN 0 ELSE (
           SELECT count(DISTINCT f.memory_id)
           FROM files f JOIN memories m ON m.id = f.memory_id
           WHERE f.agent_id = a.id AND f.session IS NOT NULL AND f.present AND f.status = 'carries'
             AND m.readable AND m.state <> 'deleted'
             AND EXISTS (SELECT FROM files o WHERE o.memory_id = f.memory_id AND o.present AND o.status = 'carries'
                                               AND o.fingerprint <> f.fingerprint)
             AND NOT EXISTS (SELECT FROM files o WHERE o.memory_id = f.memory_id AND o.present AND o.status = 'carries'
                                                   AND o.session IS NULL AND o.content_at >= f.content_at)
       ) END::bigint AS disagreements,
       (SELECT count(*) FROM verifications v JOIN memories m ON m.id = v.memory_id AND m.revision_id = v.revision_id
        WHERE v.agent_id = a.id AND v.gone > 0 AND m.state <> 'deleted') AS cites_gone,
       (SELECT count(*) FROM proposals p WHERE p.agent_id = a.id AND p.state = 'waiting') AS proposals,
       (SELECT count(*) FROM memories m WHERE m.agent_id = a.id AND m.team AND m.state <> 'deleted') AS team
FROM agents a
WHERE a.id = ANY(@agent_ids::bigint[]);

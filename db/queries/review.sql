-- name: ReviewDecisions :many
-- Returns the decisions about items.
SELECT item_id, kind, decision, decided_at, decided_by, until FROM review_decisions WHERE item_id = ANY(@item_ids::text[]);

-- name: SaveReviewDecision :exec
INSERT INTO review_decisions (item_id, agent_id, kind, decision, decided_at, decided_by, until)
VALUES (@item_id, @agent_id, @kind, @decision, @decided_at, @decided_by, sqlc.narg(until))
ON CONFLICT (item_id) DO UPDATE SET decision = excluded.decision, decided_at = excluded.decided_at, decided_by = excluded.decided_by,
    until = excluded.until;

-- name: DeleteReviewDecision :exec
DELETE FROM review_decisions WHERE item_id = @item_id;

-- name: SetProblems :exec
-- Also removes the memory from the search index, which is filled again.
WITH unindexed AS (DELETE FROM memory_search s WHERE s.memory_id = @id)
UPDATE memories m SET problems = @problems, updated_at = @at WHERE m.id = @id;

-- name: TextsToExamine :many
-- Returns the texts of the agent's readable undeleted memories after an id, in the order of ids.
SELECT m.id, m.name, m.fingerprint, m.problems, r.description, r.body
FROM memories m JOIN revisions r ON r.id = m.revision_id
WHERE m.agent_id = @agent_id AND m.readable AND m.state <> 'deleted' AND m.id > @after::uuid
ORDER BY m.id LIMIT @most::integer;

-- name: SetExaminedVersion :exec
UPDATE agents SET examined_version = @version WHERE id = @id;

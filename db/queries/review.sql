-- name: ReviewDecisions :many
-- Returns the decisions about items.
SELECT item_id, kind, decision, decided_at, decided_by, until, undo FROM review_decisions WHERE item_id = ANY(@item_ids::text[]);

-- name: SaveReviewDecision :exec
INSERT INTO review_decisions (item_id, agent_id, kind, decision, decided_at, decided_by, until, undo)
VALUES (@item_id, @agent_id, @kind, @decision, @decided_at, @decided_by, sqlc.narg(until), sqlc.narg(undo))
ON CONFLICT (item_id) DO UPDATE SET decision = excluded.decision, decided_at = excluded.decided_at, decided_by = excluded.decided_by,
    until = excluded.until, undo = excluded.undo;

-- name: DeleteReviewDecision :exec
DELETE FROM review_decisions WHERE item_id = @item_id;

-- name: SetProblems :exec
UPDATE memories m SET problems = @problems, updated_at = @at WHERE m.id = @id;

-- name: TextsToExamine :many
-- Returns the texts of the agent's readable undeleted memories after an id, in the order of ids.
SELECT m.id, m.revision_id, m.name, m.fingerprint, m.problems, r.description, r.body
FROM memories m JOIN revisions r ON r.id = m.revision_id
WHERE m.agent_id = @agent_id AND m.readable AND m.state <> 'deleted' AND m.id > @after::uuid
ORDER BY m.id LIMIT @most::integer;

-- name: SetExaminedVersion :exec
UPDATE agents SET examined_version = @version WHERE id = @id;

-- name: ReviewTexts :many
-- Returns the agent's undeleted memories with what the review needs to know, in the order of ids.
-- dead is the number of dead citations. recalls counts deliveries since a time.
SELECT sqlc.embed(m), r.description, r.body,
    coalesce((SELECT v.gone FROM verifications v WHERE v.memory_id = m.id AND v.revision_id = m.revision_id), 0)::integer AS dead,
    (SELECT count(*) FROM recall_items i WHERE i.agent_id = m.agent_id AND i.memory_id = m.id AND i.at >= @since) AS recalls
FROM memories m JOIN revisions r ON r.id = m.revision_id
WHERE m.agent_id = @agent_id AND m.state <> 'deleted' AND m.id > @after::uuid
ORDER BY m.id LIMIT @most::integer;

-- name: ReviewVersion :one
-- Locks the agent's version of memories until the transaction ends.
SELECT memories_version FROM agents WHERE id = @id FOR SHARE;

-- name: DeleteReviewItemsBut :exec
DELETE FROM review_items WHERE agent_id = @agent_id AND NOT id = ANY(@ids::text[]);

-- name: DeleteReviewItemsOf :exec
-- Deletes the items about any of the memories.
DELETE FROM review_items WHERE memory_ids && @memory_ids::uuid[];

-- name: DeleteReviewItem :exec
DELETE FROM review_items WHERE id = @id;

-- name: SaveReviewItems :exec
INSERT INTO review_items (id, agent_id, kind, rank, weight, memory_ids, memories, search, reason, evidence, keep, subject, found_at)
SELECT i.id, @agent_id, i.kind, i.rank, i.weight, ARRAY(SELECT (m ->> 'id')::uuid FROM jsonb_array_elements(i.memories) m), i.memories, i.search, i.reason,
    i.evidence, i.keep, i.subject, @found_at
FROM jsonb_to_recordset(@items::jsonb) AS i (id text, kind text, rank integer, weight real, memories jsonb, search text, reason text, evidence jsonb, keep text, subject text)
ON CONFLICT (id) DO UPDATE SET rank = excluded.rank, weight = excluded.weight, memory_ids = excluded.memory_ids, memories = excluded.memories,
    search = excluded.search, reason = excluded.reason, evidence = excluded.evidence, keep = excluded.keep, subject = excluded.subject;

-- name: SaveReviewRun :exec
INSERT INTO review_runs (agent_id, examined_at, memories_version) VALUES (@agent_id, @examined_at, @memories_version)
ON CONFLICT (agent_id) DO UPDATE SET examined_at = excluded.examined_at, memories_version = excluded.memories_version;

-- name: ReviewOutdated :many
-- Returns the slugs of present agents whose memories have changed since their last examination, that
-- were examined before a time, or for which a decision has ended since.
SELECT a.slug
FROM agents a LEFT JOIN review_runs r ON r.agent_id = a.id
WHERE a.present AND a.joined_to IS NULL AND (r.agent_id IS NULL OR r.memories_version <> a.memories_version OR r.examined_at < @before
    OR EXISTS (SELECT FROM review_decisions d WHERE d.agent_id = a.id AND d.until > r.examined_at AND d.until <= @now))
ORDER BY a.slug;

-- name: ListReviewItems :many
-- Returns items in the order of the queue, after a place.
SELECT i.*, a.slug
FROM review_items i JOIN agents a ON a.id = i.agent_id
WHERE (@agent_id::bigint = 0 OR i.agent_id = @agent_id) AND (@kinds::text[] = '{}' OR i.kind = ANY(@kinds)) AND i.search LIKE '%' || @typed::text || '%'
  AND (@after_rank::integer < 0 OR (i.rank, 0 - i.weight, i.id) > (@after_rank, 0 - @after_weight::real, @after_id::text))
ORDER BY i.rank, i.weight DESC, i.id LIMIT @most::integer;

-- name: CountReviewItems :many
-- Counts items by agent and kind.
SELECT i.agent_id, i.kind, count(*) AS n
FROM review_items i
WHERE (@agent_id::bigint = 0 OR i.agent_id = @agent_id) AND i.search LIKE '%' || @typed::text || '%'
GROUP BY i.agent_id, i.kind;

-- name: ReviewItemByID :one
SELECT i.*, a.slug FROM review_items i JOIN agents a ON a.id = i.agent_id WHERE i.id = @id;

-- name: ReviewTextsOf :many
-- Returns those of the agent's undeleted memories that have the ids, as ReviewTexts does.
SELECT sqlc.embed(m), r.description, r.body,
    coalesce((SELECT v.gone FROM verifications v WHERE v.memory_id = m.id AND v.revision_id = m.revision_id), 0)::integer AS dead,
    (SELECT count(*) FROM recall_items i WHERE i.agent_id = m.agent_id AND i.memory_id = m.id AND i.at >= @since) AS recalls
FROM memories m JOIN revisions r ON r.id = m.revision_id
WHERE m.id = ANY(@ids::uuid[]) AND m.agent_id = @agent_id AND m.state <> 'deleted'
ORDER BY m.id;

-- name: ReviewPaths :many
-- Returns the paths of the agent's files on disk.
SELECT path FROM files WHERE agent_id = @agent_id AND present;

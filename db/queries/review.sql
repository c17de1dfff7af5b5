-- name: ReviewDecisions :many
-- Returns the decisions about items.
SELECT d.item_id, a.slug, d.kind, d.decision, d.decided_at, d.decided_by, d.until, d.undo
FROM review_decisions d JOIN agents a ON a.id = d.agent_id WHERE d.item_id = ANY(@item_ids::text[]);

-- name: SaveReviewDecision :exec
INSERT INTO review_decisions (item_id, agent_id, kind, decision, decided_at, decided_by, until, undo, memory_ids)
VALUES (@item_id, @agent_id, @kind, @decision, @decided_at, @decided_by, sqlc.narg(until), sqlc.narg(undo), sqlc.narg(memory_ids)::uuid[])
ON CONFLICT (item_id) DO UPDATE SET decision = excluded.decision, decided_at = excluded.decided_at, decided_by = excluded.decided_by,
    until = excluded.until, undo = excluded.undo, memory_ids = excluded.memory_ids;

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

-- name: DeleteReviewItem :execrows
DELETE FROM review_items WHERE id = @id;

-- name: LockReviewRun :exec
-- Keeps examinations of the agent from being saved until the transaction ends.
SELECT FROM review_runs WHERE agent_id = @agent_id FOR UPDATE;

-- name: SaveReviewItems :exec
-- Omits items with a decision that holds, and those that are hidden with all contents.
INSERT INTO review_items (id, agent_id, kind, rank, weight, memory_ids, memories, search, reason, evidence, keep, merge, subject, found_at)
SELECT i.id, @agent_id, i.kind, i.rank, i.weight, its.ids, i.memories, i.search, i.reason,
    i.evidence, i.keep, i.merge, i.subject, @found_at
FROM jsonb_to_recordset(@items::jsonb) AS i (id text, kind text, rank integer, weight real, memories jsonb, search text, reason text, evidence jsonb, keep text, merge jsonb, subject text)
CROSS JOIN LATERAL (SELECT ARRAY(SELECT (m ->> 'id')::uuid FROM jsonb_array_elements(i.memories) m) AS ids) its
WHERE NOT EXISTS (SELECT FROM review_decisions d WHERE d.item_id = i.id AND (d.until IS NULL OR d.until > @found_at))
    AND NOT EXISTS (
        SELECT FROM review_decisions d
        WHERE d.agent_id = @agent_id AND d.kind = i.kind AND d.memory_ids IS NOT NULL AND its.ids <@ d.memory_ids AND (its.ids = '{}') = (d.memory_ids = '{}'))
ON CONFLICT (id) DO UPDATE SET rank = excluded.rank, weight = excluded.weight, memory_ids = excluded.memory_ids, memories = excluded.memories,
    search = excluded.search, reason = excluded.reason, evidence = excluded.evidence, keep = excluded.keep, merge = excluded.merge, subject = excluded.subject;

-- name: SaveReviewRun :execrows
-- Saves nothing if a decision was taken back since examined_at.
INSERT INTO review_runs AS r (agent_id, examined_at, memories_version) VALUES (@agent_id, @examined_at, @memories_version)
ON CONFLICT (agent_id) DO UPDATE SET examined_at = excluded.examined_at, memories_version = excluded.memories_version
WHERE r.memories_version >= 0 OR r.examined_at <= excluded.examined_at;

-- name: OutdateReviewRun :exec
-- Records that a decision about the agent was taken back.
UPDATE review_runs SET memories_version = -1, examined_at = @at WHERE agent_id = @agent_id;

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
ORDER BY i.rank, i.weight DESC, i.id LIMIT @most::integer OFFSET @skip::integer;

-- name: CountReviewItemsBefore :one
-- Counts the items before one in the order of the queue.
SELECT count(*)
FROM review_items i, review_items o
WHERE o.id = @id AND (@agent_id::bigint = 0 OR i.agent_id = @agent_id) AND (@kinds::text[] = '{}' OR i.kind = ANY(@kinds)) AND i.search LIKE '%' || @typed::text || '%'
  AND (i.rank, 0 - i.weight, i.id) < (o.rank, 0 - o.weight, o.id);

-- name: ListReviewDecisions :many
-- Returns decisions, the last first. Those that a decision about other memories has settled too are
-- left out. held selects those that only hide an item, and hold at a time.
SELECT d.item_id, a.slug, d.kind, d.decision, d.decided_at, d.decided_by, d.until, d.undo
FROM review_decisions d JOIN agents a ON a.id = d.agent_id
WHERE d.undo IS NOT NULL AND (@agent_id::bigint = 0 OR d.agent_id = @agent_id) AND d.decided_at >= @since
  AND (NOT @held::boolean OR d.decision IN ('snooze', 'never', 'hide') AND (d.until IS NULL OR d.until > @now))
ORDER BY d.decided_at DESC, d.item_id LIMIT @most::integer;

-- name: CountReviewDecisions :one
-- Counts as ListReviewDecisions lists.
SELECT count(*) FROM review_decisions d
WHERE d.undo IS NOT NULL AND (@agent_id::bigint = 0 OR d.agent_id = @agent_id) AND d.decided_at >= @since
  AND (NOT @held::boolean OR d.decision IN ('snooze', 'never', 'hide') AND (d.until IS NULL OR d.until > @now));

-- name: ReviewExaminedAt :one
-- Returns when agents were last examined; 1970 if none was.
SELECT coalesce(max(examined_at), 'epoch')::timestamptz AS at FROM review_runs WHERE @agent_id::bigint = 0 OR agent_id = @agent_id;

-- name: ReviewSizes :many
-- Returns number and size in CLAUDE.md of the undeleted memories of agents, by type.
SELECT m.type, count(*) AS n, coalesce(sum(m.claude_md_chars), 0)::bigint AS chars
FROM memories m WHERE m.agent_id = ANY(@agent_ids::bigint[]) AND m.state <> 'deleted' GROUP BY m.type;

-- name: MemoriesWithLink :many
-- Returns the agent's undeleted memories whose text has one of the Markdown links, with the number of
-- the first such link. Few texts have any link, and to look for a bracket alone is faster.
SELECT m.id, (SELECT min(l.at) FROM unnest(@links::text[]) WITH ORDINALITY AS l (link, at) WHERE strpos(r.body, l.link) > 0)::integer AS link
FROM memories m JOIN revisions r ON r.id = m.revision_id
WHERE m.agent_id = @agent_id AND m.readable AND m.state <> 'deleted' AND NOT m.id = ANY(@besides::uuid[])
  AND strpos(r.body, '[') > 0 AND EXISTS (SELECT FROM unnest(@links) AS l WHERE strpos(r.body, l) > 0)
ORDER BY m.modified_at DESC, m.id LIMIT @most::integer;

-- name: ListReviewItemsOf :many
-- Returns the items about a memory in the order of the queue.
SELECT i.*, a.slug
FROM review_items i JOIN agents a ON a.id = i.agent_id
WHERE i.memory_ids @> ARRAY[@memory_id::uuid]
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
-- Returns those of the agent's memories that have the ids, as ReviewTexts does. They are undeleted, or a
-- person has to decide about their deletion.
SELECT sqlc.embed(m), r.description, r.body,
    coalesce((SELECT v.gone FROM verifications v WHERE v.memory_id = m.id AND v.revision_id = m.revision_id), 0)::integer AS dead,
    (SELECT count(*) FROM recall_items i WHERE i.agent_id = m.agent_id AND i.memory_id = m.id AND i.at >= @since) AS recalls
FROM memories m JOIN revisions r ON r.id = m.revision_id
WHERE m.id = ANY(@ids::uuid[]) AND m.agent_id = @agent_id
  AND (m.state <> 'deleted' OR EXISTS (SELECT FROM deletion_conflicts c WHERE c.memory_id = m.id AND c.deleted AND c.fingerprint = m.fingerprint))
ORDER BY m.id;

-- name: ReviewPaths :many
-- Returns the paths of the agent's files on disk.
SELECT path FROM files WHERE agent_id = @agent_id AND present;

-- name: RevisionsOf :many
-- Returns all contents of a memory, for the removal of a value.
SELECT id, description, body, raw FROM revisions WHERE memory_id = @memory_id;

-- name: ForgetRevisions :exec
-- Deletes revisions of a memory. The journal refers to the current one in their place.
WITH current AS (SELECT revision_id FROM memories m WHERE m.id = @memory_id),
    referring AS (UPDATE activity a SET revision_id = current.revision_id FROM current WHERE a.memory_id = @memory_id AND a.revision_id = ANY(@ids::uuid[]))
DELETE FROM revisions r USING current WHERE r.memory_id = @memory_id AND r.id = ANY(@ids::uuid[]) AND r.id <> current.revision_id;

-- name: ForgetIndexLines :exec
-- Also removes the memory from the search index, which is filled again.
WITH unindexed AS (DELETE FROM memory_search s WHERE s.memory_id = @id)
UPDATE memories m SET index_lines = NULL WHERE m.id = @id;

-- name: ForgetFormerFiles :exec
-- Makes decisions final that could write files of the agent as they were before.
UPDATE review_decisions SET undo = '{"final": true}' WHERE agent_id = @agent_id AND undo ? 'files';

-- name: RemoveFromNames :exec
-- Replaces a value in the journal of a memory.
UPDATE activity a SET name = replace(a.name, @value::text, @by::text), other_name = replace(a.other_name, @value, @by)
WHERE a.memory_id = @memory_id AND (strpos(a.name, @value) > 0 OR strpos(a.other_name, @value) > 0);

-- name: RemoveFromProposals :exec
-- Replaces a value in the proposals that became or changed a memory.
UPDATE proposals p SET name = replace(p.name, @value::text, @by::text), description = replace(p.description, @value, @by), body = replace(p.body, @value, @by),
    quote = replace(p.quote, @value, @by)
WHERE p.agent_id = @agent_id AND (p.memory_id = @memory_id::uuid OR p.target_memory_id = @memory_id::uuid);

-- name: RemoveFromSteps :exec
-- Replaces a value in the steps of plans that change a memory. value is as in JSON.
UPDATE consolidation_steps s SET title = replace(s.title, @value::text, @by::text), reason = replace(s.reason, @value, @by),
    changes = replace(s.changes::text, @value, @by)::jsonb
WHERE s.agent_id = @agent_id AND strpos(s.changes::text, @memory_id::text) > 0;

-- name: RemoveFromDecisions :exec
-- Replaces a value in what decisions about an agent remember. value is as in JSON.
UPDATE review_decisions d SET undo = replace(d.undo::text, @value::text, @by::text)::jsonb
WHERE d.agent_id = @agent_id AND strpos(d.undo::text, @value) > 0;

-- name: ReopenProposal :execrows
-- Makes a decided proposal wait again.
UPDATE proposals SET state = 'waiting', decided_at = NULL, decided_by = NULL, target_memory_id = NULL, base_etag = '', memory_id = NULL
WHERE id = @id AND agent_id = @agent_id AND state IN ('accepted', 'refused');

-- name: ReviewVerdicts :many
-- Returns what the model has said about the agent's memories.
SELECT id, kind, memory_ids, score, asked, verdict, reason, keep, merge FROM review_verdicts
WHERE agent_id = @agent_id AND verdict IS NOT NULL;

-- name: DeleteReviewQuestionsBut :exec
-- Deletes the agent's open questions except those with the ids.
DELETE FROM review_verdicts WHERE agent_id = @agent_id AND verdict IS NULL AND NOT id = ANY(@ids::text[]);

-- name: SaveReviewQuestions :exec
-- Saves open questions. A verdict about other memories with the same contents becomes one again.
INSERT INTO review_verdicts AS v (id, agent_id, kind, memory_ids, score)
SELECT q.id, @agent_id, q.kind, ARRAY(SELECT jsonb_array_elements_text(q.memories)::uuid), q.score
FROM jsonb_to_recordset(@questions::jsonb) AS q (id text, kind text, memories jsonb, score real)
ON CONFLICT (id) DO UPDATE SET memory_ids = excluded.memory_ids, score = excluded.score, verdict = NULL, reason = '', keep = NULL, merge = NULL
WHERE v.verdict IS NULL OR v.memory_ids <> excluded.memory_ids;

-- name: ReviewQuestions :many
-- Returns the agent's first open questions about pairs, or about single memories.
SELECT id, kind, memory_ids, score, asked FROM review_verdicts
WHERE agent_id = @agent_id AND verdict IS NULL AND (kind = 'pair') = @pairs::boolean
ORDER BY asked, score DESC, id LIMIT @most::integer;

-- name: DeleteReviewQuestions :exec
DELETE FROM review_verdicts WHERE id = ANY(@ids::text[]) AND verdict IS NULL;

-- name: SaveReviewVerdicts :exec
-- Saves verdicts, or that a question had no usable answer. A question that was deleted stays so.
UPDATE review_verdicts v SET asked = j.asked, verdict = j.verdict, reason = j.reason, keep = j.keep, merge = j.merge, judged_at = @judged_at
FROM jsonb_to_recordset(@verdicts::jsonb) AS j (id text, asked integer, verdict text, reason text, keep uuid, merge jsonb)
WHERE v.id = j.id AND v.agent_id = @agent_id;

-- name: DeleteReviewVerdictsOf :exec
-- Deletes what the model has said about a memory, which may quote it.
DELETE FROM review_verdicts WHERE memory_ids && ARRAY[@memory_id::uuid];

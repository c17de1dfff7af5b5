-- name: TouchConversation :exec
-- Inserts a conversation, or records activity in a known one. A transcript replaces the earlier
-- one; NULL keeps it.
INSERT INTO conversations (agent_id, session, transcript, last_activity_at)
VALUES (@agent_id, @session, sqlc.narg(transcript), @at)
ON CONFLICT (agent_id, session) DO UPDATE SET last_activity_at = excluded.last_activity_at, transcript = coalesce(excluded.transcript, conversations.transcript);

-- name: Conversation :one
SELECT * FROM conversations WHERE agent_id = @agent_id AND session = @session;

-- name: LockConversation :one
SELECT * FROM conversations WHERE agent_id = @agent_id AND session = @session FOR UPDATE;

-- name: ConversationsRead :many
-- Returns the ids of the messages up to which the agent's conversations were read, the latest
-- conversation first.
SELECT last_id FROM conversations WHERE agent_id = @agent_id AND last_id <> '' ORDER BY last_activity_at DESC LIMIT @most::integer;

-- name: UnreadConversations :many
-- Returns the conversations of all agents with activity after since and after their last read,
-- oldest first.
SELECT c.agent_id, c.session, c.last_activity_at
FROM conversations c
WHERE c.last_activity_at >= @since AND (c.read_at IS NULL OR c.read_at < c.last_activity_at)
ORDER BY c.last_activity_at;

-- name: AdvanceConversation :exec
UPDATE conversations SET read_at = @read_at, last_id = @last_id, read_offset = @read_offset, tail_hash = @tail_hash
WHERE agent_id = @agent_id AND session = @session;

-- name: AddText :exec
INSERT INTO conversation_texts (id, agent_id, session, messages, given_at) VALUES (@id, @agent_id, @session, @messages, @given_at);

-- name: PendingTexts :many
SELECT id, messages FROM conversation_texts WHERE agent_id = @agent_id AND session = @session ORDER BY given_at, id;

-- name: DeleteTexts :exec
DELETE FROM conversation_texts WHERE id = ANY(@ids::uuid[]);

-- name: DeleteOldTexts :exec
DELETE FROM conversation_texts WHERE given_at < @before;

-- name: AddProposal :execrows
INSERT INTO proposals (id, agent_id, state, name, type, description, body, fingerprint, quote, quoted_at, session, proposed_at, decided_at, decided_by,
    target_memory_id, base_etag)
VALUES (@id, @agent_id, @state, @name, @type, @description, @body, @fingerprint, @quote, sqlc.narg(quoted_at), @session, @proposed_at,
    sqlc.narg(decided_at), sqlc.narg(decided_by), sqlc.narg(target_memory_id), @base_etag)
ON CONFLICT (agent_id, fingerprint) DO NOTHING;

-- name: ProposalByID :one
SELECT * FROM proposals WHERE agent_id = @agent_id AND id = @id;

-- name: ListProposals :many
-- Returns a page of proposals, newest first; all states if state is NULL.
SELECT * FROM proposals
WHERE agent_id = @agent_id AND (sqlc.narg(state)::text IS NULL OR state = sqlc.narg(state)::text)
  AND (sqlc.narg(after_at)::timestamptz IS NULL OR proposed_at < sqlc.narg(after_at)::timestamptz
    OR (proposed_at = sqlc.narg(after_at)::timestamptz AND id > @after_id::uuid))
ORDER BY proposed_at DESC, id
LIMIT @most::integer;

-- name: CountProposals :one
SELECT count(*) FROM proposals WHERE agent_id = @agent_id AND (sqlc.narg(state)::text IS NULL OR state = sqlc.narg(state)::text);

-- name: BeginAccepting :execrows
-- Moves a waiting proposal to the state accepting, with the edited values. Changes no row if it is
-- not waiting. The caller whose update changes the row accepts the proposal.
UPDATE proposals SET state = 'accepting', decided_at = @at, decided_by = @decided_by, name = @name, type = @type,
    description = @description, body = @body, target_memory_id = sqlc.narg(target_memory_id), base_etag = @base_etag
WHERE agent_id = @agent_id AND id = @id AND state = 'waiting';

-- name: EndAccepting :exec
UPDATE proposals SET state = 'accepted', memory_id = @memory_id WHERE agent_id = @agent_id AND id = @id AND state = 'accepting';

-- name: CancelAccepting :exec
UPDATE proposals SET state = 'waiting', decided_at = NULL, decided_by = NULL, target_memory_id = NULL, base_etag = ''
WHERE agent_id = @agent_id AND id = @id AND state = 'accepting';

-- name: RefuseProposal :execrows
UPDATE proposals SET state = 'refused', decided_at = @at, decided_by = @decided_by
WHERE agent_id = @agent_id AND id = @id AND state = 'waiting';

-- name: ProposalsToFinish :many
SELECT * FROM proposals WHERE state = 'accepting' AND decided_at < @before ORDER BY decided_at, id LIMIT 100;

-- name: DeleteProposalsOf :exec
-- Deletes the proposals that became a memory, when that is purged.
DELETE FROM proposals WHERE agent_id = @agent_id AND memory_id = @memory_id;

-- name: DeletedContents :many
-- Returns the contents of the memories in the trash, the last deleted first, so that they are not
-- proposed again.
SELECT m.name, r.description, r.body
FROM memories m JOIN revisions r ON r.id = m.revision_id
WHERE m.agent_id = @agent_id AND m.state = 'deleted' AND m.readable
ORDER BY m.deleted_at DESC, m.id
LIMIT @most::integer;

-- name: HasTombstone :one
SELECT EXISTS (SELECT FROM tombstones WHERE agent_id = @agent_id AND fingerprint = @fingerprint);

-- name: HadContent :one
-- Returns the memory of the name that has the content and is not deleted, or has had it since a
-- time.
SELECT m.id FROM memories m JOIN revisions r ON r.memory_id = m.id
WHERE m.agent_id = @agent_id AND m.name = @name AND m.readable AND r.fingerprint = @fingerprint
  AND (r.id = m.revision_id AND m.state <> 'deleted' OR r.seen_at >= @since);

-- name: HearConversation :exec
-- There may be more to read. A path replaces the one before.
INSERT INTO conversations (agent_id, session, transcript, heard_at)
VALUES (@agent_id, @session, sqlc.narg(transcript), @at)
ON CONFLICT (agent_id, session) DO UPDATE SET heard_at = excluded.heard_at, transcript = coalesce(excluded.transcript, conversations.transcript);

-- name: ConversationBy :one
SELECT * FROM conversations WHERE agent_id = @agent_id AND session = @session;

-- name: LockConversation :one
SELECT * FROM conversations WHERE agent_id = @agent_id AND session = @session FOR UPDATE;

-- name: ConversationsRead :many
-- Those of the ids up to which a conversation of the agent was read.
SELECT last_id FROM conversations WHERE agent_id = @agent_id AND last_id <> '' ORDER BY heard_at DESC LIMIT @most::integer;

-- name: ConversationsUnread :many
-- Conversations that were heard of since they were last read, of all agents.
SELECT c.agent_id, c.session, c.heard_at
FROM conversations c
WHERE c.heard_at >= @since AND (c.read_at IS NULL OR c.read_at < c.heard_at)
ORDER BY c.heard_at;

-- name: MoveConversation :exec
UPDATE conversations SET read_at = @read_at, last_id = @last_id, read_to = @read_to, mark = @mark
WHERE agent_id = @agent_id AND session = @session;

-- name: GiveText :exec
INSERT INTO conversation_texts (id, agent_id, session, messages, given_at) VALUES (@id, @agent_id, @session, @messages, @given_at);

-- name: TextsGiven :many
SELECT id, messages FROM conversation_texts WHERE agent_id = @agent_id AND session = @session ORDER BY given_at, id;

-- name: DropTexts :exec
DELETE FROM conversation_texts WHERE id = ANY(@ids::uuid[]);

-- name: ForgetTexts :exec
DELETE FROM conversation_texts WHERE given_at < @before;

-- name: AddProposal :execrows
INSERT INTO proposals (id, agent_id, state, name, type, description, body, fingerprint, quote, quoted_at, session, proposed_at, decided_at, decided_by,
    updates, match)
VALUES (@id, @agent_id, @state, @name, @type, @description, @body, @fingerprint, @quote, sqlc.narg(quoted_at), @session, @proposed_at,
    sqlc.narg(decided_at), sqlc.narg(decided_by), sqlc.narg(updates), @match)
ON CONFLICT (agent_id, fingerprint) DO NOTHING;

-- name: ProposalByID :one
SELECT * FROM proposals WHERE agent_id = @agent_id AND id = @id;

-- name: ListProposals :many
-- The newest, after a place in the list; no state: all.
SELECT * FROM proposals
WHERE agent_id = @agent_id AND (sqlc.narg(state)::text IS NULL OR state = sqlc.narg(state)::text)
  AND (sqlc.narg(after_at)::timestamptz IS NULL OR proposed_at < sqlc.narg(after_at)::timestamptz
    OR (proposed_at = sqlc.narg(after_at)::timestamptz AND id > @after_id::uuid))
ORDER BY proposed_at DESC, id
LIMIT @most::integer;

-- name: CountProposals :one
SELECT count(*) FROM proposals WHERE agent_id = @agent_id AND (sqlc.narg(state)::text IS NULL OR state = sqlc.narg(state)::text);

-- name: BeginAccepting :execrows
-- Whoever makes this change accepts it.
UPDATE proposals SET state = 'accepting', decided_at = @at, decided_by = @decided_by, name = @name, type = @type,
    description = @description, body = @body, updates = sqlc.narg(updates), match = @match
WHERE agent_id = @agent_id AND id = @id AND state = 'waiting';

-- name: EndAccepting :exec
UPDATE proposals SET state = 'accepted', memory_id = @memory_id WHERE agent_id = @agent_id AND id = @id AND state = 'accepting';

-- name: GiveUpAccepting :exec
UPDATE proposals SET state = 'waiting', decided_at = NULL, decided_by = NULL, updates = NULL, match = ''
WHERE agent_id = @agent_id AND id = @id AND state = 'accepting';

-- name: RefuseProposal :execrows
UPDATE proposals SET state = 'refused', decided_at = @at, decided_by = @decided_by
WHERE agent_id = @agent_id AND id = @id AND state = 'waiting';

-- name: ProposalsToFinish :many
SELECT * FROM proposals WHERE state = 'accepting' AND decided_at < @before ORDER BY decided_at, id LIMIT 100;

-- name: ForgetProposalsOf :exec
-- With a memory that is purged goes what it was accepted from.
DELETE FROM proposals WHERE agent_id = @agent_id AND memory_id = @memory_id;

-- name: SpentContents :many
-- What was deleted lately, as its revision said it: the same is not proposed again.
SELECT m.name, r.description, r.body
FROM memories m JOIN revisions r ON r.id = m.revision_id
WHERE m.agent_id = @agent_id AND m.state = 'deleted' AND m.readable
ORDER BY m.deleted_at DESC, m.id
LIMIT @most::integer;

-- name: IsBuried :one
SELECT EXISTS (SELECT FROM tombstones WHERE agent_id = @agent_id AND fingerprint = @fingerprint);

-- name: HadContent :one
-- The memory of that name that says this, or has come to say it since.
SELECT m.id FROM memories m JOIN revisions r ON r.memory_id = m.id
WHERE m.agent_id = @agent_id AND m.name = @name AND m.readable AND r.fingerprint = @fingerprint
  AND (r.id = m.revision_id AND m.state <> 'deleted' OR r.seen_at >= @since);

package postgres

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/dbconv"
	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// TouchConversation records at as the time of the last activity in a conversation, and adds the
// conversation if it is unknown. transcript is the path of its file; it replaces a known path,
// unless it is empty.
func (s *Store) TouchConversation(ctx context.Context, agentID int64, session, transcript string, at time.Time) error {
	return dberr.Wrap("note a conversation", s.q.TouchConversation(ctx, queries.TouchConversationParams{
		AgentID: agentID, Session: session, Transcript: dbconv.Optional(transcript), At: at,
	}))
}

// AddTexts saves messages that a script has sent, until SaveFinding or DeleteOldTexts deletes them.
// In the same transaction it records at as the time of the conversation's last activity, and adds
// the conversation if it is unknown.
func (s *Store) AddTexts(ctx context.Context, agentID int64, session string, messages json.RawMessage, at time.Time) error {
	return s.inTx(ctx, "keep a conversation", func(q *queries.Queries) error {
		if err := q.TouchConversation(ctx, queries.TouchConversationParams{AgentID: agentID, Session: session, At: at}); err != nil {
			return err
		}
		return q.AddText(ctx, queries.AddTextParams{ID: uuid.New(), AgentID: agentID, Session: session, Messages: messages, GivenAt: at})
	})
}

// Conversation returns a conversation with the position up to which it was read. It fails with
// memories.ErrNotFound if the agent has no such conversation.
func (s *Store) Conversation(ctx context.Context, agentID int64, session string) (records.Conversation, error) {
	row, err := s.q.Conversation(ctx, queries.ConversationParams{AgentID: agentID, Session: session})
	return conversationOf(row), dberr.Wrap("read a conversation", err)
}

// PendingTexts returns the messages that AddTexts has saved for one conversation and that were not
// read yet, oldest first. The list is empty if there are none.
func (s *Store) PendingTexts(ctx context.Context, agentID int64, session string) ([]records.PendingText, error) {
	rows, err := s.q.PendingTexts(ctx, queries.PendingTextsParams{AgentID: agentID, Session: session})
	return dbconv.Rows("read a conversation", rows, err, func(row queries.PendingTextsRow) records.PendingText {
		return records.PendingText{ID: row.ID, Messages: row.Messages}
	})
}

// DeleteOldTexts deletes the messages of all agents that AddTexts has saved before a time,
// including those that were not read.
func (s *Store) DeleteOldTexts(ctx context.Context, before time.Time) error {
	return dberr.Wrap("forget conversations", s.q.DeleteOldTexts(ctx, before))
}

// maxReadIDs limits the result of LastRead. It is arbitrary.
const maxReadIDs = 10_000

// LastRead returns the id of the last message that was read in each of the agent's conversations,
// the conversation with the latest activity first. It omits conversations that were never read, and
// all after the first 10,000.
func (s *Store) LastRead(ctx context.Context, agentID int64) ([]string, error) {
	ids, err := s.q.ConversationsRead(ctx, queries.ConversationsReadParams{AgentID: agentID, Most: maxReadIDs})
	return ids, dberr.Wrap("read conversations", err)
}

// UnreadConversations returns the conversations of all agents that were never read, or had activity
// since they were last read. It omits those whose last activity is before since. The one with the
// oldest activity is first.
func (s *Store) UnreadConversations(ctx context.Context, since time.Time) ([]records.UnreadConversation, error) {
	rows, err := s.q.UnreadConversations(ctx, since)
	return dbconv.Rows("list unread conversations", rows, err, func(row queries.UnreadConversationsRow) records.UnreadConversation {
		return records.UnreadConversation{AgentID: row.AgentID, Session: row.Session, LastActivityAt: row.LastActivityAt.UTC()}
	})
}

// SaveFinding saves f.Proposals, deletes the messages in f.Texts, and moves the read position to
// f.To, in one transaction. It skips proposals with a known fingerprint, and returns the ids of the
// others. It fails with memories.ErrChanged if the read position is not f.From, and with
// memories.ErrNotFound for an unknown conversation. At an error nothing is saved, and added is
// meaningless.
func (s *Store) SaveFinding(ctx context.Context, f records.Finding) (added []uuid.UUID, err error) {
	err = s.inTx(ctx, "keep what was found", func(q *queries.Queries) error {
		row, err := q.LockConversation(ctx, queries.LockConversationParams{AgentID: f.AgentID, Session: f.Session})
		if err != nil {
			return err
		}
		if !conversationOf(row).TranscriptPosition.Equal(f.From) {
			return memories.ErrChanged
		}
		for _, p := range f.Proposals {
			n, err := addProposal(ctx, q, p)
			if err != nil {
				return err
			}
			if n > 0 {
				added = append(added, p.ID)
			}
		}
		if err := q.DeleteTexts(ctx, f.Texts); err != nil {
			return err
		}
		return q.AdvanceConversation(ctx, queries.AdvanceConversationParams{
			AgentID: f.AgentID, Session: f.Session, ReadAt: &f.ReadAt, LastID: f.To.LastID, ReadOffset: f.To.Offset,
			TailHash: append([]byte{}, f.To.TailHash...), // never NULL
		})
	})
	return added, err
}

func conversationOf(row queries.Conversation) records.Conversation {
	return records.Conversation{
		AgentID: row.AgentID, Session: row.Session, Transcript: dbconv.OrZero(row.Transcript), LastActivityAt: row.LastActivityAt.UTC(), ReadAt: dbconv.TimeOrZero(row.ReadAt),
		TranscriptPosition: records.TranscriptPosition{LastID: row.LastID, Offset: row.ReadOffset, TailHash: row.TailHash},
	}
}

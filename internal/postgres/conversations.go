package postgres

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// TouchConversation records activity in a conversation. transcript is empty if a script gives the
// messages.
func (s *Store) TouchConversation(ctx context.Context, agentID int64, session, transcript string, at time.Time) error {
	return dberr.Wrap("note a conversation", s.q.TouchConversation(ctx, queries.TouchConversationParams{
		AgentID: agentID, Session: session, Transcript: optional(transcript), At: at,
	}))
}

// AddTexts saves messages from a script until they are read, and records activity in their
// conversation.
func (s *Store) AddTexts(ctx context.Context, agentID int64, session string, messages json.RawMessage, at time.Time) error {
	return s.inTx(ctx, "keep a conversation", func(q *queries.Queries) error {
		if err := q.TouchConversation(ctx, queries.TouchConversationParams{AgentID: agentID, Session: session, At: at}); err != nil {
			return err
		}
		return q.AddText(ctx, queries.AddTextParams{ID: uuid.New(), AgentID: agentID, Session: session, Messages: messages, GivenAt: at})
	})
}

// Conversation returns the read position of a conversation. It fails with memories.ErrNotFound.
func (s *Store) Conversation(ctx context.Context, agentID int64, session string) (records.Conversation, error) {
	row, err := s.q.Conversation(ctx, queries.ConversationParams{AgentID: agentID, Session: session})
	return conversationOf(row), dberr.Wrap("read a conversation", err)
}

// PendingTexts returns the unread messages of a conversation, oldest first.
func (s *Store) PendingTexts(ctx context.Context, agentID int64, session string) ([]records.PendingText, error) {
	rows, err := s.q.PendingTexts(ctx, queries.PendingTextsParams{AgentID: agentID, Session: session})
	return mapRows("read a conversation", rows, err, func(row queries.PendingTextsRow) records.PendingText {
		return records.PendingText{ID: row.ID, Messages: row.Messages}
	})
}

// DeleteOldTexts deletes messages from scripts that were saved before a time.
func (s *Store) DeleteOldTexts(ctx context.Context, before time.Time) error {
	return dberr.Wrap("forget conversations", s.q.DeleteOldTexts(ctx, before))
}

// maxReadIDs is the number of conversations of an agent whose read positions are known at once: the
// latest ones.
const maxReadIDs = 10_000

// LastRead returns the ids of the last messages that were read, of all conversations of an agent.
func (s *Store) LastRead(ctx context.Context, agentID int64) ([]string, error) {
	ids, err := s.q.ConversationsRead(ctx, queries.ConversationsReadParams{AgentID: agentID, Most: maxReadIDs})
	return ids, dberr.Wrap("read conversations", err)
}

// UnreadConversations returns the conversations of all agents with unread activity since a time,
// oldest first.
func (s *Store) UnreadConversations(ctx context.Context, since time.Time) ([]records.UnreadConversation, error) {
	rows, err := s.q.UnreadConversations(ctx, since)
	return mapRows("list unread conversations", rows, err, func(row queries.UnreadConversationsRow) records.UnreadConversation {
		return records.UnreadConversation{AgentID: row.AgentID, Session: row.Session, LastActivityAt: row.LastActivityAt.UTC()}
	})
}

// SaveFinding saves proposals and advances the read position, in one transaction. It returns the
// ids of the new proposals. It fails with memories.ErrChanged, and saves nothing, if the part was
// read by another server.
func (s *Store) SaveFinding(ctx context.Context, f records.Finding) (kept []uuid.UUID, err error) {
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
				kept = append(kept, p.ID)
			}
		}
		if err := q.DeleteTexts(ctx, f.Texts); err != nil {
			return err
		}
		if f.To.TailHash == nil {
			f.To.TailHash = []byte{}
		}
		return q.AdvanceConversation(ctx, queries.AdvanceConversationParams{
			AgentID: f.AgentID, Session: f.Session, ReadAt: &f.ReadAt, LastID: f.To.LastID, ReadOffset: f.To.Offset, TailHash: f.To.TailHash,
		})
	})
	return kept, err
}

func conversationOf(row queries.Conversation) records.Conversation {
	return records.Conversation{
		AgentID: row.AgentID, Session: row.Session, Transcript: orZero(row.Transcript), LastActivityAt: row.LastActivityAt.UTC(), ReadAt: timeOrZero(row.ReadAt),
		TranscriptPosition: records.TranscriptPosition{LastID: row.LastID, Offset: row.ReadOffset, TailHash: row.TailHash},
	}
}

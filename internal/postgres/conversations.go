package postgres

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// HearConversation notes that there may be more to read of a conversation. transcript is empty for one that a script gives.
func (s *Store) HearConversation(ctx context.Context, agentID int64, session, transcript string, at time.Time) error {
	return wrap("note a conversation", s.q.HearConversation(ctx, queries.HearConversationParams{
		AgentID: agentID, Session: session, Transcript: optional(transcript), At: at,
	}))
}

// GiveConversation is HearConversation of one of which a script gives messages, which are kept with it until they are read.
func (s *Store) GiveConversation(ctx context.Context, agentID int64, session string, messages json.RawMessage, at time.Time) error {
	return wrap("keep a conversation", pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		q := s.q.WithTx(tx)
		if err := q.HearConversation(ctx, queries.HearConversationParams{AgentID: agentID, Session: session, At: at}); err != nil {
			return err
		}
		return q.GiveText(ctx, queries.GiveTextParams{ID: uuid.New(), AgentID: agentID, Session: session, Messages: messages, GivenAt: at})
	}))
}

// Conversation returns how one stands. It fails with memories.ErrNotFound.
func (s *Store) Conversation(ctx context.Context, agentID int64, session string) (records.Conversation, error) {
	row, err := s.q.ConversationBy(ctx, queries.ConversationByParams{AgentID: agentID, Session: session})
	return conversationOf(row), wrap("read a conversation", err)
}

// GivenTexts returns what was given of a conversation, the oldest first.
func (s *Store) GivenTexts(ctx context.Context, agentID int64, session string) ([]records.GivenText, error) {
	rows, err := s.q.TextsGiven(ctx, queries.TextsGivenParams{AgentID: agentID, Session: session})
	given := make([]records.GivenText, len(rows))
	for i, row := range rows {
		given[i] = records.GivenText{ID: row.ID, Messages: row.Messages}
	}
	return given, wrap("read a conversation", err)
}

// ForgetTexts removes what scripts have given before that and nobody could read.
func (s *Store) ForgetTexts(ctx context.Context, before time.Time) error {
	return wrap("forget conversations", s.q.ForgetTexts(ctx, before))
}

// maxRead is of how many conversations of an agent it is known at once up to where they were read: those heard of last.
const maxRead = 10_000

// LastRead returns the ids of the messages up to which conversations of an agent were read.
func (s *Store) LastRead(ctx context.Context, agentID int64) ([]string, error) {
	ids, err := s.q.ConversationsRead(ctx, queries.ConversationsReadParams{AgentID: agentID, Most: maxRead})
	return ids, wrap("read conversations", err)
}

// UnreadConversations returns those of all agents that were heard of since then, and not read after that; the oldest first.
func (s *Store) UnreadConversations(ctx context.Context, since time.Time) ([]records.UnreadConversation, error) {
	rows, err := s.q.ConversationsUnread(ctx, since)
	unread := make([]records.UnreadConversation, len(rows))
	for i, row := range rows {
		unread[i] = records.UnreadConversation{AgentID: row.AgentID, Session: row.Session, HeardAt: row.HeardAt.UTC()}
	}
	return unread, wrap("list unread conversations", err)
}

// KeepFinding keeps what was found and moves the place up to which the conversation was read, in one transaction. kept are the ids
// of the proposals that are new. It fails with memories.ErrChanged where somebody else has read the stretch meanwhile; then nothing
// is kept.
func (s *Store) KeepFinding(ctx context.Context, f records.Finding) (kept []uuid.UUID, err error) {
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		kept = nil
		q := s.q.WithTx(tx)
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
		if err := q.DropTexts(ctx, f.Texts); err != nil {
			return err
		}
		if f.To.Mark == nil {
			f.To.Mark = []byte{}
		}
		return q.MoveConversation(ctx, queries.MoveConversationParams{
			AgentID: f.AgentID, Session: f.Session, ReadAt: &f.ReadAt, LastID: f.To.Last, ReadTo: f.To.ReadTo, Mark: f.To.Mark,
		})
	})
	return kept, wrap("keep what was found", err)
}

func conversationOf(row queries.Conversation) records.Conversation {
	return records.Conversation{
		AgentID: row.AgentID, Session: row.Session, Transcript: text(row.Transcript), HeardAt: row.HeardAt.UTC(), ReadAt: moment(row.ReadAt),
		TranscriptPosition: records.TranscriptPosition{Last: row.LastID, ReadTo: row.ReadTo, Mark: row.Mark},
	}
}

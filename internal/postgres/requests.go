package postgres

import (
	"context"

	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// Ask puts a request where the other servers find it, and tells them payload. It is to be begun within 3 seconds, unless
// StillWanted prolongs that. Whoever asks ends it with Withdraw.
func (s *Store) Ask(ctx context.Context, r records.ServerRequest, payload string) error {
	return wrap("ask another server", s.q.Ask(ctx, queries.AskParams{
		ID: r.ID, AgentID: r.AgentID, Call: r.Call, Arguments: r.Arguments, Actor: string(r.Actor), Payload: payload,
	}))
}

// StillWanted says that the asker still waits, and returns how the request stands: whether a server has begun with it, and
// what it has answered, if anything. It fails with memories.ErrNotFound when Postgres has lost the request in a crash.
func (s *Store) StillWanted(ctx context.Context, id uuid.UUID) (taken bool, answer []byte, err error) {
	row, err := s.q.StillWanted(ctx, id)
	return row.Taken, row.Answer, wrap("wait for another server", err)
}

// TakeRequest returns a request that is still wanted and that nobody has begun with; whoever takes it carries it out. It fails
// with memories.ErrNotFound where there is none.
func (s *Store) TakeRequest(ctx context.Context, id uuid.UUID) (records.ServerRequest, error) {
	row, err := s.q.TakeRequest(ctx, id)
	return records.ServerRequest{
		ID: id, AgentID: row.AgentID, Call: row.Call, Arguments: row.Arguments, Actor: memories.Actor(row.Actor),
	}, wrap("take a request", err)
}

// Answer answers a request, and tells the other servers payload.
func (s *Store) Answer(ctx context.Context, id uuid.UUID, answer []byte, payload string) error {
	return wrap("answer a request", s.q.Answer(ctx, queries.AnswerParams{ID: id, Answer: answer, Payload: payload}))
}

// Withdraw ends a request and returns how it stood. It fails with memories.ErrNotFound as StillWanted does.
func (s *Store) Withdraw(ctx context.Context, id uuid.UUID) (taken bool, answer []byte, err error) {
	row, err := s.q.Withdraw(ctx, id)
	return row.Taken, row.Answer, wrap("withdraw a request", err)
}

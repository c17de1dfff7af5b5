package postgres

import (
	"context"

	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// AddRequest adds a request and notifies the other servers with payload. It expires after 3
// seconds, unless ExtendRequest extends it. The caller must call DeleteRequest.
func (s *Store) AddRequest(ctx context.Context, r records.ServerRequest, payload string) error {
	return dberr.Wrap("ask another server", s.q.AddRequest(ctx, queries.AddRequestParams{
		ID: r.ID, AgentID: r.AgentID, Call: r.Call, Arguments: r.Arguments, Actor: string(r.Actor), Payload: payload,
	}))
}

// ExtendRequest extends the expiry. It returns whether a server has claimed the request, and the
// response. It fails with memories.ErrNotFound if Postgres has lost the request in a crash.
func (s *Store) ExtendRequest(ctx context.Context, id uuid.UUID) (taken bool, answer []byte, err error) {
	row, err := s.q.ExtendRequest(ctx, id)
	return row.Claimed, row.Response, dberr.Wrap("wait for another server", err)
}

// ClaimRequest claims and returns a request that has not expired. The caller must run it. It fails
// with memories.ErrNotFound if none exists.
func (s *Store) ClaimRequest(ctx context.Context, id uuid.UUID) (records.ServerRequest, error) {
	row, err := s.q.ClaimRequest(ctx, id)
	return records.ServerRequest{
		ID: id, AgentID: row.AgentID, Call: row.Call, Arguments: row.Arguments, Actor: memories.Actor(row.Actor),
	}, dberr.Wrap("take a request", err)
}

// SaveResponse saves the response of a request and notifies the other servers with payload.
func (s *Store) SaveResponse(ctx context.Context, id uuid.UUID, answer []byte, payload string) error {
	return dberr.Wrap("answer a request", s.q.SaveResponse(ctx, queries.SaveResponseParams{ID: id, Response: answer, Payload: payload}))
}

// DeleteRequest deletes a request and returns its state. It fails with memories.ErrNotFound as
// ExtendRequest does.
func (s *Store) DeleteRequest(ctx context.Context, id uuid.UUID) (taken bool, answer []byte, err error) {
	row, err := s.q.DeleteRequest(ctx, id)
	return row.Claimed, row.Response, dberr.Wrap("withdraw a request", err)
}

package postgres

import (
	"context"

	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// AddRequest saves a request for another server and notifies all servers with payload. The request
// expires after 3 seconds, unless ExtendRequest extends it. The caller must call DeleteRequest,
// also after it has expired.
func (s *Store) AddRequest(ctx context.Context, r records.ServerRequest, payload string) error {
	return dberr.Wrap("ask another server", s.q.AddRequest(ctx, queries.AddRequestParams{
		ID: r.ID, AgentID: r.AgentID, Call: r.Call, Arguments: r.Arguments, Actor: string(r.Actor), Action: r.Action.ID,
		Browser: r.Action.Browser, Person: r.Action.Person, Payload: payload,
	}))
}

// ExtendRequest sets the expiry of a request to 3 seconds from now. claimed reports whether a
// server has claimed it; response is nil until there is one. It fails with memories.ErrNotFound if
// the request does not exist, because Postgres has lost it in a crash.
func (s *Store) ExtendRequest(ctx context.Context, id uuid.UUID) (claimed bool, response []byte, err error) {
	row, err := s.q.ExtendRequest(ctx, id)
	return row.Claimed, row.Response, dberr.Wrap("wait for another server", err)
}

// ClaimRequest marks the request as claimed and returns it; the caller must run it. It fails with
// memories.ErrNotFound if the request does not exist, has expired, or is already claimed.
func (s *Store) ClaimRequest(ctx context.Context, id uuid.UUID) (records.ServerRequest, error) {
	row, err := s.q.ClaimRequest(ctx, id)
	return records.ServerRequest{
		ID: id, AgentID: row.AgentID, Call: row.Call, Arguments: row.Arguments, Actor: memories.Actor(row.Actor),
		Action: records.Action{ID: row.Action, Browser: row.Browser, Person: row.Person},
	}, dberr.Wrap("take a request", err)
}

// SaveResponse saves the response of a request and notifies all servers with payload. If the
// request no longer exists, it only notifies, and returns nil.
func (s *Store) SaveResponse(ctx context.Context, id uuid.UUID, response []byte, payload string) error {
	return dberr.Wrap("answer a request", s.q.SaveResponse(ctx, queries.SaveResponseParams{ID: id, Response: response, Payload: payload}))
}

// DeleteRequest deletes a request. It returns whether a server had claimed it, and the response, or
// nil if there was none. It also deletes requests of others that expired more than a minute ago. It
// fails with memories.ErrNotFound if the request does not exist, because Postgres has lost it in a
// crash.
func (s *Store) DeleteRequest(ctx context.Context, id uuid.UUID) (claimed bool, response []byte, err error) {
	row, err := s.q.DeleteRequest(ctx, id)
	return row.Claimed, row.Response, dberr.Wrap("withdraw a request", err)
}

package postgres

import (
	"context"
	"time"

	"memoir/internal/postgres/internal/dbconv"
	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/queries"
)

// SaveSignIn saves the sign-in of a browser until expires, and deletes expired sign-ins. id is a
// hash of the cookie, and seal a keyed hash of it. It fails if the id exists.
func (s *Store) SaveSignIn(ctx context.Context, id, seal []byte, expires time.Time) error {
	return dberr.Wrap("keep sign-in", s.q.SaveSignIn(ctx, queries.SaveSignInParams{ID: id, Seal: seal, ExpiresAt: expires}))
}

// SignInSeal returns the seal of a sign-in. It returns nil and no error if the id is unknown or the
// sign-in has expired.
func (s *Store) SignInSeal(ctx context.Context, id []byte) ([]byte, error) {
	seal, err := s.q.SignInSeal(ctx, id)
	return seal, dberr.Wrap("read sign-in", dbconv.IgnoreNoRows(err))
}

// EndSignIn deletes a sign-in, so that its cookie is invalid on every server. An unknown id is not
// an error.
func (s *Store) EndSignIn(ctx context.Context, id []byte) error {
	return dberr.Wrap("end sign-in", s.q.EndSignIn(ctx, id))
}

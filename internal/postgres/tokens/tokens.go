// Package tokens has the statements about who may use Memoir: people and programs besides the owner,
// and the sign-ins of browsers.
package tokens

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"memoir/internal/access"
	"memoir/internal/memories"
	"memoir/internal/postgres/internal/dbconv"
	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/queries"
)

// DB is a pool of connections.
type DB interface {
	queries.DBTX
	Begin(ctx context.Context) (pgx.Tx, error)
}

// Tokens reads and writes principals and sign-ins. It is safe for concurrent use.
type Tokens struct {
	db DB
	q  *queries.Queries
}

// New returns the Tokens of a database.
func New(db DB) *Tokens { return &Tokens{db, queries.New(db)} }

// Principals returns all principals that are not revoked, expired ones included, by name.
func (t *Tokens) Principals(ctx context.Context) ([]access.Principal, error) {
	rows, err := t.q.Principals(ctx)
	return dbconv.Rows("read the tokens", rows, err, func(row queries.Principal) access.Principal {
		return access.Principal{
			ID: row.ID.String(), Name: row.Name, Login: dbconv.OrZero(row.Login), Scope: access.Scope(row.Scope), Agents: row.Agents,
			CreatedAt: row.CreatedAt.UTC(), ExpiresAt: inUTC(row.ExpiresAt), LastUsedAt: inUTC(row.LastUsedAt), Hash: row.TokenHash,
		}
	})
}

// AddPrincipal saves a new principal, which needs an ID, and a Hash or a Login. If its name or login
// belongs to an expired one, it revokes that one. If it belongs to another one, it fails with
// *memories.ConflictError.
func (t *Tokens) AddPrincipal(ctx context.Context, p access.Principal) error {
	id, err := uuid.Parse(p.ID)
	if err != nil {
		return err
	}
	login := dbconv.Optional(p.Login)
	err = pgx.BeginFunc(ctx, t.db, func(tx pgx.Tx) error {
		q := t.q.WithTx(tx)
		if err := q.RetireExpired(ctx, queries.RetireExpiredParams{Now: &p.CreatedAt, Name: p.Name, Login: login}); err != nil {
			return err
		}
		return q.AddPrincipal(ctx, queries.AddPrincipalParams{
			ID: id, Name: p.Name, Scope: string(p.Scope), Agents: p.Agents, TokenHash: p.Hash, Login: login, CreatedAt: p.CreatedAt, ExpiresAt: p.ExpiresAt,
		})
	})
	const uniqueViolation = "23505"
	var refused *pgconn.PgError
	if errors.As(err, &refused) && refused.Code == uniqueViolation {
		return &memories.ConflictError{Reason: "Name or login is taken. Nothing was changed. Revoke the other token first, or choose another name."}
	}
	return dberr.Wrap("save the token", err)
}

// RevokePrincipal revokes a principal and deletes its sign-ins. It fails with memories.ErrNotFound
// if the id is unknown, malformed or revoked.
func (t *Tokens) RevokePrincipal(ctx context.Context, id string, at time.Time) error {
	parsed, err := dbconv.ParseID(id)
	if err != nil {
		return err
	}
	n, err := t.q.RevokePrincipal(ctx, queries.RevokePrincipalParams{ID: parsed, At: at})
	if err == nil && n == 0 {
		return memories.ErrNotFound
	}
	return dberr.Wrap("revoke the token", err)
}

// UsePrincipal records that a principal was used at that time.
func (t *Tokens) UsePrincipal(ctx context.Context, id string, at time.Time) error {
	parsed, err := dbconv.ParseID(id)
	if err != nil {
		return err
	}
	return dberr.Wrap("record the use of a token", t.q.UsePrincipal(ctx, queries.UsePrincipalParams{ID: parsed, At: at}))
}

// SaveSignIn saves the sign-in of a browser, and deletes expired sign-ins. id is a hash of the
// cookie. It fails if the id exists.
func (t *Tokens) SaveSignIn(ctx context.Context, id []byte, in access.SignIn) error {
	params := queries.SaveSignInParams{ID: id, Seal: append([]byte{}, in.Seal...), ExpiresAt: in.ExpiresAt}
	if in.Principal != "" {
		principal, err := dbconv.ParseID(in.Principal)
		if err != nil {
			return err
		}
		params.PrincipalID = &principal
	}
	return dberr.Wrap("keep sign-in", t.q.SaveSignIn(ctx, params))
}

// SignIn returns a sign-in. It returns the zero value and no error if the id is unknown or the
// sign-in has expired.
func (t *Tokens) SignIn(ctx context.Context, id []byte) (access.SignIn, error) {
	row, err := t.q.SignIn(ctx, id)
	in := access.SignIn{Seal: row.Seal, ExpiresAt: row.ExpiresAt.UTC()}
	if row.PrincipalID != nil {
		in.Principal = row.PrincipalID.String()
	}
	return in, dberr.Wrap("read sign-in", dbconv.IgnoreNoRows(err))
}

// EndSignIn deletes a sign-in, so that its cookie is invalid on every server. An unknown id is not
// an error.
func (t *Tokens) EndSignIn(ctx context.Context, id []byte) error {
	return dberr.Wrap("end sign-in", t.q.EndSignIn(ctx, id))
}

func inUTC(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	utc := t.UTC()
	return &utc
}

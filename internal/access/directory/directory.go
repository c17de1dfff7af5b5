// Package directory knows the principals of the database: who may use Memoir besides the owner. It
// keeps them in memory, so that a request needs no query, and records when each was last used.
package directory

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"memoir/internal/access"
)

const (
	// MaxAge is the maximum age of the principals in memory. A token that another server revokes is
	// refused after that time. Arbitrary.
	MaxAge = 2 * time.Second
	// loadTimeout is the timeout of the database (arbitrary).
	loadTimeout = 2 * time.Second
	// useInterval is the time between two records of the use of a principal.
	useInterval = time.Minute
)

// Store stores principals. *postgres.Store implements and documents it.
type Store interface {
	Principals(ctx context.Context) ([]access.Principal, error)
	AddPrincipal(ctx context.Context, p access.Principal) error
	RevokePrincipal(ctx context.Context, id string, at time.Time) error
	UsePrincipal(ctx context.Context, id string, at time.Time) error
}

// Directory finds, adds and revokes principals. It is safe for concurrent use.
type Directory struct {
	store Store
	log   *slog.Logger

	mu    sync.Mutex
	known *known // nil before the first read
	used  map[string]time.Time
}

// known are the principals at a time.
type known struct {
	at                    time.Time
	byHash, byID, byLogin map[string]access.Principal
}

// New returns the Directory of a database.
func New(store Store, log *slog.Logger) *Directory {
	return &Directory{store: store, log: log, used: map[string]time.Time{}}
}

// ByToken returns the principal with that token, and records its use. It returns the zero Principal
// if no token is equal, or it is expired or revoked, and an error if the database has never
// answered. While it does not answer, the last known state holds.
func (d *Directory) ByToken(ctx context.Context, token string) (access.Principal, error) {
	hash := string(access.Hash(token))
	return d.find(ctx, func(k *known) access.Principal { return k.byHash[hash] })
}

// ByID is ByToken for the id of a principal.
func (d *Directory) ByID(ctx context.Context, id string) (access.Principal, error) {
	return d.find(ctx, func(k *known) access.Principal { return k.byID[id] })
}

// ByLogin is ByToken for a login.
func (d *Directory) ByLogin(ctx context.Context, login string) (access.Principal, error) {
	return d.find(ctx, func(k *known) access.Principal { return k.byLogin[login] })
}

func (d *Directory) find(ctx context.Context, in func(*known) access.Principal) (access.Principal, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := time.Now()
	if err := d.refresh(ctx, now); err != nil {
		return access.Principal{}, err
	}
	p := in(d.known)
	if p.ID == "" || p.IsExpired(now) {
		return access.Principal{}, nil
	}
	d.noteUse(p, now)
	return p, nil
}

// refresh reads the principals if they are older than MaxAge. If that fails, the last known ones
// stay for MaxAge; without any, it returns the error. The caller must hold d.mu.
func (d *Directory) refresh(ctx context.Context, now time.Time) error {
	if d.known != nil && now.Sub(d.known.at) < MaxAge {
		return nil
	}
	// Other requests wait for the answer, so the end of this one must not cancel it.
	ctx, cancel := context.WithTimeout(access.AsServer(context.WithoutCancel(ctx)), loadTimeout)
	defer cancel()
	all, err := d.store.Principals(ctx)
	if err != nil && d.known != nil {
		d.log.Warn("tokens not read, the last known ones stay valid", "error", err)
		d.known.at = now
		return nil
	}
	if err != nil {
		return err
	}
	d.known = &known{now, map[string]access.Principal{}, map[string]access.Principal{}, map[string]access.Principal{}}
	for _, p := range all {
		d.known.byID[p.ID] = p
		if len(p.Hash) > 0 {
			d.known.byHash[string(p.Hash)] = p
		}
		if p.Login != "" {
			d.known.byLogin[p.Login] = p
		}
	}
	return nil
}

// noteUse records the use in the background, at most once in useInterval. The caller must hold d.mu.
func (d *Directory) noteUse(p access.Principal, now time.Time) {
	if now.Sub(d.used[p.ID]) < useInterval || p.LastUsedAt != nil && now.Sub(*p.LastUsedAt) < useInterval {
		return
	}
	d.used[p.ID] = now
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), loadTimeout)
		defer cancel()
		if err := d.store.UsePrincipal(ctx, p.ID, now.UTC().Truncate(time.Minute)); err != nil {
			d.log.Warn("use of a token not recorded", "name", p.Name, "error", err)
		}
	}()
}

// Tokens returns all principals that are not revoked, expired ones included, by name.
func (d *Directory) Tokens(ctx context.Context) ([]access.Principal, error) {
	return d.store.Principals(ctx)
}

// CreateToken adds a principal with the Name, Login, Scope, Agents and ExpiresAt of p. Without a
// Login it also returns its token, which is not stored. It fails with *memories.InvalidError, and
// with *memories.ConflictError if the name or login is taken.
func (d *Directory) CreateToken(ctx context.Context, p access.Principal) (added access.Principal, token string, err error) {
	p.ID, p.CreatedAt, p.LastUsedAt, p.Hash = uuid.NewString(), time.Now().UTC().Truncate(time.Microsecond), nil, nil
	p.Agents = slices.Clone(p.Agents)
	if p.Grant().SeesAll() {
		p.Agents = []string{access.AllAgents}
	}
	if p.Login == "" {
		token = access.NewToken()
		p.Hash = access.Hash(token)
	}
	if err := p.Check(p.CreatedAt); err != nil {
		return access.Principal{}, "", err
	}
	if err := d.store.AddPrincipal(ctx, p); err != nil {
		return access.Principal{}, "", err
	}
	d.forget()
	return p, token, nil
}

// RevokeToken revokes a principal and ends its sign-ins. It fails with memories.ErrNotFound.
func (d *Directory) RevokeToken(ctx context.Context, id string) error {
	err := d.store.RevokePrincipal(ctx, id, time.Now().UTC())
	d.forget()
	return err
}

// forget makes the next request read the principals again.
func (d *Directory) forget() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.known != nil {
		d.known.at = time.Time{}
	}
}

package gate

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
)

// SignIns keeps the browsers that are signed in. Its methods are safe for concurrent use. The
// store of the database implements it, so that all servers on a database share it.
type SignIns interface {
	// KeepSignIn keeps a sign-in until it ends or expires.
	KeepSignIn(ctx context.Context, id, seal []byte, expires time.Time) error
	// SignInSeal returns the seal of a sign-in; nil if there is none with that id.
	SignInSeal(ctx context.Context, id []byte) ([]byte, error)
	// EndSignIn ends a sign-in. It is not an error if there is none with that id.
	EndSignIn(ctx context.Context, id []byte) error
}

// signInTime is how long the database may take for a sign-in (arbitrary).
const signInTime = 2 * time.Second

// newSignInValue returns the value of a cookie: 260 random bits, which nobody can guess.
func newSignInValue() string { return rand.Text() + rand.Text() }

// signInLength is the length of a cookie's value.
const signInLength = 2 * 26

// idOf returns the id under which a sign-in is kept. The cookie cannot be told from it.
func idOf(value string) []byte {
	sum := sha256.Sum256([]byte(value))
	return sum[:]
}

// cachedSignIns are sign-ins with the seals that were last read. While the database is away, a
// browser that was signed in stays so, to see the last known state.
type cachedSignIns struct {
	SignIns
	seals *lru.Cache[string, []byte]
}

// maxCachedSignIns is how many browsers are served while the database is away (arbitrary).
const maxCachedSignIns = 1024

func newCachedSignIns(kept SignIns) *cachedSignIns {
	if kept == nil {
		kept = &signInsInMemory{seals: map[string]keptSeal{}}
	}
	cache, err := lru.New[string, []byte](maxCachedSignIns)
	if err != nil {
		panic(err) // only for a size below 1
	}
	return &cachedSignIns{kept, cache}
}

func (s *cachedSignIns) KeepSignIn(ctx context.Context, id, seal []byte, expires time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, signInTime)
	defer cancel()
	return s.SignIns.KeepSignIn(ctx, id, seal, expires)
}

func (s *cachedSignIns) SignInSeal(ctx context.Context, id []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, signInTime)
	defer cancel()
	seal, err := s.SignIns.SignInSeal(ctx, id)
	if err != nil {
		if cached, ok := s.seals.Get(string(id)); ok {
			return cached, nil
		}
		return nil, err
	}
	if seal == nil {
		s.seals.Remove(string(id))
		return nil, nil
	}
	s.seals.Add(string(id), seal)
	return seal, nil
}

func (s *cachedSignIns) EndSignIn(ctx context.Context, id []byte) error {
	ctx, cancel := context.WithTimeout(ctx, signInTime)
	defer cancel()
	err := s.SignIns.EndSignIn(ctx, id)
	if err == nil {
		s.seals.Remove(string(id))
	}
	return err
}

// signInsInMemory keep sign-ins for as long as the process lives.
type signInsInMemory struct {
	mu    sync.Mutex
	seals map[string]keptSeal
}

type keptSeal struct {
	seal    []byte
	expires time.Time
}

func (m *signInsInMemory) KeepSignIn(_ context.Context, id, seal []byte, expires time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.seals[string(id)] = keptSeal{seal, expires}
	return nil
}

func (m *signInsInMemory) SignInSeal(_ context.Context, id []byte) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	kept := m.seals[string(id)]
	if time.Now().After(kept.expires) {
		return nil, nil
	}
	return kept.seal, nil
}

func (m *signInsInMemory) EndSignIn(_ context.Context, id []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.seals, string(id))
	return nil
}

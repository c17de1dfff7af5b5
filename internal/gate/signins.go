package gate

import (
	"context"
	"crypto/sha256"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"memoir/internal/access"
)

// SignIns stores the sign-ins of browsers. Its methods are safe for concurrent use. The database
// implements it, so that all servers of a database share the sign-ins.
type SignIns interface {
	// SaveSignIn stores a sign-in until it expires.
	SaveSignIn(ctx context.Context, id []byte, in access.SignIn) error
	// SignIn returns a sign-in. It returns the zero value if the id is unknown or expired.
	SignIn(ctx context.Context, id []byte) (access.SignIn, error)
	// EndSignIn deletes a sign-in. An unknown id is not an error.
	EndSignIn(ctx context.Context, id []byte) error
}

// signInTimeout is the timeout of the database for a sign-in (arbitrary).
const signInTimeout = 2 * time.Second

// signInLength is the length of a cookie value, in bytes.
const signInLength = 2 * 26

// idOf returns the id under which a sign-in is stored: the hash of its cookie value, so that the
// value cannot be derived from it.
func idOf(value string) []byte {
	sum := sha256.Sum256([]byte(value))
	return sum[:]
}

// cachedSignIns caches the sign-ins read last. While the database is unavailable, cached browsers
// stay signed in and see the last known state.
type cachedSignIns struct {
	SignIns
	known *lru.Cache[string, access.SignIn]
}

// maxCachedSignIns is the maximum number of cached sign-ins (arbitrary).
const maxCachedSignIns = 1024

func newCachedSignIns(store SignIns) *cachedSignIns {
	cache, err := lru.New[string, access.SignIn](maxCachedSignIns)
	if err != nil {
		panic(err) // only for a size below 1
	}
	return &cachedSignIns{store, cache}
}

func (s *cachedSignIns) SaveSignIn(ctx context.Context, id []byte, in access.SignIn) error {
	ctx, cancel := context.WithTimeout(ctx, signInTimeout)
	defer cancel()
	return s.SignIns.SaveSignIn(ctx, id, in)
}

func (s *cachedSignIns) SignIn(ctx context.Context, id []byte) (access.SignIn, error) {
	ctx, cancel := context.WithTimeout(ctx, signInTimeout)
	defer cancel()
	in, err := s.SignIns.SignIn(ctx, id)
	if err != nil {
		if cached, ok := s.known.Get(string(id)); ok && time.Now().Before(cached.ExpiresAt) {
			return cached, nil
		}
		return access.SignIn{}, err
	}
	if in.IsZero() {
		s.known.Remove(string(id))
		return in, nil
	}
	s.known.Add(string(id), in)
	return in, nil
}

func (s *cachedSignIns) EndSignIn(ctx context.Context, id []byte) error {
	ctx, cancel := context.WithTimeout(ctx, signInTimeout)
	defer cancel()
	err := s.SignIns.EndSignIn(ctx, id)
	if err == nil {
		s.known.Remove(string(id))
	}
	return err
}

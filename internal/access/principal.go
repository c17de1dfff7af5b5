package access

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"memoir/internal/memories"
)

// Principal is a person or program that may use Memoir besides the owner.
type Principal struct {
	ID   string
	Name string // unique among those that are not revoked
	// Login is the user's name at a proxy or an OpenID Connect provider. It is empty for a principal
	// with a token.
	Login      string
	Scope      Scope
	Agents     []string   // as in Grant
	CreatedAt  time.Time  // UTC
	ExpiresAt  *time.Time // UTC; nil for never
	LastUsedAt *time.Time // UTC, to the minute; nil for never
	// Hash is the hash of the token, as Hash returns it. It is nil for a principal with a Login.
	Hash []byte
}

// Grant returns what the principal may do.
func (p Principal) Grant() Grant { return Grant{Name: p.Name, Scope: p.Scope, Agents: p.Agents} }

// IsExpired reports whether the principal has expired at that time.
func (p Principal) IsExpired(at time.Time) bool { return p.ExpiresAt != nil && !p.ExpiresAt.After(at) }

// TokenPrefix is the beginning of each token that NewToken returns, so that people and scanners
// recognise one.
const TokenPrefix = "memoir_"

// NewToken returns a token with 256 random bits.
func NewToken() string {
	var bits [32]byte
	_, _ = rand.Read(bits[:]) // never fails, see crypto/rand
	return TokenPrefix + base64.RawURLEncoding.EncodeToString(bits[:])
}

// Hash returns the SHA-256 of a token. A token is random, so it needs no slow hash.
func Hash(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

const (
	maxName   = 64  // characters of a name; arbitrary
	maxLogin  = 320 // characters of a login: the longest mail address
	maxAgents = 100 // patterns of a principal; arbitrary
)

// Check returns an *memories.InvalidError if a field of a new principal is invalid at that time.
func (p Principal) Check(now time.Time) error {
	if p.Name == "" || p.Name != strings.TrimSpace(p.Name) || !isLine(p.Name, maxName) {
		return &memories.InvalidError{Field: "name", Reason: fmt.Sprintf("must have 1 to %d characters on one line", maxName)}
	}
	if !isLine(p.Login, maxLogin) || p.Login != strings.TrimSpace(p.Login) {
		return &memories.InvalidError{Field: "login", Reason: fmt.Sprintf("must have at most %d characters on one line", maxLogin)}
	}
	if !slices.Contains(Scopes, p.Scope) {
		return &memories.InvalidError{Field: "scope", Reason: "must be read, agent, write or admin"}
	}
	if len(p.Agents) == 0 || len(p.Agents) > maxAgents {
		return &memories.InvalidError{Field: "agents", Reason: fmt.Sprintf("must have 1 to %d slugs, or *", maxAgents)}
	}
	for _, pattern := range p.Agents {
		if !isPattern(pattern) {
			return &memories.InvalidError{Field: "agents", Reason: fmt.Sprintf("has %q, which is no slug: use letters, digits, dots, dashes and underscores, and * for any characters", pattern)}
		}
	}
	if p.Scope == Admin && !p.Grant().SeesAll() {
		return &memories.InvalidError{Field: "agents", Reason: "must be * for the scope admin, which covers all agents"}
	}
	if p.IsExpired(now) {
		return &memories.InvalidError{Field: "expires_at", Reason: "must be in the future"}
	}
	return nil
}

func isLine(text string, most int) bool {
	return utf8.ValidString(text) && utf8.RuneCountInString(text) <= most && !strings.ContainsFunc(text, unicode.IsControl)
}

func isPattern(pattern string) bool {
	const allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-*"
	return pattern != "" && len(pattern) <= 255 && strings.Trim(pattern, allowed) == ""
}

// SignIn is a browser's sign-in, as it is stored.
type SignIn struct {
	// Seal is a keyed hash of the cookie: under a token of the settings, or under the provider at which
	// a principal has signed in. It is empty for a principal with a token.
	Seal []byte
	// Principal is the id of the principal, or empty.
	Principal string
	ExpiresAt time.Time
}

// IsZero reports whether there is no such sign-in.
func (s SignIn) IsZero() bool { return len(s.Seal) == 0 && s.Principal == "" }

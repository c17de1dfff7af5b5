package gate

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"memoir/internal/access"
)

// signInMaxAge is how long a browser stays signed in by a token (arbitrary).
const signInMaxAge = 30 * 24 * time.Hour

// tokens are the tokens of the settings.
type tokens struct {
	all      []token
	provider token  // stands for the provider in seals; the zero token without one
	cookie   string // name of the cookie of a sign-in
}

// token is one of the tokens that the server was started with. The zero token grants nothing.
type token struct {
	text   string
	grants access.Grant
}

// newTokens returns a set with the token text, which allows everything, and readText, which allows
// reading. If one is empty, there is no such token. provider is the identity of the OpenID Connect
// provider, or empty. The cookie's name contains the port, because browsers share cookies between
// ports, and another local server could replace ours.
func newTokens(text, readText, provider, port string) *tokens {
	t := &tokens{cookie: "memoir_session_" + port, provider: token{text: provider}}
	if text != "" {
		t.all = append(t.all, token{text, access.Owner})
	}
	if readText != "" {
		t.all = append(t.all, token{readText, access.Grant{Scope: access.Read, Agents: access.Owner.Agents}})
	}
	return t
}

// bearerToken returns the Bearer token in the Authorization header, or "" without such a token.
func bearerToken(r *http.Request) string {
	scheme, credentials, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(credentials)
}

// match returns the token whose text equals shown, or the zero token, which grants nothing. It
// compares hashes of all tokens in constant time, so that the time does not reveal a token or its
// length.
func (t *tokens) match(shown string) (found token) {
	a := sha256.Sum256([]byte(shown))
	for _, known := range t.all {
		b := sha256.Sum256([]byte(known.text))
		if subtle.ConstantTimeCompare(a[:], b[:]) == 1 {
			found = known
		}
	}
	return found
}

// seal returns the HMAC of the cookie's name and of a sign-in's cookie value, keyed with the token.
// If the server starts with another token, its old sign-ins are invalid.
func (t *tokens) seal(under token, value string) []byte {
	mac := hmac.New(sha256.New, []byte(under.text))
	mac.Write([]byte("memoir session " + t.cookie + " " + value))
	return mac.Sum(nil)
}

// sealedBy returns the token that seal was made with for this cookie value. It returns the zero
// token, which grants nothing, if no token of the server made it.
func (t *tokens) sealedBy(seal []byte, value string) (found token) {
	for _, known := range t.all {
		if hmac.Equal(seal, t.seal(known, value)) {
			found = known
		}
	}
	return found
}

// isValidFor reports whether a principal's sign-in with this cookie value has no seal, or that of the
// provider. So a sign-in at a provider ends when the settings name another one, or none.
func (t *tokens) isValidFor(in access.SignIn, value string) bool {
	return len(in.Seal) == 0 || t.provider.text != "" && hmac.Equal(in.Seal, t.seal(t.provider, value))
}

// setCookie sends a sign-in's cookie with that value. An empty value deletes the cookie.
func (t *tokens) setCookie(w http.ResponseWriter, value string, secure bool, lasts time.Duration) {
	cookie := &http.Cookie{
		Name: t.cookie, Value: value, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode,
		Secure: secure, MaxAge: int(lasts / time.Second),
	}
	if value == "" {
		cookie.MaxAge = -1
	}
	http.SetCookie(w, cookie)
}

// signInCode is a secret that can be exchanged once for a session.
type signInCode struct {
	mu       sync.Mutex
	sum      [sha256.Size]byte
	isUnused bool // whether it can still be used
}

// set makes code the valid one, in place of the earlier code. An empty code means that no code is
// valid.
func (c *signInCode) set(code string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sum, c.isUnused = sha256.Sum256([]byte(code)), code != ""
}

// use reports whether shown is the valid code. If it is, the code becomes invalid, so that it can
// be used only once.
func (c *signInCode) use(shown string) bool {
	sum := sha256.Sum256([]byte(shown))
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.isUnused || subtle.ConstantTimeCompare(sum[:], c.sum[:]) != 1 {
		return false
	}
	c.isUnused = false
	return true
}

// ReadOnly reports whether the request of ctx may only read: it changes nothing and causes no cost.
// It returns false if ctx is not of a request behind the gate.
func ReadOnly(ctx context.Context) bool { return !access.Allows(ctx, access.Agent) }

// CanWrite reports whether the request of ctx may change everything of the agents that it sees. It
// returns true if ctx is not of a request behind the gate.
func CanWrite(ctx context.Context) bool { return access.Allows(ctx, access.Write) }

type withToken struct{}

// SignedIn reports whether the request of ctx was sent with a token or a sign-in. It returns false
// if ctx is not of a request behind the gate.
func SignedIn(ctx context.Context) bool {
	signedIn, _ := ctx.Value(withToken{}).(bool)
	return signedIn
}

// checkReadToken returns an error for users if ReadToken would not prevent writes: without a Token,
// or with an equal one. It returns nil if ReadToken is empty.
func checkReadToken(options Options) error {
	switch {
	case options.ReadToken == "":
		return nil
	case options.Token == "":
		return errors.New("--read-token without --token would let everyone write; set --token too")
	case options.ReadToken == options.Token:
		return errors.New("--read-token equals --token, so readers could write; choose another --read-token")
	}
	return nil
}

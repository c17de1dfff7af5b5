package gate

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"
	"time"
)

// signedInFor is how long a browser stays signed in.
const signedInFor = 30 * 24 * time.Hour

// access is what somebody may do.
type access int

const (
	none access = iota
	reading
	everything
)

// tokens tells what those may do who know a token.
type tokens struct {
	all    []token
	cookie string // the name of the cookie
}

// token is one that the server was started with.
type token struct {
	text   string
	grants access
}

// newTokens names the cookie after the port: cookies are not kept apart by port, and another local server must not
// take the place of ours. An empty readText grants nobody anything.
func newTokens(text, readText, port string) *tokens {
	t := &tokens{all: []token{{text, everything}}, cookie: "memoir_session_" + port}
	if readText != "" {
		t.all = append(t.all, token{readText, reading})
	}
	return t
}

// shownIn returns the token that a request shows; empty if it shows none.
func shownIn(r *http.Request) string {
	scheme, credentials, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(credentials)
}

// named returns the token that is shown; the zero token, which grants nothing, where it is none of ours. It compares with each of
// them, and in constant time, whatever the lengths.
func (t *tokens) named(shown string) (found token) {
	a := sha256.Sum256([]byte(shown))
	for _, known := range t.all {
		b := sha256.Sum256([]byte(known.text))
		if subtle.ConstantTimeCompare(a[:], b[:]) == 1 {
			found = known
		}
	}
	return found
}

// seal binds a sign-in to the token that was shown: a new token signs out those who had the old one.
func (t *tokens) seal(under token, value string) []byte {
	mac := hmac.New(sha256.New, []byte(under.text))
	mac.Write([]byte("memoir session " + t.cookie + " " + value))
	return mac.Sum(nil)
}

// sealedBy returns the token of ours under which the seal was made; the zero token if there is none.
func (t *tokens) sealedBy(seal []byte, value string) (found token) {
	for _, known := range t.all {
		if hmac.Equal(seal, t.seal(known, value)) {
			found = known
		}
	}
	return found
}

// setCookie signs the browser in; with an empty value it signs it out.
func (t *tokens) setCookie(w http.ResponseWriter, value string, secure bool) {
	cookie := &http.Cookie{
		Name: t.cookie, Value: value, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode,
		Secure: secure, MaxAge: int(signedInFor / time.Second),
	}
	if value == "" {
		cookie.MaxAge = -1
	}
	http.SetCookie(w, cookie)
}

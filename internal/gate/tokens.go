package gate

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net/http"
	"strconv"
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

// granted returns what the request may do by the token that it shows, or by the cookie of a browser that has shown one; with both,
// what the better one grants.
func (t *tokens) granted(r *http.Request) access {
	return max(t.byBearer(r.Header.Get("Authorization")).grants, t.bySession(r))
}

func (t *tokens) byBearer(header string) token {
	scheme, credentials, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return token{}
	}
	return t.named(strings.TrimSpace(credentials))
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

func (t *tokens) bySession(r *http.Request) access {
	granted := none
	for _, cookie := range r.CookiesNamed(t.cookie) {
		for _, known := range t.all {
			if t.isSession(known, cookie.Value, time.Now()) {
				granted = max(granted, known.grants)
			}
		}
	}
	return granted
}

// session is what the cookie holds: when the browser signed in, and a seal of that under the token that it showed. The token
// itself does not leave the server, and a new token signs those out who had the old one.
func (t *tokens) session(under token, at time.Time) string {
	stamp := strconv.FormatInt(at.Unix(), 10)
	return stamp + "." + t.seal(under, stamp)
}

func (t *tokens) isSession(under token, value string, now time.Time) bool {
	stamp, seal, _ := strings.Cut(value, ".")
	if !hmac.Equal([]byte(seal), []byte(t.seal(under, stamp))) {
		return false
	}
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	return err == nil && now.Sub(time.Unix(seconds, 0)) < signedInFor
}

func (t *tokens) seal(under token, stamp string) string {
	mac := hmac.New(sha256.New, []byte(under.text))
	mac.Write([]byte("memoir session " + t.cookie + " " + stamp))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// setCookie signs the browser in; with an empty value it signs it out.
func (t *tokens) setCookie(w http.ResponseWriter, r *http.Request, value string) {
	cookie := &http.Cookie{
		Name: t.cookie, Value: value, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode,
		Secure: r.TLS != nil || strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https"),
		MaxAge: int(signedInFor / time.Second),
	}
	if value == "" {
		cookie.MaxAge = -1
	}
	http.SetCookie(w, cookie)
}

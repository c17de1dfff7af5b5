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

// tokens tells those who know the token from those who do not.
type tokens struct {
	token  string
	cookie string // the name of the cookie
}

// newTokens names the cookie after the port: cookies are not kept apart by port, and another local server must not
// take the place of ours.
func newTokens(token, port string) *tokens {
	return &tokens{token: token, cookie: "memoir_session_" + port}
}

// admits says whether the request shows the token or the cookie of a browser that has.
func (t *tokens) admits(r *http.Request) bool {
	return t.isBearer(r.Header.Get("Authorization")) || t.hasSession(r)
}

func (t *tokens) isBearer(header string) bool {
	scheme, credentials, _ := strings.Cut(header, " ")
	return strings.EqualFold(scheme, "Bearer") && t.is(strings.TrimSpace(credentials))
}

// is compares in constant time, whatever the lengths.
func (t *tokens) is(shown string) bool {
	a, b := sha256.Sum256([]byte(shown)), sha256.Sum256([]byte(t.token))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

func (t *tokens) hasSession(r *http.Request) bool {
	for _, cookie := range r.CookiesNamed(t.cookie) {
		if t.isSession(cookie.Value, time.Now()) {
			return true
		}
	}
	return false
}

// session is what the cookie holds: when the browser signed in, and a seal of that under the token. The token itself
// does not leave the server, and a new token signs everybody out.
func (t *tokens) session(at time.Time) string {
	stamp := strconv.FormatInt(at.Unix(), 10)
	return stamp + "." + t.seal(stamp)
}

func (t *tokens) isSession(value string, now time.Time) bool {
	stamp, seal, _ := strings.Cut(value, ".")
	if !hmac.Equal([]byte(seal), []byte(t.seal(stamp))) {
		return false
	}
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	return err == nil && now.Sub(time.Unix(seconds, 0)) < signedInFor
}

func (t *tokens) seal(stamp string) string {
	mac := hmac.New(sha256.New, []byte(t.token))
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

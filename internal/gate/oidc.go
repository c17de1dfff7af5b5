package gate

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/kballard/go-shellquote"

	"memoir/internal/access/oidc"
)

// The addresses of the sign-in at an OpenID Connect provider. OIDCPath takes a GET with the field
// next and leads to the provider, which sends the browser back to OIDCCallbackPath.
const (
	OIDCPath         = SignInPath + "/oidc"
	OIDCCallbackPath = OIDCPath + "/callback"
)

const (
	// attemptMaxAge is how long a person may take at the provider. Arbitrary.
	attemptMaxAge = 10 * time.Minute
	// oidcMaxAge is how long a browser stays signed in without asking the provider again. Arbitrary: a
	// working day, because Memoir does not learn that an account was closed there.
	oidcMaxAge = 12 * time.Hour
	// maxNext is the maximum length of the path that is opened afterwards, in bytes. Cookies may have
	// 4,096 bytes.
	maxNext = 2000
)

// attempt is a sign-in at the provider that has begun. Its text is secret: the browser keeps it in a
// cookie, and the parameters for the provider are derived from it.
type attempt struct {
	text  string
	next  string // local path to open afterwards
	began time.Time
}

func newAttempt(next string, now time.Time) attempt {
	if len(next) > maxNext {
		next = "/"
	}
	text := rand.Text() + rand.Text() + "." + strconv.FormatInt(now.Unix(), 10) + "." + base64.RawURLEncoding.EncodeToString([]byte(next))
	return attempt{text, next, now}
}

// parseAttempt returns the attempt in a cookie. Its next is "/" and its time zero if the text is
// malformed.
func parseAttempt(text string) attempt {
	a := attempt{text: text, next: "/"}
	parts := strings.Split(text, ".")
	if len(parts) != 3 {
		return a
	}
	seconds, err := strconv.ParseInt(parts[1], 10, 64)
	next, nextErr := base64.RawURLEncoding.DecodeString(parts[2])
	if err == nil && nextErr == nil {
		a.began, a.next = time.Unix(seconds, 0), localPath(string(next))
	}
	return a
}

// attempts keeps the attempts of browsers in a cookie.
type attempts struct{ cookie string }

// of returns the attempt of this browser to which the provider's answer belongs.
func (a attempts) of(r *http.Request) (attempt, bool) {
	state := []byte(r.URL.Query().Get("state"))
	for _, cookie := range r.CookiesNamed(a.cookie) {
		if subtle.ConstantTimeCompare(state, []byte(oidc.State(cookie.Value))) == 1 {
			return parseAttempt(cookie.Value), true
		}
	}
	return attempt{}, false
}

// set sends the cookie with the text of an attempt. An empty text deletes it. The browser must send
// it when the provider leads back here, so it cannot be strict.
func (a attempts) set(w http.ResponseWriter, text string, secure bool) {
	cookie := &http.Cookie{
		Name: a.cookie, Value: text, Path: OIDCPath, HttpOnly: true, SameSite: http.SameSiteLaxMode,
		Secure: secure, MaxAge: int(attemptMaxAge / time.Second),
	}
	if text == "" {
		cookie.MaxAge = -1
	}
	http.SetCookie(w, cookie)
}

// serveOIDC serves the sign-in at the provider, and reports whether the request was for it.
func (g *Gate) serveOIDC(w http.ResponseWriter, r *http.Request) bool {
	if g.options.OIDC == nil || r.Method != http.MethodGet {
		return false
	}
	switch r.URL.EscapedPath() {
	case OIDCPath:
		g.beginOIDC(w, r)
	case OIDCCallbackPath:
		g.finishOIDC(w, r)
	default:
		return false
	}
	return true
}

// beginOIDC sends the browser to the provider.
func (g *Gate) beginOIDC(w http.ResponseWriter, r *http.Request) {
	began := newAttempt(localPath(r.URL.Query().Get("next")), time.Now())
	address, err := g.options.OIDC.AuthURL(r.Context(), began.text)
	if err != nil {
		g.showOIDCError(w, r, began.next, err)
		return
	}
	g.attempts.set(w, began.text, g.isSecure(r))
	http.Redirect(w, r, address, http.StatusSeeOther)
}

// finishOIDC signs in the person whom the provider names, if a principal has that login.
func (g *Gate) finishOIDC(w http.ResponseWriter, r *http.Request) {
	begun, ok := g.attempts.of(r)
	if !ok {
		g.showFailure(w, r, http.StatusBadRequest, "/", "This sign-in was completed before, or began in another browser. Start again.")
		return
	}
	g.attempts.set(w, "", g.isSecure(r))
	if time.Since(begun.began) > attemptMaxAge {
		g.showFailure(w, r, http.StatusBadRequest, begun.next, fmt.Sprintf("This sign-in took longer than %.0f minutes. Start again.", attemptMaxAge.Minutes()))
		return
	}
	var who caller
	var failed error
	// A code is guessed like a token.
	_, err := g.guesses.check(r.Context(), clientOf(r, g.options.PublicURL.Host != ""), func() bool {
		var login string
		if login, failed = g.options.OIDC.Login(r.Context(), begun.text, r.URL.Query()); failed == nil {
			if who, failed = known(g.options.Principals.ByLogin(r.Context(), login)); failed == nil && !who.isKnown() {
				failed = &oidc.Error{Text: unknownUser(login), Status: http.StatusForbidden}
			}
		}
		return who.isKnown()
	})
	if err == nil {
		err = failed
	}
	if err == nil {
		err = g.beginSignIn(w, r, g.tokens.provider, who, oidcMaxAge)
	}
	switch {
	case r.Context().Err() != nil: // the client has disconnected
	case err != nil:
		g.showOIDCError(w, r, begun.next, err)
	default:
		openAfterwards(w, begun.next)
	}
}

// showOIDCError shows the sign-in page with the reason of an *oidc.Error, and logs it. For other
// errors it answers as after a failed check of a token.
func (g *Gate) showOIDCError(w http.ResponseWriter, r *http.Request, next string, err error) {
	var failed *oidc.Error
	if !errors.As(err, &failed) {
		g.refuseUnchecked(w, r, err)
		return
	}
	g.options.Log.WarnContext(r.Context(), "sign-in at the provider failed", "request", RequestID(r.Context()), "from", r.RemoteAddr, "error", err)
	g.showFailure(w, r, failed.Status, next, failed.Text)
}

// showFailure shows the sign-in page with a text.
func (g *Gate) showFailure(w http.ResponseWriter, r *http.Request, status int, next, text string) {
	// The page repeats its own address, and the one that the provider has called has a code.
	shown := r.WithContext(r.Context())
	shown.URL = &url.URL{Path: SignInPath, RawQuery: url.Values{"next": {next}}.Encode()}
	form := g.form(next)
	form.Problem = text
	g.showAgain(w, shown, status, form)
}

// form returns the sign-in form that leads to next.
func (g *Gate) form(next string) SignInForm {
	form := SignInForm{Next: next}
	if g.options.OIDC != nil {
		form.Provider = g.options.OIDC.Host()
		// The provider leads back to the public address, and only there the browser sends the attempt.
		form.ProviderHref = g.options.PublicURL.Origin() + OIDCPath + "?" + url.Values{"next": {next}}.Encode()
	}
	return form
}

// unknownUser says that no principal has the login, and how to add one.
func unknownUser(login string) string {
	login = truncate(login)
	return "Unknown user " + login + ". Nothing was changed. An admin adds you with memoir token create NAME --login " + shellquote.Join(login) + "."
}

// openingPage leads to another page of this server.
const openingPage = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Signed in · Memoir</title><h1>Signed in</h1><p><a href="%[1]s">Continue</a></p>` + "\n"

// openAfterwards answers with a page that opens a local path at once. A redirect would belong to the
// provider's one, so that browsers would not send the strict cookie of the sign-in.
func openAfterwards(w http.ResponseWriter, next string) {
	if parsed, err := url.Parse(next); err == nil {
		next = parsed.String() // in ASCII, for the header
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Refresh", "0; url="+next)
	_, _ = fmt.Fprintf(w, openingPage, html.EscapeString(next))
}

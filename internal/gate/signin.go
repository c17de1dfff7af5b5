package gate

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	"memoir/internal/problem"
)

// The addresses of the sign-in. The form posts the fields token and next to SignInPath; SignOutPath takes a post
// without fields.
const (
	SignInPath  = "/sign-in"
	SignOutPath = "/sign-out"
)

// SignInForm is what the sign-in page shows.
type SignInForm struct {
	Next  string // where to go afterwards: a local path
	Wrong bool   // the token that was given is not the server's
	Wait  int    // seconds until the next try, after too many wrong tokens; else 0
}

// maxSignIn is the longest sign-in form, in bytes.
const maxSignIn = 64 << 10

// themePath is where a browser's theme is chosen, which tells nothing and changes nothing here.
const themePath = "/theme"

// isOpen says whether the path needs no token: health, assets, the theme and the sign-in itself. It looks at the path as it was
// sent, as routers do, so that no other spelling of a path is let through.
func isOpen(r *http.Request) bool {
	path := r.URL.EscapedPath()
	switch path {
	case "/healthz", "/readyz", themePath, SignInPath:
		return true
	}
	return strings.HasPrefix(path, "/static/") && !strings.Contains(path, "..") && !strings.Contains(path, "%")
}

// authenticate lets in who shows a token or is signed in, and readers only to what changes nothing.
func (g *Gate) authenticate(next http.Handler) http.Handler {
	switch {
	case g.tokens == nil && g.owner != nil:
		return g.onlyOwner(next)
	case g.tokens == nil:
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isOpen(r) {
			next.ServeHTTP(w, r)
			return
		}
		granted, err := g.granted(r)
		switch {
		case granted == everything:
			next.ServeHTTP(w, r)
		case granted == reading:
			g.letRead(w, r, next)
		case err != nil:
			g.refuseUnchecked(w, r, err)
		case g.owner != nil:
			g.refuseStranger(w, r)
		default:
			g.askToSignIn(w, r)
		}
	})
}

// granted returns what a request may do by the token that it shows, or by the cookie of a browser
// that has shown one; with both, what the better one grants. It returns an error if one of them
// could not be checked, and the other grants nothing.
func (g *Gate) granted(r *http.Request) (access, error) {
	bySignIn, unread := g.bySignIn(r)
	shown := shownIn(r)
	if bySignIn == everything || shown == "" {
		return bySignIn, unread
	}
	byToken, unchecked := g.named(r, shown)
	return max(bySignIn, byToken.grants), errors.Join(unread, unchecked)
}

// named returns the token that is shown; the zero token if it is not one of ours. It slows down
// those who guess, with *tooManyGuesses.
func (g *Gate) named(r *http.Request, shown string) (token, error) {
	var found token
	_, err := g.guesses.check(r.Context(), clientOf(r, g.options.PublicURL.Host != ""), func() bool {
		found = g.tokens.named(shown)
		return found.grants != none
	})
	return found, err
}

// bySignIn returns what the browser that sends the request may do.
func (g *Gate) bySignIn(r *http.Request) (access, error) {
	granted, failed := none, error(nil)
	for _, cookie := range r.CookiesNamed(g.tokens.cookie) {
		if len(cookie.Value) != signInLength {
			continue
		}
		seal, err := g.signIns.SignInSeal(r.Context(), idOf(cookie.Value))
		if err != nil {
			failed = err
		}
		granted = max(granted, g.tokens.sealedBy(seal, cookie.Value).grants)
	}
	return granted, failed
}

// refuseUnchecked refuses a request whose token or cookie could not be checked.
func (g *Gate) refuseUnchecked(w http.ResponseWriter, r *http.Request, err error) {
	const detail = "The database cannot be reached, so your sign-in could not be checked. Nothing was changed. Try again shortly."
	var many *tooManyGuesses
	switch {
	case errors.As(err, &many):
		w.Header().Set("Retry-After", strconv.Itoa(many.seconds()))
		g.refuse(w, r, http.StatusTooManyRequests, "Too many wrong tokens were sent. Nothing was changed. Try again later, with the right one.")
	case r.Context().Err() == nil:
		g.options.Log.WarnContext(r.Context(), "sign-in could not be checked", "request", RequestID(r.Context()), "error", err)
		w.Header().Set("Retry-After", "2")
		g.refuse(w, r, http.StatusServiceUnavailable, detail)
	}
}

func (g *Gate) askToSignIn(w http.ResponseWriter, r *http.Request) {
	if forPrograms(r) {
		problem.New(http.StatusUnauthorized, "This server needs its token. Send it as Authorization: Bearer, or sign in with the browser.").
			Header("WWW-Authenticate", `Bearer realm="memoir"`).Request(RequestID(r.Context())).Write(w)
		return
	}
	next := "/"
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		next = r.URL.RequestURI()
	}
	if r.Header.Get("HX-Request") == "true" {
		// A part of a page was asked for: the whole page has to go to the sign-in, and come back.
		if shown, err := url.Parse(r.Header.Get("HX-Current-URL")); err == nil {
			next = shown.RequestURI()
		}
		w.Header().Set("HX-Redirect", signInFor(next))
		page(w, http.StatusUnauthorized, "Sign in", "You are not signed in any more. Nothing was changed.")
		return
	}
	http.Redirect(w, r, signInFor(next), http.StatusSeeOther)
}

func signInFor(next string) string {
	return SignInPath + "?" + url.Values{"next": {localPath(next)}}.Encode()
}

// signingIn serves the sign-in and the sign-out.
func (g *Gate) signingIn(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.Method + " " + r.URL.EscapedPath() {
		case "GET " + SignInPath, "HEAD " + SignInPath:
			g.showSignIn(w, r)
		case "POST " + SignInPath:
			g.signIn(w, r)
		case "POST " + SignOutPath:
			g.signOut(w, r)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

func (g *Gate) showSignIn(w http.ResponseWriter, r *http.Request) {
	next := localPath(r.URL.Query().Get("next"))
	if g.tokens == nil {
		http.Redirect(w, r, next, http.StatusSeeOther)
		return
	}
	if code := r.URL.Query().Get("code"); code != "" && r.Method == http.MethodGet && g.code.use(code) {
		if err := g.beginSignIn(w, r, g.tokens.all[0]); err != nil {
			g.refuseUnchecked(w, r, err)
			return
		}
		http.Redirect(w, r, next, http.StatusSeeOther)
		return
	}
	if granted, _ := g.bySignIn(r); granted == everything { // a reader may sign in again, to write
		http.Redirect(w, r, next, http.StatusSeeOther)
		return
	}
	g.options.SignIn(w, r, SignInForm{Next: next})
}

func (g *Gate) signIn(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxSignIn)
	next := localPath(r.PostFormValue("next"))
	if g.tokens == nil {
		http.Redirect(w, r, next, http.StatusSeeOther)
		return
	}
	shown, err := g.named(r, strings.TrimSpace(r.PostFormValue("token")))
	if r.Context().Err() != nil {
		return // the browser is gone
	}
	var many *tooManyGuesses
	switch {
	case errors.As(err, &many):
		w.Header().Set("Retry-After", strconv.Itoa(many.seconds()))
		g.showAgain(w, r, http.StatusTooManyRequests, SignInForm{Next: next, Wait: many.seconds()})
		return
	case shown.grants == none:
		g.options.Log.WarnContext(r.Context(), "a sign-in with a wrong token", "from", r.RemoteAddr)
		g.showAgain(w, r, http.StatusForbidden, SignInForm{Next: next, Wrong: true})
		return
	}
	if err := g.beginSignIn(w, r, shown); err != nil {
		g.refuseUnchecked(w, r, err)
		return
	}
	http.Redirect(w, r, next, http.StatusSeeOther)
}

func (g *Gate) showAgain(w http.ResponseWriter, r *http.Request, status int, form SignInForm) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	g.options.SignIn(w, r, form)
}

// beginSignIn signs a browser in that has shown the token.
func (g *Gate) beginSignIn(w http.ResponseWriter, r *http.Request, shown token) error {
	value := newSignInValue()
	err := g.signIns.KeepSignIn(r.Context(), idOf(value), g.tokens.seal(shown, value), time.Now().Add(signedInFor))
	if err == nil {
		g.tokens.setCookie(w, value, g.isSecure(r))
	}
	return err
}

// signOut ends the sign-in here and in the browser.
func (g *Gate) signOut(w http.ResponseWriter, r *http.Request) {
	if g.tokens == nil {
		http.Redirect(w, r, SignInPath, http.StatusSeeOther)
		return
	}
	for _, cookie := range r.CookiesNamed(g.tokens.cookie) {
		if err := g.signIns.EndSignIn(r.Context(), idOf(cookie.Value)); err != nil {
			g.options.Log.WarnContext(r.Context(), "sign-out failed", "request", RequestID(r.Context()), "error", err)
			w.Header().Set("Retry-After", "2")
			g.refuse(w, r, http.StatusServiceUnavailable, "The database cannot be reached, so you are still signed in. Try again shortly.")
			return
		}
	}
	g.tokens.setCookie(w, "", g.isSecure(r))
	http.Redirect(w, r, SignInPath, http.StatusSeeOther)
}

// localPath returns next where it is a path of this server, and "/" for everything else: a sign-in that can be made to
// lead to another site lends that site its credit. Browsers read a backslash as a slash and skip control characters.
func localPath(next string) string {
	parsed, err := url.Parse(next)
	if err != nil || parsed.IsAbs() || parsed.Host != "" || parsed.User != nil ||
		!strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") || strings.Contains(next, `\`) ||
		strings.ContainsFunc(next, unicode.IsControl) || parsed.Path == SignInPath || parsed.Path == SignOutPath {
		return "/"
	}
	return next
}

package gate

import (
	"net/http"
	"net/url"
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
}

const (
	// wrongTokenDelay slows guessing down without keeping people waiting.
	wrongTokenDelay = 500 * time.Millisecond
	// maxSignIn is the longest sign-in form, in bytes.
	maxSignIn = 64 << 10
)

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
		granted := g.tokens.granted(r)
		switch {
		case isOpen(r), granted == everything:
			next.ServeHTTP(w, r)
		case granted == reading:
			g.letRead(w, r, next)
		case g.owner != nil:
			g.refuseStranger(w, r)
		default:
			g.askToSignIn(w, r)
		}
	})
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
	if code := r.URL.Query().Get("code"); code != "" && r.Method == http.MethodGet && g.tokens != nil && g.code.use(code) {
		g.tokens.setCookie(w, r, g.tokens.session(g.tokens.all[0], time.Now()))
		http.Redirect(w, r, next, http.StatusSeeOther)
		return
	}
	if g.tokens == nil || g.tokens.granted(r) == everything { // a reader may sign in anew, to write
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
	shown := g.tokens.named(strings.TrimSpace(r.PostFormValue("token")))
	if shown.grants == none {
		g.options.Log.WarnContext(r.Context(), "a sign-in with a wrong token", "from", r.RemoteAddr)
		select {
		case <-time.After(wrongTokenDelay):
		case <-r.Context().Done():
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(http.StatusForbidden)
		g.options.SignIn(w, r, SignInForm{Next: next, Wrong: true})
		return
	}
	g.tokens.setCookie(w, r, g.tokens.session(shown, time.Now()))
	http.Redirect(w, r, next, http.StatusSeeOther)
}

func (g *Gate) signOut(w http.ResponseWriter, r *http.Request) {
	if g.tokens != nil {
		g.tokens.setCookie(w, r, "")
	}
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

package gate

import (
	"crypto/rand"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	"memoir/internal/access"
	"memoir/internal/problem"
)

// The addresses of the sign-in. SignInPath takes a POST with the fields token and next; SignOutPath
// takes a POST without fields.
const (
	SignInPath  = "/sign-in"
	SignOutPath = "/sign-out"
)

// SignInForm holds the values of the sign-in page.
type SignInForm struct {
	Next  string // local path to open afterwards
	Wrong bool   // the last token was wrong
	Wait  int    // seconds until the next try after too many wrong tokens; else 0
	// Provider is the host of the OpenID Connect provider, and ProviderHref leads there. They are
	// empty without one.
	Provider, ProviderHref string
	// Problem says why the sign-in at the provider failed. It is empty before.
	Problem string
}

// maxSignIn is the maximum size of a sign-in form, in bytes (arbitrary).
const maxSignIn = 64 << 10

// themePath is the address that stores a browser's theme. It needs no token, because it reveals and
// changes nothing.
const themePath = "/theme"

// isOpen reports whether a path needs no token: health checks, files below /static/, the theme and
// the sign-in. It compares the escaped path, as routers do, so that no other spelling passes.
func isOpen(r *http.Request) bool {
	path := r.URL.EscapedPath()
	switch path {
	case "/healthz", "/readyz", themePath, SignInPath:
		return true
	}
	return strings.HasPrefix(path, "/static/") && !strings.Contains(path, "..") && !strings.Contains(path, "%")
}

// refuseUnchecked answers a request whose token or sign-in could not be checked or stored: 429 for
// *tooManyGuesses, else 503, for which it logs err. If the client has disconnected, it does not
// answer with 503 and does not log.
func (g *Gate) refuseUnchecked(w http.ResponseWriter, r *http.Request, err error) {
	const detail = "Database unavailable, so the sign-in was not checked. Nothing was changed. Try again shortly."
	var many *tooManyGuesses
	switch {
	case errors.As(err, &many):
		w.Header().Set("Retry-After", strconv.Itoa(many.seconds()))
		g.refuse(w, r, http.StatusTooManyRequests, "Too many wrong tokens. Nothing was changed. Try again later.")
	case errors.Is(err, errKernel):
		g.refuseUnknownPeer(w, r, err)
	case r.Context().Err() == nil:
		g.options.Log.WarnContext(r.Context(), "sign-in check failed", "request", RequestID(r.Context()), "error", err)
		w.Header().Set("Retry-After", "2")
		g.refuse(w, r, http.StatusServiceUnavailable, detail)
	}
}

func (g *Gate) askToSignIn(w http.ResponseWriter, r *http.Request) {
	if isProgramPath(r) {
		problem.New(http.StatusUnauthorized, "Token required. Send it as Authorization: Bearer, or sign in with the browser.").
			Header("WWW-Authenticate", `Bearer realm="memoir"`).Request(RequestID(r.Context())).Write(w)
		return
	}
	next := "/"
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		next = r.URL.RequestURI()
	}
	if r.Header.Get("HX-Request") == "true" {
		// htmx requested a part of a page, but the sign-in must replace the whole page.
		if shown, err := url.Parse(r.Header.Get("HX-Current-URL")); err == nil {
			next = shown.RequestURI()
		}
		w.Header().Set("HX-Redirect", signInFor(next))
		page(w, http.StatusUnauthorized, "Sign in", "You are signed out. Nothing was changed. Sign in again.")
		return
	}
	http.Redirect(w, r, signInFor(next), http.StatusSeeOther)
}

func signInFor(next string) string {
	return SignInPath + "?" + url.Values{"next": {localPath(next)}}.Encode()
}

// serveSignIn returns a handler that serves GET, HEAD and POST of the sign-in, the sign-in at a
// provider, and POST of the sign-out, and calls next for other requests.
func (g *Gate) serveSignIn(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if g.serveOIDC(w, r) {
			return
		}
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
	if !g.hasSignIn() {
		http.Redirect(w, r, next, http.StatusSeeOther)
		return
	}
	if code := r.URL.Query().Get("code"); code != "" && r.Method == http.MethodGet && g.code.use(code) {
		if err := g.beginSignIn(w, r, g.tokens.all[0], caller{}, signInMaxAge); err != nil {
			g.refuseUnchecked(w, r, err)
			return
		}
		http.Redirect(w, r, next, http.StatusSeeOther)
		return
	}
	// a caller with less access may sign in again to get more
	if known, _ := g.callerOf(r, g.takeLogin(r)); known.Scope == access.Admin {
		http.Redirect(w, r, next, http.StatusSeeOther)
		return
	}
	g.options.SignIn(w, r, g.form(next))
}

func (g *Gate) signIn(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxSignIn)
	next := localPath(r.PostFormValue("next"))
	if !g.hasSignIn() {
		http.Redirect(w, r, next, http.StatusSeeOther)
		return
	}
	shown, known, err := g.match(r, strings.TrimSpace(r.PostFormValue("token")))
	if r.Context().Err() != nil {
		return // the client has disconnected
	}
	var many *tooManyGuesses
	switch {
	case errors.As(err, &many):
		w.Header().Set("Retry-After", strconv.Itoa(many.seconds()))
		form := g.form(next)
		form.Wait = many.seconds()
		g.showAgain(w, r, http.StatusTooManyRequests, form)
		return
	case err != nil:
		g.refuseUnchecked(w, r, err)
		return
	case !known.isKnown():
		g.options.Log.WarnContext(r.Context(), "sign-in with wrong token", "from", r.RemoteAddr)
		form := g.form(next)
		form.Wrong = true
		g.showAgain(w, r, http.StatusForbidden, form)
		return
	}
	if err := g.beginSignIn(w, r, shown, known, signInMaxAge); err != nil {
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

// beginSignIn stores a new sign-in for the principal, if there is one, and sets its cookie in the
// response. The sign-in is valid only together with the token under, unless that is the zero token.
// If it cannot be stored, it returns the error and sets no cookie.
func (g *Gate) beginSignIn(w http.ResponseWriter, r *http.Request, under token, who caller, lasts time.Duration) error {
	value := rand.Text() + rand.Text() // signInLength bytes
	in := access.SignIn{Principal: who.principal, ExpiresAt: time.Now().Add(lasts)}
	if under.text != "" {
		in.Seal = g.tokens.seal(under, value)
	}
	err := g.signIns.SaveSignIn(r.Context(), idOf(value), in)
	if err == nil {
		g.tokens.setCookie(w, value, g.isSecure(r), lasts)
	}
	return err
}

// signOut deletes the browser's sign-ins and its cookie, and redirects to the sign-in page. If a
// sign-in cannot be deleted, it answers 503, and the cookie stays. If nobody can sign in, it only
// redirects.
func (g *Gate) signOut(w http.ResponseWriter, r *http.Request) {
	if !g.hasSignIn() {
		http.Redirect(w, r, SignInPath, http.StatusSeeOther)
		return
	}
	for _, cookie := range r.CookiesNamed(g.tokens.cookie) {
		if err := g.signIns.EndSignIn(r.Context(), idOf(cookie.Value)); err != nil {
			g.options.Log.WarnContext(r.Context(), "sign-out failed", "request", RequestID(r.Context()), "error", err)
			w.Header().Set("Retry-After", "2")
			g.refuse(w, r, http.StatusServiceUnavailable, "Database unavailable. You are still signed in. Try again shortly.")
			return
		}
	}
	g.tokens.setCookie(w, "", g.isSecure(r), 0)
	http.Redirect(w, r, SignInPath, http.StatusSeeOther)
}

// localPath returns next if it is an absolute path on this server and not the sign-in or sign-out,
// else "/". It prevents redirects to other sites. It refuses backslashes and control characters,
// because browsers read the first as slashes and ignore the second.
func localPath(next string) string {
	parsed, err := url.Parse(next)
	if err != nil || parsed.IsAbs() || parsed.Host != "" || parsed.User != nil ||
		!strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") || strings.Contains(next, `\`) ||
		strings.ContainsFunc(next, unicode.IsControl) || parsed.Path == SignInPath || strings.HasPrefix(parsed.Path, SignInPath+"/") || parsed.Path == SignOutPath {
		return "/"
	}
	return next
}

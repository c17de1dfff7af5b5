package pages

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"time"

	"github.com/a-h/templ"

	"memoir/internal/gate"
	"memoir/internal/records"
	"memoir/web/templates"
)

// A handler answers a request or returns an error, which fail then shows.
type handler func(http.ResponseWriter, *http.Request) error

// defaultDatabaseTime is far longer than the slowest page takes (arbitrary).
const defaultDatabaseTime = 15 * time.Second

// maxForm is the maximum size of an action's form, in bytes. Such a form has a few short fields.
const maxForm = 64 << 10

// maxWriting is the maximum size of a form with a memory, in bytes. A body of 1 MiB can take three
// times as much when URL-encoded.
const maxWriting = 4 << 20

// page returns a handler for requests that only read. It calls handle with a context that ends
// after Options.DatabaseTime. An error of handle becomes an error page, unless the client has
// disconnected.
func (s *site) page(handle handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		limited, cancel := context.WithTimeout(r.Context(), s.options.DatabaseTime)
		defer cancel()
		if err := handle(w, takeNotice(w, r.WithContext(limited))); err != nil {
			s.fail(w, r, err)
		}
	}
}

// action returns a handler for forms with a few short fields, at most maxForm bytes. It calls
// handle, which continues if the client disconnects. An error of handle, or a form that is
// malformed or too large, becomes an error page. So does a database that does not respond; handle
// may then still run.
func (s *site) action(handle handler) http.HandlerFunc { return s.submit(maxForm, handle) }

// writing returns a handler for forms with a whole memory, at most maxWriting bytes. It calls
// handle, which continues if the client disconnects. An error of handle, or a form that is
// malformed or too large, becomes an error page. So does a database that does not respond; handle
// may then still run.
func (s *site) writing(handle handler) http.HandlerFunc { return s.submit(maxWriting, handle) }

func (s *site) submit(maxBytes int64, handle handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxBytes)
		if err := r.ParseForm(); err != nil {
			s.fail(w, r, formError(err))
			return
		}
		// The handler may still run after a database timeout, so it must not write to w.
		answer := reply{header: http.Header{}}
		r = withBrowser(&answer, r)
		err := s.store.RunDetached(r.Context(), s.options.DatabaseTime, func(ctx context.Context) error { return handle(&answer, r.WithContext(ctx)) })
		if err != nil {
			s.fail(w, r, err)
			return
		}
		answer.send(w)
	}
}

// reply is a buffered response.
type reply struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *reply) Header() http.Header         { return a.header }
func (a *reply) Write(p []byte) (int, error) { return a.body.Write(p) }

func (a *reply) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

func (a *reply) send(w http.ResponseWriter) {
	maps.Copy(w.Header(), a.header)
	if a.status != 0 {
		w.WriteHeader(a.status)
	}
	_, _ = w.Write(a.body.Bytes()) // the client may have disconnected
}

// show renders page completely, then sends it with the status. If rendering fails, it sends nothing
// and returns the error.
func show(w http.ResponseWriter, r *http.Request, status int, page templ.Component) error {
	var body bytes.Buffer
	if err := page.Render(forReader(r, status < http.StatusInternalServerError), &body); err != nil {
		return fmt.Errorf("render the page: %w", err)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(body.Bytes()) // the client may have disconnected
	return nil
}

const (
	// cookieTheme is the name of the cookie with the theme. theme.js writes it too.
	cookieTheme = "memoir_theme"
	// themeMaxAge is how long a browser keeps the theme.
	themeMaxAge = 365 * 24 * time.Hour
)

// chooseTheme stores the submitted theme in a cookie, or deletes the cookie for AutoTheme or an
// unknown theme. It redirects to the page of the form, by default the first page. It needs no
// database, so it also works on error pages.
func (s *site) chooseTheme(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		s.fail(w, r, formError(err))
		return
	}
	theme := templates.ParseTheme(r.PostFormValue(templates.FieldTheme))
	cookie := &http.Cookie{
		Name: cookieTheme, Value: string(theme), Path: "/", MaxAge: int(themeMaxAge / time.Second),
		SameSite: http.SameSiteLaxMode,
		Secure:   isSecure(r),
	}
	if theme == templates.AutoTheme {
		cookie.MaxAge = -1
	}
	http.SetCookie(w, cookie)
	http.Redirect(w, r, back(r, templates.HomePath), http.StatusSeeOther)
}

// isSecure reports whether the browser uses HTTPS. A proxy says so in a header that can be forged,
// but that can only make a cookie stricter.
func isSecure(r *http.Request) bool {
	return r.TLS != nil || strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https")
}

// forReader returns the context for rendering the answer to r. It has the reader's theme, rights and
// sidebar, and the address to return to after a change of the theme. Without withSidebar the sidebar
// lists no agents, and nothing is read from the database.
func forReader(r *http.Request, withSidebar bool) context.Context {
	var reader templates.Reader
	if cookie, err := r.Cookie(cookieTheme); err == nil {
		reader.Theme = templates.ParseTheme(cookie.Value)
	}
	reader.Here = back(r, templates.HomePath) // the response to a form has no address to return to
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		reader.Here = r.URL.RequestURI()
	}
	if s, ok := r.Context().Value(siteKey{}).(*site); ok {
		reader.Browser = records.ActionOf(r.Context()).Browser
		reader.Account, reader.CanWrite, reader.CanSignOut = account(r), !gate.ReadOnly(r.Context()), gate.SignedIn(r.Context())
		if !wantsPane(r) {
			if withSidebar {
				reader.Sidebar = s.sidebar(r.Context())
			}
		}
	}
	return templates.ForReader(r.Context(), reader)
}

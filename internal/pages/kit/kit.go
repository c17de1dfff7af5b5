// Package kit gives the packages of pages what all pages share: handlers with a time limit, forms,
// error pages, notices after a redirect, and the reader's theme and sidebar.
//
// It knows no page. It renders with package templates. Package pages and the packages of single
// pages use it.
package kit

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"os/user"
	"strings"
	"time"

	"github.com/a-h/templ"

	"memoir/internal/access"
	"memoir/internal/gate"
	"memoir/internal/memories"
	"memoir/internal/records"
	engine "memoir/internal/sync"
	"memoir/web/templates/address"
	"memoir/web/templates/ui"
)

// Kit serves pages. All fields are required.
type Kit struct {
	Store Store
	// DatabaseTime is the timeout of a page's queries, and of the check before an action that
	// Postgres responds.
	DatabaseTime time.Duration
	// Sidebar returns the navigation of every page. It is empty if the database does not respond.
	Sidebar func(ctx context.Context) ui.Sidebar
	// Notices are the texts of the notices that name no memory, by action.
	Notices map[string]string
	Log     *slog.Logger
}

// Store is what a Kit needs of the database. *postgres.Store implements and documents it.
type Store interface {
	Agent(ctx context.Context, slug string) (records.Agent, error)
	RunDetached(ctx context.Context, timeout time.Duration, change func(context.Context) error) error
}

// Handler answers a request or returns an error, which Kit.Fail then shows.
type Handler func(http.ResponseWriter, *http.Request) error

// maxForm is the maximum size of an action's form, in bytes. Such a form has a few short fields.
const maxForm = 64 << 10

// maxWriting is the maximum size of a form with a memory, in bytes. A body of 1 MiB can take three
// times as much when URL-encoded.
const maxWriting = 4 << 20

// Page returns a handler for requests that only read. It calls handle with a context that ends
// after Kit.DatabaseTime. An error of handle becomes an error page, unless the client has
// disconnected.
func (k *Kit) Page(handle Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		limited, cancel := context.WithTimeout(r.Context(), k.DatabaseTime)
		defer cancel()
		if err := handle(w, takeNotice(w, r.WithContext(limited))); err != nil {
			k.Fail(w, r, err)
		}
	}
}

// Action returns a handler for forms with a few short fields, at most maxForm bytes. It calls
// handle, which continues if the client disconnects. An error of handle, or a form that is
// malformed or too large, becomes an error page. So does a database that does not respond; handle
// may then still run.
func (k *Kit) Action(handle Handler) http.HandlerFunc { return k.submit(maxForm, handle) }

// Writing returns a handler for forms with a whole memory, at most maxWriting bytes. It calls
// handle, which continues if the client disconnects. An error of handle, or a form that is
// malformed or too large, becomes an error page. So does a database that does not respond; handle
// may then still run.
func (k *Kit) Writing(handle Handler) http.HandlerFunc { return k.submit(maxWriting, handle) }

func (k *Kit) submit(maxBytes int64, handle Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxBytes)
		if err := r.ParseForm(); err != nil {
			k.Fail(w, r, formError(err))
			return
		}
		// The Handler may still run after a database timeout, so it must not write to w.
		answer := reply{header: http.Header{}}
		r = withBrowser(&answer, r)
		err := k.Store.RunDetached(r.Context(), k.DatabaseTime, func(ctx context.Context) error { return handle(&answer, r.WithContext(ctx)) })
		if err != nil {
			k.Fail(w, r, err)
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

// Show renders page completely, then sends it with the status. If rendering fails, it sends nothing
// and returns the error.
func Show(w http.ResponseWriter, r *http.Request, status int, page templ.Component) error {
	var body bytes.Buffer
	if err := page.Render(ForReader(r, status < http.StatusInternalServerError), &body); err != nil {
		return fmt.Errorf("render the page: %w", err)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(body.Bytes()) // the client may have disconnected
	return nil
}

const (
	// CookieTheme is the name of the cookie with the theme. theme.js writes it too.
	CookieTheme = "memoir_theme"
	// themeMaxAge is how long a browser keeps the theme.
	themeMaxAge = 365 * 24 * time.Hour
)

// ChooseTheme stores the submitted theme in a cookie, or deletes the cookie for AutoTheme or an
// unknown theme. It redirects to the page of the form, by default the first page. It needs no
// database, so it also works on error pages.
func (k *Kit) ChooseTheme(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		k.Fail(w, r, formError(err))
		return
	}
	theme := ui.ParseTheme(r.PostFormValue(address.FieldTheme))
	cookie := &http.Cookie{
		Name: CookieTheme, Value: string(theme), Path: "/", MaxAge: int(themeMaxAge / time.Second),
		SameSite: http.SameSiteLaxMode,
		Secure:   IsSecure(r),
	}
	if theme == ui.AutoTheme {
		cookie.MaxAge = -1
	}
	http.SetCookie(w, cookie)
	http.Redirect(w, r, Back(r, address.HomePath), http.StatusSeeOther)
}

// IsSecure reports whether the browser uses HTTPS. A proxy says so in a header that can be forged,
// but that can only make a cookie stricter.
func IsSecure(r *http.Request) bool {
	return r.TLS != nil || strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https")
}

// ForReader returns the context for rendering the answer to r. It has the reader's theme, rights and
// sidebar, and the address to return to after a change of the theme. Without withSidebar the sidebar
// lists no agents, and nothing is read from the database.
func ForReader(r *http.Request, withSidebar bool) context.Context {
	var reader ui.Reader
	if cookie, err := r.Cookie(CookieTheme); err == nil {
		reader.Theme = ui.ParseTheme(cookie.Value)
	}
	reader.Here = Back(r, address.HomePath) // the response to a form has no address to return to
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		reader.Here = r.URL.RequestURI()
	}
	if k, ok := r.Context().Value(kitKey{}).(*Kit); ok {
		reader.Browser, reader.Person = records.ActionOf(r.Context()).Browser, records.ActionOf(r.Context()).Person
		reader.Account, reader.CanWrite, reader.CanSignOut = account(r), gate.CanWrite(r.Context()), gate.SignedIn(r.Context())
		reader.IsAdmin = access.Allows(r.Context(), access.Admin)
		if !WantsPane(r) {
			if withSidebar {
				reader.Sidebar = k.Sidebar(r.Context())
			}
		}
	}
	return ui.ForReader(r.Context(), reader)
}

type kitKey struct{}

// Framed returns a handler that calls next with a context for the other functions of this package.
// The context names the request and its browser as the author of changes; the journal records them.
func (k *Kit) Framed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		action := records.Action{ID: rand.Text(), Browser: browserOf(r)}
		ctx := records.InAction(engine.As(r.Context(), memories.ByBrowser), action)
		next.ServeHTTP(w, r.WithContext(context.WithValue(ctx, kitKey{}, k)))
	})
}

// account returns the name of the user who reads the page: that of the principal, else "token". Without
// a token that is the user of the system, because only that user can connect.
func account(r *http.Request) string {
	if name := access.Of(r.Context()).Name; name != "" {
		return name
	}
	if gate.SignedIn(r.Context()) {
		return "token"
	}
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return ""
}

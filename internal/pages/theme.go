package pages

import (
	"context"
	"net/http"
	"strings"
	"time"

	"memoir/web/templates"
)

const (
	// cookieTheme is the browser's own choice, which theme.js writes too; it says nothing of who reads.
	cookieTheme = "memoir_theme"
	// themeFor is how long it is remembered.
	themeFor = 365 * 24 * time.Hour
)

// chooseTheme remembers how light the pages are to be, and leads back. It asks no database, so that it also works where
// the pages fail.
func (s *site) chooseTheme(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		s.fail(w, r, unreadable(err))
		return
	}
	theme := templates.ParseTheme(r.PostFormValue(templates.FieldTheme))
	cookie := &http.Cookie{
		Name: cookieTheme, Value: string(theme), Path: "/", MaxAge: int(themeFor / time.Second),
		SameSite: http.SameSiteLaxMode,
		Secure:   r.TLS != nil || strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https"),
	}
	if theme == templates.AutoTheme {
		cookie.MaxAge = -1
	}
	http.SetCookie(w, cookie)
	http.Redirect(w, r, back(r, templates.AgentsPath), http.StatusSeeOther)
}

// forReader returns the context in which a page is rendered for whoever asked for it.
func forReader(r *http.Request) context.Context {
	var reader templates.Reader
	if cookie, err := r.Cookie(cookieTheme); err == nil {
		reader.Theme = templates.ParseTheme(cookie.Value)
	}
	reader.Here = back(r, templates.AgentsPath) // the answer to a form has no address to come back to
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		reader.Here = r.URL.RequestURI()
	}
	return templates.ForReader(r.Context(), reader)
}

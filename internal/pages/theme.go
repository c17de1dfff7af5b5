package pages

import (
	"context"
	"net/http"
	"strings"
	"time"

	"memoir/web/templates"
)

const (
	// cookieTheme is the name of the cookie with the theme. theme.js writes it too.
	cookieTheme = "memoir_theme"
	// themeFor is how long a browser keeps the theme.
	themeFor = 365 * 24 * time.Hour
)

// chooseTheme stores the theme in a cookie and redirects back. It needs no database, so it also
// works on error pages.
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

// forReader returns a context for rendering, with the reader's theme and the address to return to.
func forReader(r *http.Request) context.Context {
	var reader templates.Reader
	if cookie, err := r.Cookie(cookieTheme); err == nil {
		reader.Theme = templates.ParseTheme(cookie.Value)
	}
	reader.Here = back(r, templates.AgentsPath) // the response to a form has no address to return to
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		reader.Here = r.URL.RequestURI()
	}
	return templates.ForReader(r.Context(), reader)
}

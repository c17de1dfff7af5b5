package kit

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"

	"memoir/internal/records"
	"memoir/web/templates/address"
	"memoir/web/templates/ui"
)

// A redirect carries the action, its event and the memory's id to the next page in a cookie, and that
// page shows a notice once. The page makes the text from the current state, so a forged cookie cannot
// show a false notice. Addresses carry none, so a reload and Back show nothing.
const (
	FieldDone  = "done"
	FieldID    = "id"
	FieldEvent = "event" // that the notice offers to undo
	FieldMany  = "many"  // the operation of a batch
)

const (
	// cookieNotice is the name of the cookie with the action that the next page is about.
	cookieNotice = "memoir_notice"
	// noticeMaxAge is how long the next page may take to load (arbitrary).
	noticeMaxAge = 30 * time.Second
	// maxNotice is the length of the longest value of the cookie. Browsers keep 4,096 bytes with its
	// name and attributes (RFC 6265).
	maxNotice = 3_500
	// headerRefresh marks the request of a page that refreshes itself. It leaves the notice to the
	// answer of the action.
	headerRefresh = "Memoir-Refresh"
)

// Redirect redirects with 303 to path, which then shows a notice about the action done. id is the
// id of the memory that the notice names, or "" if it names none. It always returns nil.
func Redirect(w http.ResponseWriter, r *http.Request, path, done, id string) error {
	return RedirectWith(w, r, path, url.Values{FieldDone: {done}, FieldID: {id}})
}

// RedirectWith redirects with 303 to path, which then shows the notice that the values describe, by
// default about the event of this request. If they are too long for a cookie, the page shows none. It
// always returns nil.
func RedirectWith(w http.ResponseWriter, r *http.Request, path string, notice url.Values) error {
	if !notice.Has(FieldEvent) {
		notice.Set(FieldEvent, records.ActionOf(r.Context()).ID)
	}
	if value := notice.Encode(); len(value) <= maxNotice {
		http.SetCookie(w, noticeCookie(r, value))
	}
	http.Redirect(w, r, path, http.StatusSeeOther)
	return nil
}

// noticeCookie returns the cookie with the value, or the one that deletes it for an empty value.
func noticeCookie(r *http.Request, value string) *http.Cookie {
	c := &http.Cookie{Name: cookieNotice, Value: value, Path: "/", MaxAge: int(noticeMaxAge / time.Second), HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: IsSecure(r)}
	if value == "" {
		c.MaxAge = -1
	}
	return c
}

type noticeKey struct{}

// takeNotice returns r with the last action for LastAction, and deletes its cookie. A refresh and a
// request for a part of a page leave the cookie to the next document.
func takeNotice(w http.ResponseWriter, r *http.Request) *http.Request {
	if r.Header.Get(headerRefresh) != "" || r.Header.Get("HX-Request-Type") == "partial" {
		return r
	}
	cookie, err := r.Cookie(cookieNotice)
	if err != nil {
		return r
	}
	http.SetCookie(w, noticeCookie(r, ""))
	values, err := url.ParseQuery(cookie.Value)
	if err != nil {
		return r
	}
	return r.WithContext(context.WithValue(r.Context(), noticeKey{}, values))
}

// LastAction returns the values of the action that led to the page of r. It returns nil without one.
func LastAction(r *http.Request) url.Values {
	values, _ := r.Context().Value(noticeKey{}).(url.Values)
	return values
}

// Back returns the address of the page that the form was on, from the field FieldBack. If that is
// absent or not a path on this server, it returns otherwise. Browsers read a backslash as a slash
// and ignore control characters, so Back refuses both.
func Back(r *http.Request, otherwise string) string {
	path := r.PostFormValue(address.FieldBack)
	parsed, err := url.Parse(path)
	if err != nil || parsed.IsAbs() || parsed.Host != "" || !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") ||
		strings.Contains(path, `\`) || strings.ContainsFunc(path, unicode.IsControl) {
		return otherwise
	}
	return path
}

// Notice returns the notice about the action that led to the page of r, if it is one of Notices. Else
// it returns nil.
func (k *Kit) Notice(r *http.Request) *ui.Notice {
	if text := k.Notices[LastAction(r).Get(FieldDone)]; text != "" {
		return &ui.Notice{Text: text}
	}
	return nil
}

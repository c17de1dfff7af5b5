package kit

import (
	"crypto/rand"
	"net/http"
	"regexp"
	"time"

	"memoir/internal/records"
)

const (
	// cookieBrowser is the name of the cookie with the random id of a browser. The journal records it
	// with each change, so that pages can tell the changes of their reader from others. It grants
	// nothing.
	cookieBrowser = "memoir_browser"
	// browserMaxAge is the longest time that browsers keep a cookie (RFC 6265bis).
	browserMaxAge = 400 * 24 * time.Hour
)

// browserID matches the ids of browsers.
var browserID = regexp.MustCompile(`^[A-Z2-7]{26}$`)

// browserOf returns the id of the browser of a request, or "" if it has none yet.
func browserOf(r *http.Request) string {
	cookie, err := r.Cookie(cookieBrowser)
	if err != nil || !browserID.MatchString(cookie.Value) {
		return ""
	}
	return cookie.Value
}

// withBrowser returns r with an id of its browser. A browser without one gets it with the answer.
func withBrowser(w http.ResponseWriter, r *http.Request) *http.Request {
	action := records.ActionOf(r.Context())
	if action.Browser == "" {
		action.Browser = rand.Text()
		http.SetCookie(w, &http.Cookie{
			Name: cookieBrowser, Value: action.Browser, Path: "/", MaxAge: int(browserMaxAge / time.Second), HttpOnly: true, SameSite: http.SameSiteLaxMode,
			Secure: IsSecure(r),
		})
	}
	return r.WithContext(records.InAction(r.Context(), action))
}

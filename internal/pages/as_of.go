package pages

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"memoir/web/templates"
)

// A pastHandler shows a page as it was at a moment that is past.
type pastHandler func(http.ResponseWriter, *http.Request, time.Time) error

// orAsOf serves a page as it is now, or, where the address names a past moment, as it was then.
func orAsOf(now handler, then pastHandler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		raw := r.URL.Query().Get(templates.FieldAsOf)
		if raw == "" {
			return now(w, r)
		}
		at, exact, ok := parseMoment(raw)
		switch {
		case !ok:
			return &badRequest{http.StatusBadRequest, "A moment is written like 2026-11-03T14:00:00Z."}
		case at.After(time.Now()):
			return redirectTo(w, r, "") // what is not past yet is as it is now
		case !exact:
			return redirectTo(w, r, at.UTC().Format(time.RFC3339)) // an address that says the same in every zone
		}
		return then(w, r, at.Local())
	}
}

// parseMoment reads RFC 3339, which is exact, or what a browser's field for a date or for a date and a time writes: those
// are in the server's zone, and a date alone is the end of that day.
func parseMoment(raw string) (at time.Time, exact, ok bool) {
	// An offset's plus sign that was not escaped arrives as a space.
	if at, err := time.Parse(time.RFC3339, strings.Replace(raw, " ", "+", 1)); err == nil {
		return at, true, true
	}
	for _, layout := range []string{"2006-01-02T15:04", "2006-01-02T15:04:05"} {
		if at, err := time.ParseInLocation(layout, raw, time.Local); err == nil {
			return at, false, true
		}
	}
	if day, err := time.ParseInLocation(time.DateOnly, raw, time.Local); err == nil {
		return day.AddDate(0, 0, 1).Add(-time.Second), false, true
	}
	return time.Time{}, false, false
}

// redirectTo leads to the same page with another moment; empty: without one.
func redirectTo(w http.ResponseWriter, r *http.Request, moment string) error {
	query := r.URL.Query()
	query.Del(templates.FieldAsOf)
	if moment != "" {
		query.Set(templates.FieldAsOf, moment)
	}
	target := url.URL{Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: query.Encode()}
	http.Redirect(w, r, target.String(), http.StatusSeeOther)
	return nil
}

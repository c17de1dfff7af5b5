package pages

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"memoir/web/templates"
)

// A pastHandler answers with a page as it was at the given time.
type pastHandler func(http.ResponseWriter, *http.Request, time.Time) error

// orAsOf returns a handler that calls then if the address has a past moment, and now otherwise. It
// redirects to the current page if the moment is in the future. It redirects to the RFC 3339 form
// of a moment that has no time zone.
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
			return redirectTo(w, r, "") // only the past has a page of its own
		case !exact:
			return redirectTo(w, r, at.UTC().Format(time.RFC3339)) // the same in every time zone
		}
		return then(w, r, at.Local())
	}
}

// parseMoment parses RFC 3339, or the value of a browser's date or date-time field. exact reports
// whether raw has a time zone; otherwise the server's zone is used. A date without a time means the
// last second of that day.
func parseMoment(raw string) (at time.Time, exact, ok bool) {
	// A plus sign that was not escaped arrives as a space.
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

// redirectTo redirects to the same page at another moment. If moment is empty, it redirects to the
// current page.
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

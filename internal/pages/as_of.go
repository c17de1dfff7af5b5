package pages

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"memoir/internal/diff"
	"memoir/internal/markdown"
	"memoir/internal/memories"
	"memoir/internal/records"
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
			return redirectTo(w, r, "") // only the past has other pages
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

// memoriesAsOf shows an agent's memories at a past moment.
func (s *site) memoriesAsOf(w http.ResponseWriter, r *http.Request, at time.Time) error {
	agent, err := s.requestedAgent(r)
	if err != nil {
		return err
	}
	path := templates.MemoriesPath(agent.Slug)
	v := templates.MemoriesAsOf{Agent: agentView(agent), AsOf: templates.AsOf{At: at, Here: path}}
	filter, err := filterOf(r.URL.Query())
	if err != nil {
		return err
	}
	filter.AsOf, v.Type = memories.MomentOf(at), filter.Type
	request := memories.PageRequest{Limit: pageRows, Cursor: r.URL.Query().Get(templates.FieldCursor)}
	page, err := s.store.Memories(r.Context(), agent, filter, request)
	if err != nil {
		return err
	}
	v.Total = page.Total
	if v.Rows, err = s.rowsAsOf(r.Context(), agent, page.Memories, at); err != nil {
		return err
	}
	here := path + "?" + filter.Values().Encode()
	if request.Cursor != "" {
		v.FirstHref = here
	}
	if page.NextCursor != "" {
		v.MoreHref = here + "&" + url.Values{templates.FieldCursor: {page.NextCursor}}.Encode()
	}
	return show(w, r, http.StatusOK, templates.MemoriesAsOfPage(v))
}

// rowsAsOf returns a row for each memory in found, with the change since the time at.
func (s *site) rowsAsOf(ctx context.Context, agent records.Agent, found []memories.Memory, at time.Time) ([]templates.MemoryAsOf, error) {
	ids := make([]string, len(found))
	for i, m := range found {
		ids[i] = m.ID
	}
	now, err := s.store.MemoryVersions(ctx, agent.ID, ids)
	rows := make([]templates.MemoryAsOf, len(found))
	for i, m := range found {
		rows[i] = templates.MemoryAsOf{MemoryRow: rowOf(m, at), Since: since(m, now[m.ID])}
	}
	return rows, err
}

// since returns "deleted since", "changed since", or "" if the memory is unchanged.
func since(then memories.Memory, now records.MemoryVersion) string {
	switch {
	case now.State == memories.Deleted:
		return "deleted since"
	case then.Readable && now.Fingerprint != memories.FingerprintOf(then.Type, then.Description, then.Body):
		return "changed since"
	default:
		return ""
	}
}

// memoryAsOf shows a memory as it was at a past moment, and its changes since.
func (s *site) memoryAsOf(w http.ResponseWriter, r *http.Request, at time.Time) error {
	agent, now, err := s.requestedMemory(r)
	if err != nil {
		return err
	}
	v := templates.MemoryThen{
		Agent: agentView(agent), AsOf: templates.AsOf{At: at, Here: templates.MemoryPath(agent.Slug, now.ID)}, MemoryRow: rowOf(now, at),
	}
	then, err := s.store.MemoryAsOf(r.Context(), agent, now.ID, at)
	if errors.Is(err, memories.ErrNotFound) {
		return show(w, r, http.StatusOK, templates.MemoryThenPage(v))
	}
	if err != nil {
		return err
	}
	v.Known, v.MemoryRow, v.Readable, v.File = true, rowOf(then, at), then.Readable, then.Path
	links := links{ctx: r.Context(), store: s.store, agent: agent, view: templates.View{Agent: agent.Slug}}
	v.Body, err = markdown.Render(then.Body, func(target string) (string, bool) {
		href, ok := links.resolve(target)
		return templates.AsOfHref(href, at), ok
	})
	if err == nil {
		err = links.err
	}
	if err != nil {
		return err
	}
	v.Now = templates.MemoryNow{
		Deleted: now.State == memories.Deleted, Type: now.Type, TypeThen: then.Type,
		Description: diff.Texts(then.Description, now.Description, maxRevisionLines),
		Body:        diff.Texts(then.Body, now.Body, maxRevisionLines),
	}
	return show(w, r, http.StatusOK, templates.MemoryThenPage(v))
}

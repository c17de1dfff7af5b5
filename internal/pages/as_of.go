package pages

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"memoir/internal/memories"
	"memoir/internal/pages/kit"
	"memoir/internal/pages/memorypane"
	"memoir/internal/pages/shown"
	"memoir/internal/records"
	"memoir/web/templates"
	"memoir/web/templates/address"
)

// orAsOf returns a handler for a page with the query parameter FieldAsOf, a moment. Without it, the
// handler calls now. It calls then with a past moment, in the server's time zone. A future moment
// redirects to the page without the parameter. A moment without a time zone redirects to the same
// moment in UTC. A malformed moment gives a *kit.BadRequest.
func orAsOf(now kit.Handler, then func(http.ResponseWriter, *http.Request, time.Time) error) kit.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		raw := r.URL.Query().Get(address.FieldAsOf)
		if raw == "" {
			return now(w, r)
		}
		at, exact, ok := parseMoment(raw)
		switch {
		case !ok:
			return kit.Malformed("A moment is written like 2026-11-03T14:00:00Z.")
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
// last second of that day. ok is false for other texts.
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

// redirectTo redirects to the address of r with moment as the parameter FieldAsOf, or without that
// parameter if moment is empty. It always returns nil.
func redirectTo(w http.ResponseWriter, r *http.Request, moment string) error {
	target := address.WithQuery(r.URL.RequestURI(), map[string]string{address.FieldAsOf: moment})
	http.Redirect(w, r, target, http.StatusSeeOther)
	return nil
}

// memoriesAsOf shows one page of the memories that an agent had at a past moment, each with its
// deletion or change since then. The address names the agent. The query gives a filter and the
// cursor. It returns memories.ErrNotFound for an unknown agent, and *memories.InvalidError for an
// invalid filter.
func (s *site) memoriesAsOf(w http.ResponseWriter, r *http.Request, at time.Time) error {
	agent, err := s.kit.Agent(r)
	if err != nil {
		return err
	}
	path := address.MemoriesPath(agent.Slug)
	v := templates.MemoriesAsOf{AsOf: templates.AsOf{At: at, Here: path}}
	filter, err := filterOf(r.URL.Query())
	if err != nil {
		return err
	}
	filter.AsOf, v.Type = memories.MomentOf(at), filter.Type
	request := memories.PageRequest{Limit: pageRows, Cursor: r.URL.Query().Get(address.FieldCursor)}
	page, err := s.store.Memories(r.Context(), agent, filter, request)
	if err != nil {
		return err
	}
	v.Total = page.Total
	var changes records.ChangesSince
	if v.Agent, changes, err = s.agentOn(r.Context(), agent, at); err != nil {
		return err
	}
	v.Learned, v.Deleted = changes.Learned, changes.Deleted
	if v.Rows, err = s.rowsAsOf(r.Context(), agent, page.Memories, at); err != nil {
		return err
	}
	here := path + "?" + filter.Values().Encode()
	v.MoreHref, v.FirstHref = pageLinks(here, request.Cursor, page.NextCursor)
	return kit.Show(w, r, http.StatusOK, templates.MemoriesAsOfPage(v))
}

// agentOn returns the view of an agent at a past moment, and its changes since then.
func (s *site) agentOn(ctx context.Context, agent records.Agent, at time.Time) (templates.Agent, records.ChangesSince, error) {
	changes, err := s.store.ChangesSince(ctx, []int64{agent.ID}, at)
	return agentView(agent).On(at, agent.Counts.Total-changes.Learned+changes.Deleted), changes, err
}

// rowsAsOf returns a row for each memory in found, in the same order. A row has the memory's age at
// the moment at, and its deletion or change since then, if any.
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

// since returns templates.SinceDeleted if the memory is in the trash now, and templates.SinceChanged if
// then is readable and its type, description or body differs now.
func since(then memories.Memory, now records.MemoryVersion) templates.Difference {
	switch {
	case now.State == memories.Deleted:
		return templates.SinceDeleted
	case then.Readable && now.Fingerprint != memories.FingerprintOf(then.Type, then.Description, then.Body):
		return templates.SinceChanged
	default:
		return ""
	}
}

// memoryAsOf shows the memory in the address as it was at a past moment, and its changes since
// then. If it did not exist then, the page reports that, with status 200. It returns
// memories.ErrNotFound if the agent or the memory does not exist now.
func (s *site) memoryAsOf(w http.ResponseWriter, r *http.Request, at time.Time) error {
	agent, now, err := s.requestedMemory(r)
	if err != nil {
		return err
	}
	v := templates.MemoryThen{
		Agent: agentView(agent), AsOf: templates.AsOf{At: at, Here: address.MemoryPath(agent.Slug, now.ID)}, MemoryRow: rowOf(now, at),
	}
	then, err := s.store.MemoryAsOf(r.Context(), agent, now.ID, at)
	if errors.Is(err, memories.ErrNotFound) {
		return kit.Show(w, r, http.StatusOK, templates.MemoryThenPage(v))
	}
	if err != nil {
		return err
	}
	v.Known, v.MemoryRow = true, rowOf(then, at)
	links := memorypane.LinksOf(r.Context(), s.store, agent)
	links.Href = func(id string) string { return address.AsOfHref(address.MemoryPath(agent.Slug, id), at) }
	if v.Body, err = links.Render(then.Body); err != nil {
		return err
	}
	v.Now = templates.MemoryNow{
		Deleted: now.State == memories.Deleted, Type: now.Type, TypeThen: then.Type,
		Description: shown.Diff(then.Description, now.Description, maxRevisionLines),
		Body:        shown.Diff(then.Body, now.Body, maxRevisionLines),
	}
	return kit.Show(w, r, http.StatusOK, templates.MemoryThenPage(v))
}

package pages

import (
	"net/http"
	"slices"
	"strconv"
	"time"

	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/web/templates"
)

// entriesShown are the numbers of entries that a page of the activity can show (arbitrary).
// Scrolling moves to the next one. After the last one a new page begins, because an open page
// reloads itself at every change.
var entriesShown = []int{50, 150, records.MaxLimit}

// activity shows one page of the agent's journal, with the entries that the query of r selects.
// Only the first page also shows the charts of its memories, and the consolidation steps applied
// last. It returns a *badRequest for an invalid filter.
func (s *site) activity(w http.ResponseWriter, r *http.Request, agent records.Agent) error {
	view := agentView(agent)
	v := templates.Activity{Agent: &view}
	if err := s.readActivity(r, records.ActivityList{AgentID: agent.ID}, nil, &v); err != nil {
		return err
	}
	var err error
	if v.FirstHref == "" {
		if v.Growth, v.Ages, err = s.pictures(r.Context(), agent, v.AsOf); err != nil {
			return err
		}
		if v.Applied, err = s.appliedSteps(r.Context(), agent, templates.AgentPath(agent.Slug, "activity")); err != nil {
			return err
		}
	}
	if v.Frame, err = s.frame(r, agent, v.Path(v.Filter)); err != nil {
		return err
	}
	return show(w, r, http.StatusOK, templates.ActivityPage(v))
}

func (s *site) activityOfAll(w http.ResponseWriter, r *http.Request) error {
	all, err := s.store.AgentsUncounted(r.Context())
	if err != nil {
		return err
	}
	v := templates.Activity{Frame: templates.Frame{Live: templates.EventsPath}}
	if err := s.readActivity(r, records.ActivityList{}, displayNames(all), &v); err != nil {
		return err
	}
	return show(w, r, http.StatusOK, templates.ActivityPage(v))
}

// readActivity fills v with one page of the journal entries that the query of r selects, newest
// first and grouped by day. It adds the filter and the links to older and to the newest entries.
// list selects one agent; the zero list selects all. names has the agents' display names by slug;
// it is nil if the page shows none. It returns a *badRequest for an invalid filter, and
// records.ErrCursor.
func (s *site) readActivity(r *http.Request, list records.ActivityList, names map[string]string, v *templates.Activity) error {
	var err error
	if v.Filter, err = requestedActivity(r); err != nil {
		return err
	}
	query := r.URL.Query()
	isShown := func(n int) bool { return strconv.Itoa(n) == query.Get(templates.FieldShown) }
	length := max(0, slices.IndexFunc(entriesShown, isShown))
	list.Kind, list.Actor, list.Session = v.Filter.Kind, v.Filter.Actor, v.Filter.Session
	list.Cursor, list.Limit = query.Get(templates.FieldCursor), entriesShown[length]
	page, err := s.store.Activity(r.Context(), list)
	if err != nil {
		return err
	}
	v.AsOf = time.Now().Local()
	v.Days = templates.ByDay(page.Activity, names, v.AsOf)
	if list.Cursor != "" {
		v.FirstHref = v.Path(v.Filter)
	}
	switch {
	case page.NextCursor == "":
	case list.Cursor == "" && length+1 < len(entriesShown):
		longer := strconv.Itoa(entriesShown[length+1])
		v.Older = templates.Older{Href: v.At(v.Filter, templates.FieldShown, longer), Grows: true}
	default:
		v.Older = templates.Older{Href: v.At(v.Filter, templates.FieldCursor, page.NextCursor)}
	}
	return nil
}

// requestedActivity returns the filter by kind, actor and session in the query of r. An absent
// parameter selects all. It returns a *badRequest if a value is invalid.
func requestedActivity(r *http.Request) (templates.ActivityFilter, error) {
	query := r.URL.Query()
	f := templates.ActivityFilter{
		Kind:  memories.ActivityKind(query.Get(templates.FieldKind)),
		Actor: memories.Actor(query.Get(templates.FieldActor)), Session: query.Get(templates.FieldSession),
	}
	switch {
	case f.Kind != "" && !slices.Contains(memories.ActivityKinds, f.Kind):
		return f, errBadRequest("Nothing of that kind happens to a memory.")
	case f.Actor != "" && !slices.Contains(memories.Actors, f.Actor):
		return f, errBadRequest("What happens is done by a session, disk, browser, script or memoir.")
	case f.Session != "" && !isText(f.Session):
		return f, errBadRequest("That is no name of a session.")
	}
	return f, nil
}

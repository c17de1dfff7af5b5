package pages

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"

	"memoir/internal/findings/quarantine"
	"memoir/internal/memories"
	"memoir/internal/memories/claudemd"
	"memoir/internal/pages/kit"
	"memoir/internal/pages/listview"
	"memoir/internal/pages/shown"
	"memoir/internal/pages/timelineview"
	"memoir/internal/records"
	"memoir/web/templates"
	"memoir/web/templates/address"
	"memoir/web/templates/ui"
)

// maxSessionLabel is the maximum length of the name of a person or channel, in bytes (arbitrary).
const maxSessionLabel = 200

// timeline shows what happened to an agent's memories: events, sessions or logs, and the memories over
// time. For an unknown list, kind or session it returns memories.ErrNotFound.
func (s *site) timeline(w http.ResponseWriter, r *http.Request, agent records.Agent) error {
	return s.showTimeline(w, r, &agent)
}

func (s *site) timelineOfAll(w http.ResponseWriter, r *http.Request) error {
	return s.showTimeline(w, r, nil)
}

func (s *site) showTimeline(w http.ResponseWriter, r *http.Request, agent *records.Agent) error {
	at, err := requestedTimeline(r, agent)
	if err != nil {
		return err
	}
	if moved, err := chosenDay(w, r, &at); moved || err != nil {
		return err
	}
	if at.Show == address.ShowEvents {
		return s.showEvents(w, r, agent, at)
	}
	v, view, err := s.timelineOf(r, agent, at)
	if err != nil {
		return err
	}
	switch {
	case agent == nil: // each agent's page has the list
		for _, a := range view.Agents {
			v.Agents = append(v.Agents, templates.TimelineAgent{
				Name: a.DisplayName, Href: address.TimelineAddress{Agent: a.Slug, Show: at.Show, AsOf: at.AsOf}.String(),
			})
		}
	case at.Show == address.ShowLogs:
		err = s.readLogs(r, *agent, view, &v)
	default:
		err = s.readSessions(r, *agent, view, &v)
	}
	if err != nil {
		return err
	}
	return kit.Show(w, r, http.StatusOK, templates.TimelinePage(v))
}

// showEvents shows the events of the timeline. It reads them and the chart at the same time.
func (s *site) showEvents(w http.ResponseWriter, r *http.Request, agent *records.Agent, at address.TimelineAddress) error {
	rest, _ := strconv.Atoi(r.URL.Query().Get(address.FieldRest)) // anything else is the beginning
	v, view, err := s.frameOfTimeline(r, agent, at)
	if err != nil {
		return err
	}
	var events *templates.TimelineEvents
	reading, ctx := errgroup.WithContext(r.Context())
	reading.Go(func() error { return s.addDay(ctx, agent, view, &v) })
	reading.Go(func() (err error) {
		events, err = view.Events(ctx, rest)
		return err
	})
	if err := reading.Wait(); err != nil {
		return err
	}
	v.Events = events
	if agent != nil && at == (address.TimelineAddress{Agent: at.Agent, Show: at.Show}) {
		if v.Events.Applied, err = s.appliedSteps(r.Context(), *agent, at.String()); err != nil {
			return err
		}
	}
	return kit.Show(w, r, http.StatusOK, templates.TimelinePage(v))
}

// requestedTimeline returns the address that the path and the query of r give, without a day. agent is
// nil for all agents. For an unknown value it returns memories.ErrNotFound.
func requestedTimeline(r *http.Request, agent *records.Agent) (address.TimelineAddress, error) {
	query := r.URL.Query()
	at := address.TimelineAddress{
		Show: query.Get(address.FieldShow), Kind: memories.ActivityKind(query.Get(address.FieldKind)),
		Actor: memories.Actor(query.Get(address.FieldActor)), Session: query.Get(address.FieldSession), Memory: query.Get(address.FieldMemory),
		Words: listview.CleanText(query.Get(address.FieldQuery)), Cursor: query.Get(address.FieldCursor), Open: query.Get(address.FieldOpen),
	}
	if agent != nil {
		at.Agent = agent.Slug
	}
	if at.Show == "" {
		at.Show = address.ShowEvents
	}
	switch {
	case !slices.Contains([]string{address.ShowEvents, address.ShowSessions, address.ShowLogs}, at.Show),
		at.Kind != "" && at.Kind != records.KindRecalled && !slices.Contains(memories.ActivityKinds, at.Kind),
		at.Actor != "" && !slices.Contains(memories.Actors, at.Actor),
		at.Session != "" && (agent == nil || !kit.IsText(at.Session)):
		return at, memories.ErrNotFound
	}
	return at, nil
}

// chosenDay sets the day of the address from the query of r. For the slider's field, and for a day
// that is not past, it redirects and reports that. A malformed day gives a *kit.BadRequest.
func chosenDay(w http.ResponseWriter, r *http.Request, at *address.TimelineAddress) (moved bool, err error) {
	now := time.Now()
	if raw := r.URL.Query().Get(address.FieldOn); raw != "" {
		n, err := strconv.Atoi(raw)
		if err != nil || n < 0 {
			return false, kit.Malformed("A day is a number of days since 1970.")
		}
		day := ""
		if n < templates.UnixDay(now) {
			day = time.Unix(0, 0).UTC().AddDate(0, 0, n).Format(time.DateOnly)
		}
		target := address.WithQuery(r.URL.RequestURI(), map[string]string{address.FieldOn: ""})
		http.Redirect(w, r, address.WithQuery(target, map[string]string{address.FieldAsOf: day}), http.StatusSeeOther)
		return true, nil
	}
	raw := r.URL.Query().Get(address.FieldAsOf)
	if raw == "" {
		return false, nil
	}
	moment, _, ok := parseMoment(raw)
	if !ok {
		return false, kit.Malformed("A day is written like 2026-11-03.")
	}
	moment = moment.Local()
	if end := endOfDay(moment); end.Before(now) {
		at.AsOf = end
		return false, nil
	}
	return true, redirectTo(w, r, "")
}

// endOfDay returns the last second of the day of t.
func endOfDay(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 23, 59, 59, 0, t.Location())
}

// timelineOf returns the view of the timeline at an address without its list, and what the list is
// about. agent is nil for all agents.
func (s *site) timelineOf(r *http.Request, agent *records.Agent, at address.TimelineAddress) (templates.Timeline, timelineview.View, error) {
	v, view, err := s.frameOfTimeline(r, agent, at)
	if err == nil {
		err = s.addDay(r.Context(), agent, view, &v)
	}
	return v, view, err
}

// frameOfTimeline returns the view of the timeline with its frame only, and what its list is about.
// addDay adds the rest of what timelineOf returns.
func (s *site) frameOfTimeline(r *http.Request, agent *records.Agent, at address.TimelineAddress) (templates.Timeline, timelineview.View, error) {
	v := templates.Timeline{At: at, Frame: ui.Frame{Live: address.EventsPath}}
	view := timelineview.View{Store: s.store, Address: at, Now: time.Now().Local(), Browser: records.ActionOf(r.Context()).Browser, Person: records.ActionOf(r.Context()).Person}
	var err error
	if agent == nil {
		if v.Notice, err = s.undoNotice(r); err != nil {
			return v, view, err
		}
		if view.Agents, err = s.store.AgentsUncounted(r.Context()); err != nil {
			return v, view, err
		}
		view.Labels = displayNames(view.Agents)
	} else {
		shown := agentView(*agent)
		v.Agent, view.Agents = &shown, []records.Agent{*agent}
		v.Frame, err = s.frame(r, *agent, at.String())
	}
	return v, view, err
}

// addDay adds the chart to v, and the number of changes since the chosen day or in the last days. For
// a chosen day it sets v.Agent to the agent of that day.
func (s *site) addDay(ctx context.Context, agent *records.Agent, view timelineview.View, v *templates.Timeline) (err error) {
	total := -1
	if agent != nil {
		total = agent.Counts.Total
	}
	if v.Day, v.Since, err = view.Day(ctx, total); err != nil || agent == nil || v.At.AsOf.IsZero() {
		return err
	}
	*v.Agent = v.Agent.On(v.At.AsOf, v.Day.Then)
	return s.addTokens(ctx, *agent, v)
}

// addTokens adds the change of what CLAUDE.md enters into each conversation since the chosen day.
func (s *site) addTokens(ctx context.Context, agent records.Agent, v *templates.Timeline) error {
	then, err := s.engine.PreviewAsOf(ctx, agent.Slug, v.At.AsOf)
	if err != nil {
		return err
	}
	now, err := s.engine.Preview(ctx, agent.Slug, "")
	v.Since.Tokens, v.Since.HasTokens = claudemd.ApproximateTokens(now.Chars)-claudemd.ApproximateTokens(then.Chars), true
	return err
}

// readSessions adds to v the agent's sessions, or the one that the address names. It returns
// memories.ErrNotFound for an unknown session, and *memories.ConflictError if its notes cannot be read.
func (s *site) readSessions(r *http.Request, agent records.Agent, view timelineview.View, v *templates.Timeline) error {
	if v.At.Session == "" {
		noted, err := s.engine.SessionMemories(r.Context(), agent.Slug)
		if err != nil {
			return err
		}
		var notes []templates.SessionMemory
		for _, m := range noted {
			m.ModifiedAt = shown.Local(m.ModifiedAt)
			notes = append(notes, templates.SessionMemory{SessionMemory: m})
		}
		v.Sessions, err = view.Sessions(r.Context(), notes)
		return err
	}
	var notes *templates.SessionMemory
	m, err := s.engine.SessionMemory(r.Context(), agent.Slug, v.At.Session)
	switch {
	case err == nil:
		m.ModifiedAt = shown.Local(m.ModifiedAt)
		notes = &templates.SessionMemory{SessionMemory: m}
		notes.Carries, notes.Reason = claudemd.FitCompaction(m.Tokens, m.Messages)
		if notes.Body, err = s.linksOf(r.Context(), agent).render(quarantine.MaskSecrets(m.Text)); err != nil {
			return err
		}
	case !errors.Is(err, memories.ErrNotFound):
		return err
	}
	v.Session, err = view.Session(r.Context(), notes)
	return err
}

// nameSession gives a person or channel of the agent's sessions a name, or removes the name if it is
// empty, and redirects to the page of the form. It returns a *kit.BadRequest for an id that is none, and
// for a long name.
func (s *site) nameSession(w http.ResponseWriter, r *http.Request, agent records.Agent) error {
	id, name := r.FormValue(address.FieldID), listview.CleanText(r.FormValue(address.FieldName))
	if !kit.IsText(id) || len(id) > maxSessionLabel || len(name) > maxSessionLabel {
		return kit.Malformed("A name has at most 200 bytes.")
	}
	former, err := s.store.SessionNames(r.Context(), []int64{agent.ID})
	if err != nil {
		return err
	}
	if err := s.store.SaveSessionName(r.Context(), agent.ID, id, name); err != nil {
		return err
	}
	return redirectFormer(w, r, kit.Back(r, address.TimelineAddress{Agent: agent.Slug, Show: address.ShowSessions}.String()), doneNamed, id, former[agent.ID][id])
}

// toTimeline returns a handler that redirects permanently from an earlier address to a list of the
// timeline. The filters stay; the place in the list does not.
func toTimeline(list string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		at := address.TimelineAddress{
			Agent: kit.Slug(r), Show: list, Kind: memories.ActivityKind(query.Get(address.FieldKind)), Actor: memories.Actor(query.Get(address.FieldActor)),
			Session: query.Get(address.FieldSession), Words: query.Get(address.FieldQuery),
		}
		if session := kit.Param(r, "session"); session != "" {
			at.Session = session
		}
		target := address.WithQuery(at.String(), map[string]string{
			address.FieldMonth: query.Get(address.FieldMonth), address.FieldDay: kit.Param(r, "day"),
		})
		http.Redirect(w, r, target, http.StatusMovedPermanently)
	}
}

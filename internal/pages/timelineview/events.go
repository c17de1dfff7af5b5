// Package timelineview makes the view models of the timeline: it reads events, the growth of the
// memories, and sessions, and says them in words. Package pages shows them.
package timelineview

import (
	"cmp"
	"context"
	"slices"
	"time"

	"memoir/internal/memories"
	"memoir/internal/pages/eventlines"
	"memoir/internal/records"
	"memoir/web/templates"
	"memoir/web/templates/address"
	"memoir/web/templates/ui"
	"memoir/web/templates/wording"
)

const (
	// pageLines is the number of lines on a page, and rowsOpen the number of events shown of an open
	// line (arbitrary).
	pageLines, rowsOpen = 100, 50
	// maxSkipped is the number of events of an open line after which no more are shown (arbitrary).
	maxSkipped = 1_000_000
	// promptLength is the length of a prompt in a line, in characters (arbitrary).
	promptLength = 90
)

// Store reads what the timeline shows, with masked texts.
type Store interface {
	records.Timeline
	records.Logs
	Activity(ctx context.Context, list records.ActivityList) (records.ActivityPage, error)
	Growth(ctx context.Context, agentIDs []int64, since, until time.Time, points int) (map[int64][]records.GrowthPoint, error)
}

// View is what a timeline is about.
type View struct {
	Store   Store
	Address address.TimelineAddress
	Agents  []records.Agent
	// Labels are the short names of the agents by slug; nil on the page of one agent.
	Labels map[string]string
	// Browser is the random id of the reader's browser; empty if it has none.
	Browser string
	// Person is the name of the reader's token; empty for the owner.
	Person string
	Now    time.Time // in the time zone of the page
}

// ids returns the ids of the agents.
func (v View) ids() []int64 {
	ids := make([]int64, len(v.Agents))
	for i, a := range v.Agents {
		ids[i] = a.ID
	}
	return ids
}

// namesByAgent are the names of persons and channels, by id, by agent id.
type namesByAgent map[int64]map[string]string

// maker makes the lines of one page.
type maker struct {
	View
	names namesByAgent
	// skipped is the number of events of the open line before the rows.
	skipped int
}

// Events returns the events that the address selects. rest is the number of events of the open line
// to leave out. It fails with records.ErrCursor and memories.ErrNotFound if the address is malformed.
func (v View) Events(ctx context.Context, rest int) (*templates.TimelineEvents, error) {
	list := records.TimelineList{
		AgentIDs: v.ids(), Kind: v.Address.Kind, Actor: v.Address.Actor, Session: v.Address.Session, MemoryID: v.Address.Memory, Words: v.Address.Words,
	}
	if list.Session == "" && list.MemoryID == "" && list.Words == "" {
		list.FirstScan = records.OneEvent
	}
	page, err := eventlines.Read(ctx, v.Store, list, v.Address.Cursor, pageLines, v.Now.Location())
	if err != nil {
		return nil, err
	}
	names, err := v.Store.SessionNames(ctx, list.AgentIDs)
	if err != nil {
		return nil, err
	}
	m := maker{View: v, names: names, skipped: max(0, min(rest, maxSkipped))}
	shown := &templates.TimelineEvents{}
	if err := m.fill(ctx, page.Lines, shown); err != nil {
		return nil, err
	}
	if page.Next != "" {
		next := v.Address
		next.Cursor, next.Open = page.Next, ""
		shown.Next = next.String()
	}
	if v.Address.Session != "" {
		shown.SessionName = wording.SessionName(v.Address.Session, v.Now, names[list.AgentIDs[0]], v.Now)
	}
	return shown, nil
}

// fill adds the lines to the days of a page.
func (m maker) fill(ctx context.Context, lines []eventlines.Line, shown *templates.TimelineEvents) error {
	var read []records.TimelineEvent // the first of each line, then the rows of the open one
	for _, l := range lines {
		read = append(read, l.Events[0])
	}
	for _, l := range lines {
		if l.Count() > 1 && l.Place() == m.Address.Open {
			rows, err := m.rows(ctx, l)
			if err != nil {
				return err
			}
			read = append(read, rows...)
		}
	}
	details, err := m.Store.EventDetails(ctx, read)
	if err != nil {
		return err
	}
	for i, l := range lines {
		e := m.line(l, details[i])
		if l.Count() > 1 && l.Place() == m.Address.Open {
			for j, row := range read[len(lines):] {
				e.Rows = append(e.Rows, m.line(eventlines.Line{Events: []records.TimelineEvent{row}}, details[len(lines)+j]))
			}
			if upTo := m.skipped + len(e.Rows); upTo < l.Count() {
				e.MoreHref = templates.MoreRows(m.Address, e, upTo)
			}
		}
		begins := templates.Midnight(e.At)
		if n := len(shown.Days); n == 0 || !shown.Days[n-1].Begins.Equal(begins) {
			shown.Days = append(shown.Days, templates.NewTimelineDay(begins, m.Now))
		}
		day := &shown.Days[len(shown.Days)-1]
		day.Events = append(day.Events, e)
		if m.Address.Memory != "" && shown.MemoryName == "" {
			shown.MemoryName = cmp.Or(details[i].Name, "a memory")
		}
	}
	return nil
}

// rows returns the events of a line that are shown, after the skipped ones.
func (m maker) rows(ctx context.Context, l eventlines.Line) ([]records.TimelineEvent, error) {
	events := l.Events
	if l.Events[0].FirstScan > 0 {
		var err error
		events, err = m.Store.TimelineEvents(ctx, records.TimelineList{
			AgentIDs: []int64{l.Events[0].AgentID}, Actor: m.Address.Actor, FirstScan: records.OnlyThese, Limit: m.skipped + rowsOpen,
		})
		if err != nil {
			return nil, err
		}
	}
	from := min(m.skipped, len(events))
	return events[from:min(from+rowsOpen, len(events))], nil
}

// line returns the view of a line. d are the details of its newest event.
func (m maker) line(l eventlines.Line, d records.EventDetails) templates.TimelineEvent {
	event := l.Events[0]
	e := templates.TimelineEvent{Place: l.Place(), At: event.At.In(m.Now.Location()), Kind: event.Kind, Count: l.Count()}
	agent := m.agentOf(event.AgentID)
	if label, ok := m.Labels[agent.Slug]; ok {
		e.AgentName, e.AgentHref = label, address.AgentTimelinePath(agent.Slug)
	}
	e.Who = event.Actor.By(event.Person, memories.IsReader(event.Browser, m.Browser) && event.Person == m.Person)
	if event.Kind == memories.ActivityVerified && records.IsUndo(event.Action) {
		e.Word, e.Note = "Undone", "still true"
	}
	switch {
	case event.FirstScan > 0:
		e.Note = "in the first scan"
	case event.Session != "" && event.Actor == memories.BySession:
		e.Who += ", " + wording.SessionName(event.Session, e.At, m.names[event.AgentID], m.Now)
		e.SessionID = event.Session
		e.WhoHref = address.SessionEventsPath(agent.Slug, event.Session)
	}
	isMove := event.Kind == memories.ActivityRenamed && d.Renamed == d.Name
	if isMove {
		e.Word, e.Note = "Moved", "to private memory"
		if d.Team {
			e.Word, e.Note = "Shared", "with the team"
		}
	}
	if l.Count() > 1 || event.FirstScan > 0 {
		e.Name = wording.Count(l.Count(), "memory", "memories")
		if d.IsLast && canUndo(event) && isOneAction(l) {
			e.Undo = m.undo(event.Action, e.Name)
		}
		return e
	}
	e.Name = d.Name
	if d.Exists && d.MemoryID != "" {
		e.Href = address.MemoryPath(agent.Slug, d.MemoryID)
	}
	switch {
	case event.Kind == records.KindRecalled:
		m.recall(&e, agent.Slug, d)
	case d.Renamed != "" && !isMove:
		e.Note = "from " + d.Renamed
		if event.Kind == memories.ActivityDeleted {
			e.Note = "now " + d.Renamed
		}
	}
	if d.IsLast && d.Exists && canUndo(event) {
		e.Undo = m.undo(event.Event(), d.Name)
	}
	if event.Kind == memories.ActivityChanged && d.Exists && d.Hash != "" {
		e.Link = ui.Link{Label: "Diff", Href: address.ChangePath(agent.Slug, d.MemoryID, d.Hash)}
	}
	return e
}

// canUndo reports whether a line offers to undo the event: a deletion, or another change that a request
// made. What an undo has made is not undone here.
func canUndo(e records.TimelineEvent) bool {
	switch e.Kind {
	case memories.ActivityDeleted:
		return !records.IsUndo(e.Action)
	case memories.ActivityRestored, memories.ActivityChanged, memories.ActivityRenamed, memories.ActivityVerified:
		return e.Actor.IsRequest() && !records.IsUndo(e.Action)
	}
	return false
}

// isOneAction reports whether one action has made all events of the line.
func isOneAction(l eventlines.Line) bool {
	action := l.Events[0].Action
	return action != "" && !slices.ContainsFunc(l.Events, func(e records.TimelineEvent) bool { return e.Action != action })
}

func (m maker) undo(event, name string) *ui.Action {
	undo := ui.Undo(event, name, m.Address.String())
	undo.Style = ui.Subtle
	return &undo
}

// recall adds to a line what a recall delivered.
func (m maker) recall(e *templates.TimelineEvent, slug string, d records.EventDetails) {
	if d.Given > 1 {
		e.Note = "and " + wording.Number(d.Given-1) + " more"
	}
	e.Prompt = shortened(d.Prompt)
	e.Link = ui.Link{Label: "Why?", Href: address.PromptPath(slug, d.Prompt)}
}

// shortened returns the first line of a prompt, at most promptLength characters.
func shortened(prompt string) string {
	runes := []rune(prompt)
	if i := slices.Index(runes, '\n'); i >= 0 {
		runes = runes[:i]
	}
	if len(runes) > promptLength {
		return string(runes[:promptLength]) + "…"
	}
	return string(runes)
}

func (m maker) agentOf(id int64) records.Agent {
	i := slices.IndexFunc(m.Agents, func(a records.Agent) bool { return a.ID == id })
	if i < 0 {
		return records.Agent{}
	}
	return m.Agents[i]
}

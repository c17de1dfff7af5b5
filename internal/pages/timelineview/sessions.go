package timelineview

import (
	"context"
	"errors"
	"slices"
	"time"

	"memoir/internal/agents"
	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/web/templates"
	"memoir/web/templates/address"
	"memoir/web/templates/wording"
)

const (
	// maxSessions is the maximum number of sessions on a page, and maxOfSession that of the memories
	// shown of one session (arbitrary).
	maxSessions, maxOfSession = 100, 100
)

// Sessions returns one page of the sessions of the view's only agent. noted are the sessions with
// notes; those without memories are on the first page.
func (v View) Sessions(ctx context.Context, noted []templates.SessionMemory) (*templates.TimelineSessions, error) {
	agent := v.Agents[0]
	page, err := v.Store.SessionSummaries(ctx, agent.ID, maxSessions, v.Address.Cursor)
	if err != nil {
		return nil, err
	}
	names, err := v.Store.SessionNames(ctx, v.ids())
	if err != nil {
		return nil, err
	}
	list := &templates.TimelineSessions{}
	for _, s := range page.Sessions {
		list.Rows = append(list.Rows, v.row(s, names[agent.ID], noted))
	}
	if v.Address.Cursor == "" {
		for _, n := range noted {
			if !slices.ContainsFunc(list.Rows, func(r templates.SessionRow) bool { return r.ID == n.Session }) {
				if _, err := v.Store.SessionSummary(ctx, agent.ID, n.Session); errors.Is(err, memories.ErrNotFound) {
					list.Rows = append(list.Rows, v.row(records.SessionSummary{Name: n.Session, At: n.ModifiedAt}, names[agent.ID], noted))
				} else if err != nil {
					return nil, err
				}
			}
		}
	} else {
		first := v.Address
		first.Cursor = ""
		list.First = first.String()
	}
	if page.NextCursor != "" {
		next := v.Address
		next.Cursor = page.NextCursor
		list.Next = next.String()
	}
	return list, nil
}

func (v View) row(s records.SessionSummary, names map[string]string, noted []templates.SessionMemory) templates.SessionRow {
	slug := v.Agents[0].Slug
	row := templates.SessionRow{
		ID: s.Name, Name: wording.Capital(wording.SessionName(s.Name, s.At, names, v.Now)), Href: address.SessionPath(slug, s.Name),
		At: s.At.In(v.Now.Location()), Learned: s.Learned, Recalled: s.Recalled, Files: s.Files,
	}
	if id := agents.ParseSession(s.Name); id.User != "" && (names[id.User] == "" || names[id.Channel] == "") {
		row.NameHref = row.Href + "#names"
	}
	if i := slices.IndexFunc(noted, func(n templates.SessionMemory) bool { return n.Session == s.Name }); i >= 0 {
		row.Notes = &noted[i]
	}
	return row
}

// Session returns the session of the address, with its memories. notes are those of the session, or
// nil. It fails with memories.ErrNotFound if the session is unknown and has no notes.
func (v View) Session(ctx context.Context, notes *templates.SessionMemory) (*templates.TimelineSession, error) {
	agent, session := v.Agents[0], v.Address.Session
	summary, err := v.Store.SessionSummary(ctx, agent.ID, session)
	if errors.Is(err, memories.ErrNotFound) && notes != nil {
		summary, err = records.SessionSummary{Name: session, At: notes.ModifiedAt}, nil
	}
	if err != nil {
		return nil, err
	}
	names, err := v.Store.SessionNames(ctx, v.ids())
	if err != nil {
		return nil, err
	}
	shown := &templates.TimelineSession{SessionRow: v.row(summary, names[agent.ID], nil), EventsHref: address.SessionEventsPath(agent.Slug, session)}
	shown.Notes = notes
	learned, err := v.Store.Activity(ctx, records.ActivityList{AgentID: agent.ID, Session: session, Kind: memories.ActivityLearned, Limit: maxOfSession})
	if err != nil {
		return nil, err
	}
	for _, a := range learned.Activity {
		shown.MemoriesLearned = append(shown.MemoriesLearned, v.memoryOf(a.Name, a.MemoryID, a.At, a.Exists))
	}
	given, err := v.Store.GivenMemories(ctx, agent.ID, session, maxOfSession)
	if err != nil {
		return nil, err
	}
	for _, g := range given {
		shown.MemoriesRecalled = append(shown.MemoriesRecalled, v.memoryOf(g.Name, g.ID, g.At, g.Exists))
	}
	if id := agents.ParseSession(session); id.User != "" {
		shown.Names = []templates.SessionNameForm{
			{Label: "Person", ID: id.User, Name: names[agent.ID][id.User]}, {Label: "Channel", ID: id.Channel, Name: names[agent.ID][id.Channel]},
		}
	}
	return shown, nil
}

func (v View) memoryOf(name, id string, at time.Time, exists bool) templates.SessionMemoryLink {
	link := templates.SessionMemoryLink{Name: name, At: at.In(v.Now.Location())}
	if exists {
		link.Href = address.MemoryPath(v.Agents[0].Slug, id)
	}
	return link
}

package address

import (
	"time"

	"memoir/internal/logs"
	"memoir/internal/memories"
)

// AgentTimelinePath returns the path of an agent's Timeline tab.
func AgentTimelinePath(slug string) string { return AgentPath(slug, "timeline") }

// The lists of a timeline, the values of FieldShow.
const (
	ShowEvents   = "events"
	ShowSessions = "sessions"
	ShowLogs     = "logs"
)

// Parameters of a timeline, besides FieldShow, FieldKind, FieldActor, FieldSession, FieldMemory,
// FieldQuery and FieldCursor.
const (
	FieldOn   = "on"   // the day of the slider, in days since 1970
	FieldDay  = "day"  // of the logs, such as 2026-11-25
	FieldRest = "rest" // number of events of the open line to leave out
	FieldID   = "id"   // of a person or channel to name
)

// TimelineAddress is the address of a timeline. Empty fields are left out.
type TimelineAddress struct {
	Agent   string    // slug; empty for all agents
	Show    string    // ShowEvents if empty
	AsOf    time.Time // the end of the chosen day; zero for now
	Kind    memories.ActivityKind
	Actor   memories.Actor
	Session string
	Memory  string // id
	Words   string
	Cursor  string
	Open    string // place of the line whose events are shown
}

// String returns the path and query.
func (a TimelineAddress) String() string {
	show := a.Show
	if show == ShowEvents {
		show = ""
	}
	day := ""
	if !a.AsOf.IsZero() {
		day = a.AsOf.Format(time.DateOnly)
	}
	return WithQuery(a.Path(), map[string]string{
		FieldShow: show, FieldAsOf: day, FieldKind: string(a.Kind), FieldActor: string(a.Actor), FieldSession: a.Session,
		FieldMemory: a.Memory, FieldQuery: a.Words, FieldCursor: a.Cursor, FieldOpen: a.Open,
	})
}

// Path returns the path without the parameters.
func (a TimelineAddress) Path() string {
	if a.Agent == "" {
		return TimelinePath
	}
	return AgentTimelinePath(a.Agent)
}

// IsFiltered reports whether the address selects some events only.
func (a TimelineAddress) IsFiltered() bool {
	return a.Kind != "" || a.Actor != "" || a.Session != "" || a.Memory != "" || a.Words != ""
}

// List returns the address of a list, on the same day.
func (a TimelineAddress) List(show string) string {
	return TimelineAddress{Agent: a.Agent, AsOf: a.AsOf, Show: show}.String()
}

// Now returns the address of the same list without a day.
func (a TimelineAddress) Now() string {
	a.AsOf = time.Time{}
	return a.String()
}

// First returns the address of the newest events.
func (a TimelineAddress) First() string {
	a.Cursor, a.Open = "", ""
	return a.String()
}

// Without returns the address without a filter.
func (a TimelineAddress) Without(field string) string {
	a.Cursor, a.Open = "", ""
	switch field {
	case FieldSession:
		a.Session = ""
	case FieldActor:
		a.Actor = ""
	case FieldMemory:
		a.Memory = ""
	default:
		a.Kind, a.Actor, a.Session, a.Memory, a.Words = "", "", "", "", ""
	}
	return a.String()
}

// SessionNamesPath returns the path of the form that names persons and channels.
func SessionNamesPath(slug string) string { return AgentPath(slug, "timeline", "names") }

// SessionPath returns the address of one session of an agent.
func SessionPath(slug, session string) string {
	return TimelineAddress{Agent: slug, Show: ShowSessions, Session: session}.String()
}

// SessionEventsPath returns the address of the events of a session.
func SessionEventsPath(slug, session string) string {
	return TimelineAddress{Agent: slug, Session: session}.String()
}

// The fields of the form for a new log entry, and the month of the logs.
const (
	FieldText  = "text"
	FieldTitle = "title"
	FieldMonth = "month"
)

// LogsPath returns the address of an agent's logs.
func LogsPath(slug string) string { return TimelineAddress{Agent: slug, Show: ShowLogs}.String() }

// LogsOfDayPath returns the address of an agent's logs of one day.
func LogsOfDayPath(slug string, day logs.Day) string {
	return WithQuery(LogsPath(slug), map[string]string{FieldDay: string(day)})
}

// AddLogPath returns the path of the form that adds an entry.
func AddLogPath(slug string) string { return AgentPath(slug, "logs") }

// LogsOfMonthPath returns the address of an agent's logs of one month.
func LogsOfMonthPath(slug string, month logs.Month) string {
	return WithQuery(LogsPath(slug), map[string]string{FieldMonth: string(month)})
}

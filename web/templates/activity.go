package templates

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"memoir/internal/agents"
	"memoir/internal/memories"
)

// Activity is what happened to the memories of one agent, or of all.
type Activity struct {
	Frame
	Agent  *Agent // nil: of all agents
	Filter ActivityFilter
	Days   []ActivityDay // newest first
	Growth Growth
	Ages   Ages
	// Applied are the steps of consolidation that were applied last, newest first; each can be undone.
	Applied []ConsolidationStep
	// Older is the way to what happened before; without an address there is nothing.
	Older Older
	// FirstHref is the address of the newest; empty: they are here.
	FirstHref string
	// AsOf is what the form for a past moment begins with.
	AsOf time.Time
}

// ActivityFilter says which of it is shown. The zero one is all of it.
type ActivityFilter struct {
	Kind    memories.ActivityKind
	Actor   memories.Actor
	Session string
}

// Older leads to what happened before the last entry of a page.
type Older struct {
	Href string
	// Grows says that the address is of this page with more entries, so that it can be fetched as somebody scrolls.
	Grows bool
}

// ActivityDay is what happened on one day.
type ActivityDay struct {
	Title   string
	Begins  time.Time // in the zone that people see
	Entries []ActivityEntry
	// Past says that the day is over: there is a state of things at its end.
	Past bool
}

// ActivityEntry is one thing that happened to a memory.
type ActivityEntry struct {
	memories.Activity
	AgentName string // what people call the agent, on the page of all agents; empty: not shown
}

var kindWords = map[memories.ActivityKind]struct {
	word string
	tone Tone
}{
	memories.ActivityLearned:   {"Learned", Good},
	memories.ActivityChanged:   {"Changed", Quiet},
	memories.ActivityRenamed:   {"Renamed", Quiet},
	memories.ActivityVerified:  {"Still true", Quiet},
	memories.ActivityDeleted:   {"Deleted", Danger},
	memories.ActivityRestored:  {"Restored", Good},
	memories.ActivityMissing:   {"Missing", Warning},
	memories.ActivityReturned:  {"Found again", Good},
	memories.ActivityCleared:   {"Cleared up", Quiet},
	memories.ActivityPurged:    {"Gone for good", Danger},
	memories.ActivityBlocked:   {"Kept out", Warning},
	memories.ActivityAllowed:   {"Let in", Good},
	memories.ActivityDiscarded: {"File removed", Danger},
}

// by says who it was, where it was no session.
func (e ActivityEntry) by() string {
	if e.Actor == memories.BySession {
		return ""
	}
	return e.Actor.Phrase(e.Kind)
}

// renamed says what else the memory is called, where it was renamed.
func (e ActivityEntry) renamed() string {
	switch {
	case e.Renamed != "" && e.Renamed == e.Name:
		return "moved between private and team memory"
	case e.Renamed == "":
		return ""
	case e.Kind == memories.ActivityDeleted:
		return "renamed to “" + e.Renamed + "”"
	default:
		return "renamed from “" + e.Renamed + "”"
	}
}

// sessionWords names a session as people know it, where its name tells: who, where, and when the thread began.
func sessionWords(name string) string {
	s := agents.ParseSession(name)
	if s.User == "" {
		return name
	}
	return s.User + " in " + s.Channel + ", thread of " + moment(s.Thread.Local())
}

func (e ActivityEntry) anchor() string { return "event-" + strconv.FormatInt(e.ID, 10) }

// file is the path of the file; a session's directory is named in words beside it.
func (e ActivityEntry) file() string { return strings.TrimPrefix(e.Path, "sessions/"+e.Session+"/") }

// hasPage says that the memory can still be looked at.
func (e ActivityEntry) hasPage() bool { return e.MemoryID != "" && e.Exists }

func (e ActivityEntry) memory() string { return MemoryPath(e.Agent, e.MemoryID) }

// said reports whether the memory said something new from then on, which its history shows.
func (e ActivityEntry) said() bool {
	return e.Hash != "" && (e.Kind == memories.ActivityLearned || e.Kind == memories.ActivityChanged)
}

// change is the place in the history where what it said is compared with what it had said before.
func (e ActivityEntry) change() string {
	return MemoryPath(e.Agent, e.MemoryID, "history") + "?" + url.Values{FieldCursor: {e.Hash}}.Encode()
}

// ByDay groups entries, which are newest first, by the day in the zone of now.
func ByDay(entries []ActivityEntry, now time.Time) []ActivityDay {
	var days []ActivityDay
	for _, e := range entries {
		e.At = e.At.In(now.Location())
		begins := midnight(e.At)
		if len(days) == 0 || !days[len(days)-1].Begins.Equal(begins) {
			days = append(days, ActivityDay{Title: dayTitle(begins, now), Begins: begins, Past: begins.Before(midnight(now))})
		}
		last := &days[len(days)-1]
		last.Entries = append(last.Entries, e)
	}
	return days
}

// midnight is the moment at which the day of a time began.
func midnight(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, t.Location())
}

func dayTitle(begins, now time.Time) string {
	switch today := midnight(now); {
	case begins.Equal(today):
		return "Today"
	case begins.Equal(midnight(today.AddDate(0, 0, -1))):
		return "Yesterday"
	default:
		return begins.Format("Monday, 2 January 2006")
	}
}

func (d ActivityDay) anchor() string { return "day-" + d.Begins.Format(time.DateOnly) }

// end is the last moment of the day that Postgres tells from the next.
func (d ActivityDay) end() time.Time { return d.Begins.AddDate(0, 0, 1).Add(-time.Microsecond) }

// path is the page without filters.
func (v Activity) path() string {
	if v.Agent == nil {
		return ActivityPath
	}
	return AgentPath(v.Agent.Slug, activityTab)
}

// of is the agent's slug, or nothing.
func (v Activity) of() string {
	if v.Agent == nil {
		return ""
	}
	return v.Agent.Slug
}

// Path returns the address of the page with these filters.
func (v Activity) Path(f ActivityFilter) string { return v.At(f, FieldShown, "") }

// At returns the address of the page with these filters and one more parameter, where that has a value.
func (v Activity) At(f ActivityFilter, field, value string) string {
	query := url.Values{}
	for name, value := range map[string]string{FieldKind: string(f.Kind), FieldActor: string(f.Actor), FieldSession: f.Session, field: value} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if len(query) == 0 {
		return v.path()
	}
	return v.path() + "?" + query.Encode()
}

// withoutSession is the address at which the session does not matter.
func (v Activity) withoutSession() string {
	f := v.Filter
	f.Session = ""
	return v.Path(f)
}

func (v Activity) filtered() bool { return v.Filter != ActivityFilter{} }

// SessionActivityPath returns the address of what a session did.
func SessionActivityPath(slug, session string) string {
	return AgentPath(slug, activityTab) + "?" + url.Values{FieldSession: {session}}.Encode()
}

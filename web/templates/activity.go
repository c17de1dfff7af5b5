package templates

import (
	"strconv"
	"strings"
	"time"

	"memoir/internal/agents"
	"memoir/internal/memories"
)

// Activity is the view of the activity of one agent or of all.
type Activity struct {
	Frame
	Agent  *Agent // nil for all agents
	Filter ActivityFilter
	Days   []ActivityDay // newest first
	Growth Growth
	Ages   Ages
	// Applied are the consolidation steps applied last, newest first. Each has an undo.
	Applied []ConsolidationStep
	// Older is the link to older entries. Its address is empty if there are no older ones.
	Older Older
	// FirstHref is the address of the newest entries. It is empty on their own page.
	FirstHref string
	// AsOf is the initial value of the form for a past moment.
	AsOf time.Time
}

// ActivityFilter selects the entries to show. The zero value selects all.
type ActivityFilter struct {
	Kind    memories.ActivityKind
	Actor   memories.Actor
	Session string
}

// Older is a link to the entries before the last one of a page.
type Older struct {
	Href string
	// Grows reports whether the address shows this page with more entries, so that scrolling can
	// load it.
	Grows bool
}

// ActivityDay is the view of one day's entries.
type ActivityDay struct {
	Title   string
	Begins  time.Time // in the time zone of the page
	Entries []ActivityEntry
	// Past reports whether the day is over, so that the page can link to the state at its end.
	Past bool
}

// ActivityEntry is the view of one journal entry.
type ActivityEntry struct {
	memories.Activity
	AgentName string // the agent's display name on the page of all agents; else empty
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

// by returns the author of the change in words. It is empty for a session, which the page names
// elsewhere, and for an unknown author.
func (e ActivityEntry) by() string {
	if e.Actor == memories.BySession {
		return ""
	}
	return e.Actor.Phrase(e.Kind)
}

// renamed returns the change of the memory's name or scope in words, with the old name, or with the
// new one for a deletion. It is empty if neither changed.
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

// sessionWords returns a session's user, channel and start of the thread in words. If the session's
// name does not contain them, it returns the name.
func sessionWords(name string) string {
	s := agents.ParseSession(name)
	if s.User == "" {
		return name
	}
	return s.User + " in " + s.Channel + ", thread of " + moment(s.Thread.Local())
}

func (e ActivityEntry) anchor() string { return "event-" + strconv.FormatInt(e.ID, 10) }

// file returns the path of the entry's file. For a session's file, it is relative to the session's
// directory.
func (e ActivityEntry) file() string { return strings.TrimPrefix(e.Path, "sessions/"+e.Session+"/") }

// hasPage reports whether the memory of the entry has a page now. A purged memory has none; a
// memory in the trash has one.
func (e ActivityEntry) hasPage() bool { return e.MemoryID != "" && e.Exists }

func (e ActivityEntry) memory() string { return MemoryPath(e.Agent, e.MemoryID) }

// hasContent reports whether the entry gave the memory new content, so that its history has a diff.
func (e ActivityEntry) hasContent() bool {
	return e.Hash != "" && (e.Kind == memories.ActivityLearned || e.Kind == memories.ActivityChanged)
}

// change returns the address of the memory's history, beginning with the entry's content.
func (e ActivityEntry) change() string {
	return WithQuery(MemoryPath(e.Agent, e.MemoryID, "history"), map[string]string{FieldCursor: e.Hash})
}

// ByDay groups entries by day in the time zone of now, and sets their times to it. The entries must
// be newest first, and so are the days. names has the display names of agents by slug. AgentName is
// empty for an agent that names does not have.
func ByDay(entries []memories.Activity, names map[string]string, now time.Time) []ActivityDay {
	var days []ActivityDay
	for _, e := range entries {
		e.At = e.At.In(now.Location())
		begins := midnight(e.At)
		if len(days) == 0 || !days[len(days)-1].Begins.Equal(begins) {
			days = append(days, ActivityDay{Title: dayTitle(begins, now), Begins: begins, Past: begins.Before(midnight(now))})
		}
		last := &days[len(days)-1]
		last.Entries = append(last.Entries, ActivityEntry{Activity: e, AgentName: names[e.Agent]})
	}
	return days
}

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

// end returns the last microsecond of the day. Postgres stores times in microseconds.
func (d ActivityDay) end() time.Time { return d.Begins.AddDate(0, 0, 1).Add(-time.Microsecond) }

// path returns the path of the page without filters: of the agent's Activity tab, or of the page of
// all agents if v.Agent is nil.
func (v Activity) path() string {
	if v.Agent == nil {
		return ActivityPath
	}
	return AgentPath(v.Agent.Slug, activityTab)
}

func (v Activity) of() string {
	if v.Agent == nil {
		return ""
	}
	return v.Agent.Slug
}

// Path returns the address of the page with the filter f and no other parameters.
func (v Activity) Path(f ActivityFilter) string { return v.At(f, FieldShown, "") }

// At returns the address of the page with the filter f and the parameter field. It omits empty
// values and all other parameters.
func (v Activity) At(f ActivityFilter, field, value string) string {
	return WithQuery(v.path(), map[string]string{
		FieldKind: string(f.Kind), FieldActor: string(f.Actor), FieldSession: f.Session, field: value,
	})
}

func (v Activity) withoutSession() string {
	f := v.Filter
	f.Session = ""
	return v.Path(f)
}

func (v Activity) filtered() bool { return v.Filter != ActivityFilter{} }

// SessionActivityPath returns the address of an agent's Activity tab, limited to one session.
func SessionActivityPath(slug, session string) string {
	return WithQuery(AgentPath(slug, activityTab), map[string]string{FieldSession: session})
}

var actorWords = map[memories.Actor]string{
	memories.BySession:    "Sessions",
	memories.ByDisk:       "Files on disk",
	memories.ByBrowser:    "People, in the browser",
	memories.ByScript:     "Scripts",
	memories.ByMemoir:     "Memoir itself",
	memories.ByExtraction: "Extraction",
}

package templates

import (
	"slices"
	"strconv"
	"time"

	"memoir/internal/chart"
	"memoir/internal/memories"
	"memoir/web/templates/address"
	"memoir/web/templates/ui"
	"memoir/web/templates/wording"
)

// Timeline is the view of what happened to the memories of one agent or of all.
type Timeline struct {
	ui.Frame
	Agent *Agent // nil for all agents
	At    address.TimelineAddress
	Day   ChosenDay
	Since Since
	// Events, Sessions, Session, Logs and LogsOfDay are the views of the list. One of them is not
	// nil.
	Events    *TimelineEvents
	Sessions  *TimelineSessions
	Session   *TimelineSession
	Logs      *Logs
	LogsOfDay *LogsOfDay
	// Agents are the agents to choose from, for a list that only the page of one agent has.
	Agents []TimelineAgent
}

// opened returns the address of a timeline with the events of the line at place shown, or with none
// shown if it is empty. The browser scrolls to the line e.
func opened(a address.TimelineAddress, e TimelineEvent, place string) string {
	a.Open = place
	return a.String() + "#" + e.anchor()
}

// MoreRows returns the address of the events of a line after the first from ones.
func MoreRows(a address.TimelineAddress, e TimelineEvent, from int) string {
	a.Open = e.Place
	return address.WithQuery(a.String(), map[string]string{address.FieldRest: strconv.Itoa(from)}) + "#" + e.anchor()
}

// ChosenDay is the chart of memories over time, with the day that the reader has chosen.
type ChosenDay struct {
	Days   []time.Time // of the chart, in order
	Counts CountsByType
	// Deletions has the number of deletions on days with one, in order.
	Deletions []chart.Event
	First     time.Time // beginning of the first day
	Today     time.Time // beginning of the last day
	Day       time.Time // beginning of the chosen day; Today if none is chosen
	Now, Then int       // number of memories
}

func (d ChosenDay) isPast() bool { return d.Day.Before(d.Today) }

func (d ChosenDay) isEmpty() bool { return len(d.Days) == 0 || len(d.Counts.types()) == 0 }

func (d ChosenDay) chart() chart.Timeline {
	return chart.NewTimeline(d.Days, d.Counts.series(), d.Deletions)
}

// x returns the x of the chosen day on the chart.
func (d ChosenDay) x(t chart.Timeline) chart.Coordinate { return t.X(d.First, d.Today, d.Day) }

func (d ChosenDay) title() string {
	if d.isPast() {
		return wording.Count(d.Then, "memory", "memories") + " on " + dayAndMonth(d.Day, d.Today)
	}
	return wording.Count(d.Now, "memory", "memories")
}

// difference compares the chosen day with today.
func (d ChosenDay) difference() string {
	switch n := d.Now - d.Then; {
	case !d.isPast():
		return "since " + dayAndMonth(d.First, d.Today)
	case n > 0:
		return wording.Number(n) + " fewer than today"
	case n < 0:
		return wording.Number(-n) + " more than today"
	default:
		return "no change"
	}
}

// deleted returns the number of all deletions on the chart.
func (d ChosenDay) deleted() int {
	n := 0
	for _, e := range d.Deletions {
		n += e.N
	}
	return n
}

// summary returns the chart's first and last numbers in a sentence, for screen readers.
func (d ChosenDay) summary() string {
	last := len(d.Days) - 1
	return "Memories over time: " + wording.Number(d.Counts.Total(0)) + " on " + day(d.Days[0]) + ", " + wording.Number(d.Counts.Total(last)) + " today: " + d.Counts.summary(last) + "."
}

// drawn returns the types on the chart, from the top.
func (d ChosenDay) drawn() []memories.Type {
	types := d.Counts.types()
	fromTop := make([]memories.Type, len(types))
	for i, t := range types {
		fromTop[len(types)-1-i] = t
	}
	return fromTop
}

// UnixDay returns the number of days from 1970 to the date of t, in the time zone of t.
func UnixDay(t time.Time) int {
	return int(time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC).Unix() / (24 * 60 * 60))
}

func unixDay(t time.Time) string { return strconv.Itoa(UnixDay(t)) }

// dayAndMonth returns the date of t, without the year if it is that of now.
func dayAndMonth(t, now time.Time) string {
	if t.Year() == now.Year() {
		return t.Format("2 January")
	}
	return day(t)
}

// Since compares a past day with now.
type Since struct {
	Title   string
	Learned int
	Deleted int
	Changed int
	// Tokens is the change of what enters each conversation. HasTokens reports whether it is known.
	Tokens    int
	HasTokens bool
	// CompareHref is the address of CLAUDE.md then and now, or empty without one.
	CompareHref string
}

// LastDays returns the title of a comparison with n days ago.
func LastDays(n int) string { return "Last " + wording.Count(n, "day", "days") }

// SinceTitle returns the title of a comparison with a day.
func SinceTitle(day, now time.Time) string { return "Since " + dayAndMonth(day, now) }

// TimelineEvents is the view of events by day.
type TimelineEvents struct {
	Days []TimelineDay // newest first
	// Next is the address of older events, or empty at the end.
	Next string
	// MemoryName is the name of the memory that the events are about, if one is chosen.
	MemoryName string
	// SessionName is the name of the session that the events are of, if one is chosen.
	SessionName string
	// Applied are the consolidation steps applied last, newest first. Each has an undo.
	Applied []ConsolidationStep
}

func (e TimelineEvents) isEmpty() bool { return len(e.Days) == 0 }

// TimelineDay is the view of one day's events.
type TimelineDay struct {
	Begins time.Time // in the time zone of the page
	Title  string    // Today, Yesterday or the date
	Events []TimelineEvent
}

// NewTimelineDay returns the view of a day without events.
func NewTimelineDay(begins, now time.Time) TimelineDay {
	return TimelineDay{Begins: begins, Title: dayTitle(begins, now)}
}

// dayTitle returns the title of a day: Today, Yesterday or the date.
func dayTitle(begins, now time.Time) string {
	switch today := Midnight(now); {
	case begins.Equal(today):
		return "Today"
	case begins.Equal(Midnight(today.AddDate(0, 0, -1))):
		return "Yesterday"
	case begins.Year() == now.Year():
		return begins.Format("Monday 2 January")
	default:
		return begins.Format("Monday 2 January 2006")
	}
}

// Midnight returns the beginning of the day of t, in the time zone of t.
func Midnight(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, t.Location())
}

func (d TimelineDay) anchor() string { return "day-" + d.Begins.Format(time.DateOnly) }

// TimelineEvent is the view of one line: an event, or several that are equal and close together.
type TimelineEvent struct {
	Place string // identifies the newest event
	At    time.Time
	Kind  memories.ActivityKind
	Word  string // what happened; KindWord(Kind) if empty
	Name  string // of the memory, or the number of memories
	Href  string // of the memory's page; empty without one
	Note  string // more about the event, such as the old name
	Who   string // who did it
	// WhoHref is the address of the session's events; empty without a session.
	WhoHref string
	// SessionID is the raw name of the session, for its title.
	SessionID string
	Prompt    string // of a recall
	AgentName string // on the page of all agents
	AgentHref string
	Undo      *ui.Action
	Link      ui.Link // to more about the event; its label is empty if there is none
	// Count is the number of events. Rows are some of them if the line is open, and MoreHref is the
	// address of the next ones.
	Count    int
	Rows     []TimelineEvent
	MoreHref string
}

func (e TimelineEvent) anchor() string { return ui.Anchor("event", e.Place) }

func (e TimelineEvent) isFolded() bool { return e.Count > 1 }

func (e TimelineEvent) word() string {
	if e.Word != "" {
		return e.Word
	}
	return kindWords[e.Kind].word
}

func (e TimelineEvent) icon() string  { return kindWords[e.Kind].icon }
func (e TimelineEvent) tone() ui.Tone { return kindWords[e.Kind].tone }

// kindRecalled is the kind of a recall, which is no entry of the journal.
const kindRecalled memories.ActivityKind = "recalled"

// kindWords are the words, icons and tones of events, by kind.
var kindWords = map[memories.ActivityKind]struct {
	word, icon string
	tone       ui.Tone
}{
	memories.ActivityLearned:   {"Learned", "add", ui.Good},
	memories.ActivityChanged:   {"Changed", "edit", ui.Quiet},
	memories.ActivityRenamed:   {"Renamed", "page", ui.Quiet},
	memories.ActivityVerified:  {"Still true", "check", ui.Good},
	memories.ActivityDeleted:   {"Deleted", "delete", ui.Danger},
	memories.ActivityRestored:  {"Restored", "undo", ui.Good},
	memories.ActivityMissing:   {"Missing", "attention", ui.Warning},
	memories.ActivityReturned:  {"Found again", "scan", ui.Good},
	memories.ActivityCleared:   {"Fixed", "fix", ui.Good},
	memories.ActivityPurged:    {"Purged", "close", ui.Danger},
	memories.ActivityBlocked:   {"Blocked", "injection", ui.Warning},
	memories.ActivityAllowed:   {"Allowed", "reveal", ui.Good},
	memories.ActivityDiscarded: {"Removed", "broken", ui.Danger},
	memories.ActivityRevealed:  {"Revealed", "secret", ui.Warning},
	memories.ActivityKept:      {"Kept", "check", ui.Good},
	kindRecalled:               {"Recalled", "recall", ui.Quiet},
}

// whoFiltered returns the actors that a filter selects, in words.
func whoFiltered(a memories.Actor) string {
	if a == memories.ByBrowser {
		return a.Who(true) + " or " + a.Who(false)
	}
	return a.Who(true)
}

// timelineKinds returns the kinds that the filter offers.
func timelineKinds() []memories.ActivityKind {
	return append(slices.Clone(memories.ActivityKinds), kindRecalled)
}

// TimelineAgent is an agent to choose.
type TimelineAgent struct{ Name, Href string }

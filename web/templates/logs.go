package templates

import (
	"net/url"
	"path"
	"strings"
	"time"

	"memoir/internal/logs"
	"memoir/internal/markdown"
	"memoir/internal/memories"
	"memoir/internal/words"
)

// Logs is an agent's Logs tab: a month of days, or what a search has found.
type Logs struct {
	Frame
	Agent Agent
	// Month is the one that is shown; empty: there are no logs.
	Month  logs.Month
	Days   []LogDayRow
	Months []LogMonth // all that have logs, newest first
	Query  string
	Hits   []LogHit
	// MoreHref is the address of the hits after these, FirstHref that of the newest; empty: there are none, or they are here.
	MoreHref, FirstHref string
	Entry               LogEntryForm
}

// LogDayRow is one day in the list.
type LogDayRow struct {
	Day            logs.Day
	Files, Entries int
	Size           int64 // bytes
	Odd            int   // files that something is odd about
}

// LogMonth is a month to choose.
type LogMonth struct {
	Month logs.Month
	Days  int
}

// LogHit is a log that a search has found.
type LogHit struct {
	Day     logs.Day
	Path    string
	Title   []words.Part // empty: it is the log of the day as a whole
	Excerpt []words.Part
}

// LogEntryForm is the entry that somebody is about to append.
type LogEntryForm struct {
	Text, Title string
	Problems    map[string]string // by field
}

// LogsOfDay is the page of one day.
type LogsOfDay struct {
	Frame
	Agent         Agent
	Day           logs.Day
	Before, After logs.Day // the days with logs next to it; empty: there are none
	Logs          []LogText
}

// LogText is one log file.
type LogText struct {
	Path       string // relative to the agent's directory
	Title      string
	Body       markdown.HTML
	Problems   []memories.Problem
	Entries    int
	Size       int64 // bytes
	ModifiedAt time.Time
	LeftOut    bool
}

// The fields of the form for an entry.
const (
	FieldText  = "text"
	FieldTitle = "title"
	FieldMonth = "month"
)

// LogsPath returns the address of an agent's Logs tab.
func LogsPath(slug string) string { return AgentPath(slug, logsTab) }

// LogsOfDayPath returns the address of what an agent's logs say of a day.
func LogsOfDayPath(slug string, day logs.Day) string { return AgentPath(slug, logsTab, string(day)) }

func logsOfMonthPath(slug string, month logs.Month) string {
	return LogsPath(slug) + "?" + url.Values{FieldMonth: {string(month)}}.Encode()
}

// around returns the months with logs next to the one that is shown; empty: there are none.
func (v Logs) around() (older, newer logs.Month) {
	for _, m := range v.Months { // newest first
		switch {
		case m.Month > v.Month:
			newer = m.Month
		case m.Month < v.Month && older == "":
			older = m.Month
		}
	}
	return older, newer
}

// found says how the search went.
func (v Logs) found() string {
	switch {
	case v.Query == "":
		return ""
	case len(v.Hits) == 0:
		return "No log has all of these words."
	case v.MoreHref != "" || v.FirstHref != "":
		return counted(len(v.Hits), "log", "logs") + " on this page, newest first"
	}
	return counted(len(v.Hits), "log", "logs") + ", newest first"
}

// dir is where the agent's logs are, for people.
func (v Logs) dir() string { return path.Join(v.Agent.memoryDir(), "logs") }

func monthName(month logs.Month) string {
	first, _ := month.Days()
	return first.Begins().Format("January 2006")
}

func dayName(day logs.Day) string { return day.Begins().Format("Monday, 2 January 2006") }

// logID is the id of a log on the page of its day.
func logID(path string) string { return "log-" + strings.ReplaceAll(url.PathEscape(path), "%", "_") }

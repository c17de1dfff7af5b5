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
	"memoir/web/templates/wording"
)

// Logs is the view of an agent's logs: one month, or search results.
type Logs struct {
	Agent Agent
	// Month is the month shown. It is empty if there are no logs.
	Month  logs.Month
	Days   []LogDayRow
	Months []LogMonth // all months with logs, newest first
	Query  string
	Hits   []LogHit
	// MoreHref is the address of the next hits, or empty at the end. FirstHref is the address of
	// the newest hits, or empty on their own page.
	MoreHref, FirstHref string
	Entry               LogEntryForm
}

// LogDayRow is the view of one day in a month.
type LogDayRow struct {
	Day            logs.Day
	Files, Entries int
	Size           int64 // bytes
	Odd            int   // number of files with a problem
}

// LogMonth is the view of a month in the selection.
type LogMonth struct {
	Month logs.Month
	Days  int
}

// LogHit is the view of a log that matches a search.
type LogHit struct {
	Day     logs.Day
	Path    string
	Title   []words.Part // empty for the log of the whole day
	Excerpt []words.Part
}

// LogEntryForm is the view of the form for a new entry.
type LogEntryForm struct {
	Text, Title string
	Problems    map[string]string // by field
}

// LogsOfDay is the view of one day's logs.
type LogsOfDay struct {
	Agent         Agent
	Day           logs.Day
	Before, After logs.Day // the nearest days with logs; empty if absent
	Logs          []LogText
}

// LogText is the view of one log file.
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

// around returns the nearest months with logs before and after v.Month. Each is empty if it does
// not exist. v.Months must be newest first.
func (v Logs) around() (older, newer logs.Month) {
	for _, m := range v.Months {
		switch {
		case m.Month > v.Month:
			newer = m.Month
		case m.Month < v.Month && older == "":
			older = m.Month
		}
	}
	return older, newer
}

// found returns in words how many logs the page of search results has. It is empty without a
// search.
func (v Logs) found() string {
	switch {
	case v.Query == "":
		return ""
	case len(v.Hits) == 0:
		return "No results for “" + v.Query + "”"
	case v.MoreHref != "" || v.FirstHref != "":
		return wording.Count(len(v.Hits), "log", "logs") + " on this page, newest first"
	}
	return wording.Count(len(v.Hits), "log", "logs") + ", newest first"
}

func (v Logs) dir() string { return path.Join(v.Agent.memoryDir(), "logs") }

func monthName(month logs.Month) string {
	first, _ := month.Days()
	return first.Begins().Format("January 2006")
}

func dayName(day logs.Day) string { return day.Begins().Format("Monday, 2 January 2006") }

// logID returns the HTML id of the log at path.
func logID(path string) string { return "log-" + strings.ReplaceAll(url.PathEscape(path), "%", "_") }

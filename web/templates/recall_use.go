package templates

import (
	"strconv"
	"strings"
	"time"

	"memoir/internal/chart"
	"memoir/internal/memories"
)

// RecallUse is the view of the recall statistics. It is zero if there were no recalls.
type RecallUse struct {
	Spans []RecallSpan
	Days  []RecallDay // every day of the chart, oldest first
	// Most are the memories recalled most, of MostTotal recalled ones. Never are the first of
	// NeverTotal that were never recalled.
	Most, Never           []RecalledMemory
	MostTotal, NeverTotal int
	Many                  int // minimum number of candidates that counts as many
	// Medians are the recent median times of a selection, by model and keyword.
	Medians map[string]time.Duration
}

// RecallSpan is the sum of the recalls of the last Days days.
type RecallSpan struct {
	Days       int
	All        RecallCount
	AskedBy    map[string]RecallCount // by script, hook and mcp
	SelectedBy map[string]RecallCount // by model and keyword, and "" if nothing was searched
}

// RecallCount counts recalls. Giving counts those with memories. NoneOfMany counts those without
// memories although there were many candidates.
type RecallCount struct{ Recalls, Giving, NoneOfMany int }

// noneOfFew returns the number of searches that returned no memory and had fewer than
// RecallUse.Many candidates.
func (s RecallSpan) noneOfFew() int {
	return s.searched() - s.All.Giving - s.All.NoneOfMany
}

func (s RecallSpan) searched() int { return s.All.Recalls - s.SelectedBy[""].Recalls }

func share(part, whole int) string {
	if whole == 0 {
		return "–"
	}
	return strconv.Itoa(part*100/whole) + " %"
}

// milliseconds returns d in milliseconds with the unit, with one decimal below ten.
func milliseconds(d time.Duration) string {
	ms := float64(d.Microseconds()) / 1000
	if ms < 10 {
		return english.Sprintf("%.1f ms", ms)
	}
	return english.Sprintf("%.0f ms", ms)
}

// took returns a sentence with the median times of a selection by keywords and by a model. It is
// empty if no times are known.
func (u RecallUse) took() string {
	var ways []string
	for _, way := range []struct{ name, words string }{{"keyword", "the words"}, {"model", "a model"}} {
		if median, ok := u.Medians[way.name]; ok {
			ways = append(ways, milliseconds(median)+" by "+way.words)
		}
	}
	if len(ways) == 0 {
		return ""
	}
	return "Choosing lately took " + strings.Join(ways, ", and ") + " (the median)."
}

// RecallDay counts the recalls of a day in UTC. Giving counts those with memories.
type RecallDay struct {
	Day             time.Time
	Recalls, Giving int
}

const (
	kindGiving  = "giving"
	kindNothing = "nothing"
)

func (u RecallUse) chart() chart.Columns {
	days := make([]time.Time, len(u.Days))
	giving, nothing := chart.Series{Kind: kindGiving}, chart.Series{Kind: kindNothing}
	for i, d := range u.Days {
		days[i] = d.Day
		giving.Values = append(giving.Values, d.Giving)
		nothing.Values = append(nothing.Values, d.Recalls-d.Giving)
	}
	return chart.NewDaily(days, []chart.Series{giving, nothing})
}

func (u RecallUse) drawn() (all RecallCount) {
	for _, d := range u.Days {
		all.Recalls += d.Recalls
		all.Giving += d.Giving
	}
	return all
}

// summary returns the chart's period and totals in a sentence, for screen readers. There must be at
// least one day.
func (u RecallUse) summary() string {
	all := u.drawn()
	return "From " + day(u.Days[0].Day) + " to " + day(u.Days[len(u.Days)-1].Day) + ", " + number(all.Giving) + " of " +
		counted(all.Recalls, "recall", "recalls") + " gave something: " + share(all.Giving, all.Recalls) + "."
}

func (u RecallUse) busy() []RecallDay {
	var days []RecallDay
	for i := len(u.Days) - 1; i >= 0; i-- {
		if u.Days[i].Recalls > 0 {
			days = append(days, u.Days[i])
		}
	}
	return days
}

// RecalledMemory is the view of a memory's recall count. Chances is the number of recalls since it
// was learned.
type RecalledMemory struct {
	ID, Name         string
	Type             memories.Type
	Age              Age
	Recalls, Chances int
}

// RecallsOfMemory is the view of how often a memory was recalled.
type RecallsOfMemory struct {
	Recalls int
	Last    time.Time
	Chances int // recalls since it was learned; set only if Recalls is 0
	Now     time.Time
}

// words returns in words how often the memory was recalled, and when last, or that it never was. It
// is empty if there was no recall of any memory since this one was learned.
func (r RecallsOfMemory) words() string {
	switch {
	case r.Recalls > 0:
		return counted(r.Recalls, "time", "times") + ", last " + ago(r.Now.Sub(r.Last))
	case r.Chances > 0:
		return "never, of " + counted(r.Chances, "recall", "recalls") + " since it was learned"
	default:
		return ""
	}
}

// ago returns in words how long ago something was, in whole minutes, hours or days. Less than a
// minute is "just now".
func ago(past time.Duration) string {
	switch {
	case past < time.Minute:
		return "just now"
	case past < time.Hour:
		return counted(int(past/time.Minute), "minute", "minutes") + " ago"
	case past < 24*time.Hour:
		return counted(int(past/time.Hour), "hour", "hours") + " ago"
	default:
		return memories.Age{Days: int(past / (24 * time.Hour))}.String()
	}
}

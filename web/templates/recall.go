package templates

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"memoir/internal/chart"
	"memoir/internal/memories"
)

// Recall is what an agent is given of its memories: what it would be for a query, and what it was.
type Recall struct {
	Frame
	Agent Agent
	Query string // that is tried; empty: none
	// Model says that a model chooses on this server, and the words only where it does not answer.
	Model     bool
	Explained *Explained // what the words make of the query; nil: none is tried
	Use       RecallUse
	Past      []PastRecall // newest first, in the zone that people see
	Session   string       // whose recalls alone are listed; empty: all
	Now       time.Time
	// Later is the address of the recalls before these; empty: there are none. FirstHref is that of the newest; empty: they are here.
	Later, FirstHref string
}

// Explained is what would be given for a query, and what not.
type Explained struct {
	Skipped string // the gate that it does not pass, as Skips names them; empty: it does
	Words   []RecallWord
	// Given and Close are in the order of their scores.
	Given, Close []ExplainedMemory
	Candidates   int
	Enough       float64 // the score that answers a query
}

// RecallWord is a word that is looked for. Unknown: no memory has it.
type RecallWord struct {
	Text    string
	Unknown bool
}

// ExplainedMemory is a memory with what speaks for it, and against.
type ExplainedMemory struct {
	ID, Name  string
	Type      memories.Type
	Why       []string
	Score     float64
	Shortfall string // too_little, much_less, past_limit; empty: it is given
}

// RecallUse is how often something was given. Without any recalls it is zero.
type RecallUse struct {
	Spans []RecallSpan
	Days  []RecallDay // every day of the picture, oldest first
	// Most are the memories that were given most, of MostTotal that ever were; Never those that never were.
	Most, Never           []RecalledMemory
	MostTotal, NeverTotal int
	Many                  int // how many candidates are many
	// Medians are of the time that choosing took lately, by model and keyword.
	Medians map[string]time.Duration
}

// RecallSpan sums up the recalls of so many days up to today.
type RecallSpan struct {
	Days       int
	All        RecallCount
	AskedBy    map[string]RecallCount // by script, hook, mcp
	SelectedBy map[string]RecallCount // by model, keyword, and nothing where nothing was looked at
}

// RecallCount is how many recalls there were. Giving is how many gave something, and NoneOfMany how many gave nothing of many.
type RecallCount struct{ Recalls, Giving, NoneOfMany int }

// noneOfFew is how many gave nothing because there was little to choose from; looked is how many looked at memories.
func (s RecallSpan) noneOfFew() int {
	return s.looked() - s.All.Giving - s.All.NoneOfMany
}

func (s RecallSpan) looked() int { return s.All.Recalls - s.SelectedBy[""].Recalls }

// share writes a part as a percentage; of nothing, a dash.
func share(part, whole int) string {
	if whole == 0 {
		return "–"
	}
	return strconv.Itoa(part*100/whole) + " %"
}

// milliseconds are written to a tenth below ten, and whole above.
func milliseconds(d time.Duration) string {
	ms := float64(d.Microseconds()) / 1000
	if ms < 10 {
		return english.Sprintf("%.1f ms", ms)
	}
	return english.Sprintf("%.0f ms", ms)
}

// took says how long choosing takes.
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

// RecallDay is how many recalls there were on a day in UTC, and how many of them gave something.
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

// drawn sums up the days of the picture.
func (u RecallUse) drawn() (all RecallCount) {
	for _, d := range u.Days {
		all.Recalls += d.Recalls
		all.Giving += d.Giving
	}
	return all
}

// says tells what the picture shows.
func (u RecallUse) says() string {
	all := u.drawn()
	return "From " + day(u.Days[0].Day) + " to " + day(u.Days[len(u.Days)-1].Day) + ", " + number(all.Giving) + " of " +
		counted(all.Recalls, "recall", "recalls") + " gave something: " + share(all.Giving, all.Recalls) + "."
}

// busy returns the days of the picture on which there were recalls, newest first.
func (u RecallUse) busy() []RecallDay {
	var days []RecallDay
	for i := len(u.Days) - 1; i >= 0; i-- {
		if u.Days[i].Recalls > 0 {
			days = append(days, u.Days[i])
		}
	}
	return days
}

// RecalledMemory is a memory with how often it was given, of so many recalls since it was learned.
type RecalledMemory struct {
	ID, Name         string
	Type             memories.Type
	Age              Age
	Recalls, Chances int
}

// PastRecall is one that happened.
type PastRecall struct {
	ID                                 string
	At                                 time.Time
	Session, AskedBy, Query            string
	State, SelectedBy, Skipped, Reason string // Reason: why another way was taken than was wanted
	Candidates                         int
	Took                               time.Duration
	Memories                           []PastMemory
}

// PastMemory is a memory as it was given. There: it can still be read.
type PastMemory struct {
	ID, Name string
	Bytes    int
	Why      []string
	There    bool
}

func (r PastRecall) anchor() string { return "recall-" + r.ID }

// reasons is what spoke for a memory, in one line.
func reasons(why []string) string { return strings.Join(why, "; ") }

// bytes is how much was given.
func (r PastRecall) bytes() int {
	n := 0
	for _, m := range r.Memories {
		n += m.Bytes
	}
	return n
}

// outcome says in a word or two what came of it.
func (r PastRecall) outcome() (word string, tone Tone) {
	switch {
	case r.State == "pending":
		return "not settled", Quiet
	case r.State == "settled":
		return "not fetched", Quiet
	case len(r.Memories) > 0:
		return number(len(r.Memories)) + " given", Good
	case r.SelectedBy == "":
		return "not looked", Quiet
	default:
		return "nothing", Quiet
	}
}

// mostShown is how much of a query is shown in a list, in characters: some lines of it.
const mostShown = 240

func briefly(query string) string {
	flat := strings.Join(strings.Fields(query), " ")
	if characters := []rune(flat); len(characters) > mostShown {
		return string(characters[:mostShown]) + "…"
	}
	return flat
}

// skipped says why nothing is looked at.
func skipped(gate string) string {
	switch gate {
	case "short_query":
		return "One word says too little to choose by, so nothing is looked at."
	case "spent_budget":
		return "The session had been given all that it may be given, so nothing was looked at."
	case "no_memories":
		return "There are no memories to choose from."
	case "all_seen":
		return "The session had been given every memory already."
	default:
		return "Nothing is looked at."
	}
}

var askedByWords = map[string]string{"hook": "by a hook", "script": "by a script", "mcp": "over MCP"}

// wayWords say how it was chosen.
var wayWords = map[string]string{"model": "a model chose", "keyword": "the words chose"}

// most is the score of a full bar: that of the best, or what answers a query where nothing does.
func (e Explained) most() float64 {
	most := e.Enough
	for _, m := range append(e.Given[:len(e.Given):len(e.Given)], e.Close...) {
		most = max(most, m.Score)
	}
	return most
}

func (e Explained) best() float64 {
	if len(e.Given) > 0 {
		return e.Given[0].Score
	}
	return 0
}

// verdict says why a memory is given or not.
func (e Explained) verdict(m ExplainedMemory) string {
	switch m.Shortfall {
	case "too_little":
		return "Too little of what was asked: " + percent(m.Score, e.Enough) + " of what it takes."
	case "much_less":
		return "Much less than the best: " + percent(m.Score, e.best()) + " of it."
	case "past_limit":
		return "As many better ones are given as there may be."
	}
	if m.Score >= e.best() {
		return "The best."
	}
	return percent(m.Score, e.best()) + " of the best."
}

// percent is of what is less than the whole, and never says that it is all of it.
func percent(part, whole float64) string {
	return strconv.Itoa(max(0, min(99, int(100*part/whole)))) + " %"
}

// score writes a score as a number of HTML.
func score(value float64) string { return strconv.FormatFloat(value, 'f', 3, 64) }

// mostWords is how many words are named of those that were looked for.
const mostWords = 16

// words returns those that memories have, or those that none has.
func (e Explained) words(unknown bool) string {
	var all []string
	more := 0
	for _, w := range e.Words {
		switch {
		case w.Unknown != unknown:
		case len(all) == mostWords:
			more++
		default:
			all = append(all, "“"+visible(w.Text)+"”")
		}
	}
	text := strings.Join(all, ", ")
	if more > 0 {
		text += " and " + number(more) + " more"
	}
	return text
}

// found says how much would be given.
func (v Recall) found() string {
	switch e := v.Explained; {
	case e == nil:
		return ""
	case e.Skipped != "":
		return skipped(e.Skipped)
	case len(e.Words) == 0:
		return "Nothing is given: none of its words says what it is about."
	case len(e.Given) > 0:
		return counted(len(e.Given), "memory", "memories") + " given, of " + counted(e.Candidates, "candidate", "candidates") + "."
	case e.Candidates == 0:
		return "Nothing is given: no memory has any of its words, so nobody has written about it."
	default:
		return "Nothing is given: of " + counted(e.Candidates, "memory", "memories") + " with any of its words none has enough of them."
	}
}

// RecallPath returns the address of an agent's Recall tab.
func RecallPath(slug string) string { return AgentPath(slug, recallTab) }

// At returns the address of the tab with a session and one more parameter, where they have a value.
func (v Recall) At(session, field, value string) string {
	query := url.Values{}
	if session != "" {
		query.Set(FieldSession, session)
	}
	if value != "" {
		query.Set(field, value)
	}
	if len(query) == 0 {
		return RecallPath(v.Agent.Slug)
	}
	return RecallPath(v.Agent.Slug) + "?" + query.Encode()
}

// recallDay is a day with what was recalled on it.
type recallDay struct {
	Title   string
	Begins  time.Time
	Recalls []PastRecall
}

func (v Recall) days() []recallDay {
	var days []recallDay
	for _, r := range v.Past {
		begins := midnight(r.At)
		if len(days) == 0 || !days[len(days)-1].Begins.Equal(begins) {
			days = append(days, recallDay{Title: dayTitle(begins, v.Now), Begins: begins})
		}
		last := &days[len(days)-1]
		last.Recalls = append(last.Recalls, r)
	}
	return days
}

// RecallsOfMemory is how often a memory was given.
type RecallsOfMemory struct {
	Recalls int
	Last    time.Time
	Chances int // recalls since it was learned; only where none gave it
	Now     time.Time
}

// words say it; empty: there has been no recall yet that could have given it.
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

// ago writes how long ago something was, in the largest unit of which there is a whole one.
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

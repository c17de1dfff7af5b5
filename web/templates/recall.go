package templates

import (
	"strconv"
	"strings"
	"time"

	"memoir/internal/memories"
)

// Recall is the view of an agent's Recall tab: a trial query, statistics, and past recalls.
type Recall struct {
	Frame
	Agent Agent
	Query string // the trial query; empty if none
	// Model reports whether a model selects memories. If so, keywords are only its fallback.
	Model     bool
	Explained *Explained // result of the trial query by keywords; nil without a query
	Use       RecallUse
	Past      []PastRecall // newest first
	Session   string       // the only session listed; empty for all
	Now       time.Time
	// Later is the address of older recalls, or empty at the end. FirstHref is the address of the
	// newest ones, or empty on their own page.
	Later, FirstHref string
}

// Explained is the view of a trial recall.
type Explained struct {
	Skipped string // the gate that refused the query; empty if it passed
	Words   []RecallWord
	// Given and Close are sorted by score, best first.
	Given, Close []ExplainedMemory
	Candidates   int
	Enough       float64 // minimum score of a recalled memory
}

// RecallWord is the view of a word of the query. Unknown means that no memory contains it.
type RecallWord struct {
	Text    string
	Unknown bool
}

// ExplainedMemory is the view of a memory with the reasons for and against it.
type ExplainedMemory struct {
	ID, Name  string
	Type      memories.Type
	Why       []string
	Score     float64
	Shortfall string // too_little, much_less or past_limit; empty if it is recalled
}

// PastRecall is the view of one past recall.
type PastRecall struct {
	ID                                 string
	At                                 time.Time
	Session, AskedBy, Query            string
	State, SelectedBy, Skipped, Reason string // Reason is why a fallback was used
	Candidates                         int
	Took                               time.Duration
	Memories                           []PastMemory
}

// PastMemory is the view of a recalled memory. There reports whether it still exists.
type PastMemory struct {
	ID, Name string
	Bytes    int
	Why      []string
	There    bool
}

func (r PastRecall) anchor() string { return "recall-" + r.ID }

func reasons(why []string) string { return strings.Join(why, "; ") }

func (r PastRecall) bytes() int {
	n := 0
	for _, m := range r.Memories {
		n += m.Bytes
	}
	return n
}

// result returns the result of a recall in one or two words, and their tone: the number of memories
// returned, or why it returned nothing.
func (r PastRecall) result() (word string, tone Tone) {
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

// maxQueryChars is the maximum length of a query in a list, in characters (arbitrary).
const maxQueryChars = 240

func briefly(query string) string {
	flat := strings.Join(strings.Fields(query), " ")
	if characters := []rune(flat); len(characters) > maxQueryChars {
		return string(characters[:maxQueryChars]) + "…"
	}
	return flat
}

// skipped returns in words why a recall searched nothing. gate is the code of the reason, such as
// "short_query". An unknown code gives a general sentence.
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

var wayWords = map[string]string{"model": "a model chose", "keyword": "the words chose"}

// maxScore returns the score at which a bar is full: the best score in e.Given and e.Close, but at
// least e.Enough.
func (e Explained) maxScore() float64 {
	maxScore := e.Enough
	for _, m := range append(e.Given[:len(e.Given):len(e.Given)], e.Close...) {
		maxScore = max(maxScore, m.Score)
	}
	return maxScore
}

func (e Explained) best() float64 {
	if len(e.Given) > 0 {
		return e.Given[0].Score
	}
	return 0
}

// verdict returns in words why m is recalled or not. It gives the score as a percentage of e.Enough
// if m has too little. Otherwise it gives it as a percentage of the best score, unless m is the
// best or beyond the limit.
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

// percent returns part as a percentage of whole, rounded down, between 0 and 99, with a percent
// sign. whole must not be 0.
func percent(part, whole float64) string {
	return strconv.Itoa(max(0, min(99, int(100*part/whole)))) + " %"
}

// score returns a score with three decimals, for an HTML attribute.
func score(value float64) string { return strconv.FormatFloat(value, 'f', 3, 64) }

// maxWords is the maximum number of query words in a sentence (arbitrary).
const maxWords = 16

// words returns a list of quoted words of the query: the unknown ones, which no memory contains, if
// unknown is true, else the others. It has at most maxWords of them, and then the number of the
// rest.
func (e Explained) words(unknown bool) string {
	var all []string
	more := 0
	for _, w := range e.Words {
		switch {
		case w.Unknown != unknown:
		case len(all) == maxWords:
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

// found returns a sentence with the result of v.Query, for example the number of memories. It is
// empty without a query.
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

// RecallPath returns the path of an agent's Recall tab.
func RecallPath(slug string) string { return AgentPath(slug, recallTab) }

// At returns the address of the Recall tab with a session and the parameter field. It omits empty
// values.
func (v Recall) At(session, field, value string) string {
	return WithQuery(RecallPath(v.Agent.Slug), map[string]string{FieldSession: session, field: value})
}

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

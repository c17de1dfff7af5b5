package templates

import (
	"math"
	"strconv"
	"strings"
	"time"

	"memoir/internal/memories"
	"memoir/internal/memories/claudemd"
	"memoir/web/templates/address"
	"memoir/web/templates/wording"
)

// Prompt is the view of the trial of a prompt, and of the prompts on record.
type Prompt struct {
	Agent Agent
	File  address.FileKind // the file beside it
	Query string           // the trial; empty if none
	// Explained is the result of the trial; nil without one.
	Explained *Explained
	Find      *Find // the memory that gets a phrase; nil if none
	// Past are the prompts on record, newest first, of one session if Session is set.
	Past    []PastRecall
	Session string
	Now     time.Time
	// Later is the address of older prompts, or empty at the end. FirstHref is the address of the
	// newest ones, or empty on their own page.
	Later, FirstHref string
	Spans            []RecallSpan // sums of the record, or none
}

// Explained is the view of a trial recall.
type Explained struct {
	Skipped string // the gate that refused the prompt; empty if it passed
	Words   []RecallWord
	// Given and Close are sorted by score, best first.
	Given, Close []ExplainedMemory
	Candidates   int
}

// RecallWord is the view of a word of the prompt. Unknown means that no memory contains it.
type RecallWord struct {
	Text    string
	Unknown bool
}

// ExplainedMemory is the view of a memory with the reasons for and against it.
type ExplainedMemory struct {
	ID, Owner, Name string // Owner is the slug of its agent
	Type            memories.Type
	Line            int // of a fact in MEMORY.md; 0 for a memory
	Matches         []RecallMatch
	Missing         []string // words of the prompt that its name and description lack
	Tokens          int
	Score, Enough   float64 // Enough is its minimum score to be recalled
	Replaces        string  // name of the memory that it replaces and is given for, or empty
	Shortfall       string  // a ranking.RejectReason; empty if it is recalled
}

// RecallMatch is a word of the prompt that a memory has, as Word, in the field Field.
type RecallMatch struct{ Searched, Word, Field string }

// Find is the form that makes a prompt find a memory: it adds the prompt to the phrases as which the
// memory is asked.
type Find struct {
	ID, ETag string
	Phrase   string // as edited
	Problem  string // why it was not saved; empty otherwise
}

// PastRecall is the view of one prompt on record.
type PastRecall struct {
	ID                         string
	At                         time.Time
	Session, AskedBy, Query    string
	State, SelectedBy, Skipped string
	Candidates                 int
	Memories                   []PastMemory
}

// PastMemory is the view of a recalled memory. There reports whether it still exists.
type PastMemory struct {
	ID, Name string
	Bytes    int
	There    bool
}

// result returns the result of a recall in one or two words: the number of memories given, or why
// none was.
func (r PastRecall) result() string {
	switch {
	case r.State == "pending":
		return "running"
	case r.State == "settled":
		return "not delivered"
	case len(r.Memories) > 0:
		bytes := 0
		for _, m := range r.Memories {
			bytes += m.Bytes
		}
		return wording.Number(len(r.Memories)) + " given · " + wording.Count(claudemd.ApproximateTokens(bytes), "token", "tokens")
	case r.SelectedBy == "":
		return "skipped"
	default:
		return "none of " + wording.Number(r.Candidates)
	}
}

// maxQueryChars is the maximum length of a prompt in a list, in characters (arbitrary).
const maxQueryChars = 160

func briefly(query string) string {
	flat := strings.Join(strings.Fields(query), " ")
	if characters := []rune(flat); len(characters) > maxQueryChars {
		return string(characters[:maxQueryChars]) + "…"
	}
	return flat
}

// skipped returns in words why a recall searched nothing. gate is the code of the reason.
func skipped(gate string) string {
	switch gate {
	case "short_query":
		return "Prompt too short"
	case "spent_budget":
		return "Session budget used"
	case "no_memories":
		return "No memories yet"
	case "all_seen":
		return "All memories already given"
	default:
		return "Not searched"
	}
}

var askedByWords = map[string]string{"hook": "by a hook", "script": "by a script", "mcp": "over MCP"}

// percent returns the score of m as a percentage of the best one given, or of m's minimum if none is.
func (e Explained) percent(m ExplainedMemory) string {
	whole := m.Enough
	if len(e.Given) > 0 {
		whole = e.Given[0].Score
	}
	if whole <= 0 {
		return ""
	}
	most := 100
	if m.Shortfall != "" {
		most = 99
	}
	return strconv.Itoa(max(0, min(most, int(math.Round(100*m.Score/whole))))) + " %"
}

// minOfBest is the share of the top score, in percent, below which a memory is not given.
const minOfBest = 66

// whyNot returns in a few words why m is not given. It is empty if it is.
func (m ExplainedMemory) whyNot() string {
	switch m.Shortfall {
	case "too_little":
		return "below threshold"
	case "much_less":
		return "below " + strconv.Itoa(minOfBest) + " % of top score"
	case "past_limit":
		return "5 are given"
	case "superseded":
		return "another memory replaces it"
	case "excluded":
		return "the prompt excludes it"
	default:
		return ""
	}
}

// reasons returns the words of the prompt that m has: “ship” ~ deploy, or “december” in text.
func (m ExplainedMemory) reasons() string {
	var parts []string
	for _, match := range m.Matches {
		if match.Word == match.Searched {
			parts = append(parts, "“"+wording.Visible(match.Searched)+"” in "+match.Field)
		} else {
			parts = append(parts, "“"+wording.Visible(match.Searched)+"” ~ "+wording.Visible(match.Word))
		}
	}
	if m.Replaces != "" {
		parts = append(parts, "replaces "+wording.Visible(m.Replaces))
	}
	if why := m.whyNot(); why != "" {
		parts = append(parts, why)
	}
	return strings.Join(parts, " · ")
}

// path returns the address of the memory, or of the fact.
func (m ExplainedMemory) path() string {
	if m.Line > 0 {
		return address.IndexPath(m.Owner) + "#line-" + strconv.Itoa(m.Line)
	}
	return address.MemoryPath(m.Owner, m.ID)
}

// canBeFound reports whether a phrase with the words of the prompt could make the prompt find m.
func (m ExplainedMemory) canBeFound(agent string) bool {
	return m.Shortfall != "" && m.Shortfall != "superseded" && m.Shortfall != "excluded" && m.Line == 0 && m.Owner == agent && len(m.Missing) > 0
}

func (e Explained) tokens() int {
	n := 0
	for _, m := range e.Given {
		n += m.Tokens
	}
	return n
}

// given returns the result in numbers: 2 of 9 candidates · 109 tokens.
func (e Explained) given() string {
	return wording.Number(len(e.Given)) + " of " + wording.Count(e.Candidates, "candidate", "candidates") + " · " + wording.Count(e.tokens(), "token", "tokens")
}

// manyCandidates is the number of candidates from which their words are to blame, as in
// records.ManyCandidates.
const manyCandidates = 10

// nothing returns why nothing is given, and what to do. It is empty if something is.
func (e Explained) nothing() string {
	switch {
	case e.Skipped != "":
		return skipped(e.Skipped)
	case len(e.Words) == 0:
		return "No words to search for"
	case len(e.Given) > 0:
		return ""
	case e.Candidates >= manyCandidates:
		return "None given: improve names and descriptions."
	case e.Candidates == 0:
		return "No candidates: the fact is missing."
	default:
		return "None given: no memory has enough of these words."
	}
}

// unknown returns the words of the prompt that no memory has, at most maxWords of them.
func (e Explained) unknown() string {
	const maxWords = 12
	var all []string
	for _, w := range e.Words {
		if w.Unknown {
			all = append(all, "“"+wording.Visible(w.Text)+"”")
		}
	}
	more := ""
	if n := len(all) - maxWords; n > 0 {
		all, more = all[:maxWords], " and "+wording.Number(n)+" more"
	}
	return strings.Join(all, ", ") + more
}

// at returns the address of the page with a prompt.
func (v Prompt) at(query string) string {
	return address.WithQuery(address.FilePath(v.Agent.Slug, v.File), map[string]string{address.FieldQuery: query, address.FieldSession: v.Session})
}

// findAt returns the address of the page with the form for a memory.
func (v Prompt) findAt(id string) string {
	return address.WithQuery(v.at(v.Query), map[string]string{address.FieldFind: id}) + "#find"
}

// At returns the address of the record of a session, with the parameter field. It omits empty values.
func (v Prompt) At(session, field, value string) string {
	return address.WithQuery(address.FilePath(v.Agent.Slug, v.File), map[string]string{address.FieldSession: session, field: value}) + "#prompt"
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

// noneOfFew returns the number of searches that returned no memory and had few candidates.
func (s RecallSpan) noneOfFew() int {
	return s.All.Recalls - s.SelectedBy[""].Recalls - s.All.Giving - s.All.NoneOfMany
}

// withShare returns n and its percentage of the recalls.
func (s RecallSpan) withShare(n int) string {
	if s.All.Recalls == 0 {
		return wording.Number(n)
	}
	return wording.Number(n) + " · " + strconv.Itoa(n*100/s.All.Recalls) + " %"
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
		return wording.Count(r.Recalls, "time", "times") + ", last " + ago(r.Now.Sub(r.Last))
	case r.Chances > 0:
		return "never, of " + wording.Count(r.Chances, "recall", "recalls") + " since it was learned"
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
		return wording.Count(int(past/time.Minute), "minute", "minutes") + " ago"
	case past < 24*time.Hour:
		return wording.Count(int(past/time.Hour), "hour", "hours") + " ago"
	default:
		return memories.Age{Days: int(past / (24 * time.Hour))}.String()
	}
}

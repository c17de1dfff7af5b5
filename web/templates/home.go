package templates

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"memoir/internal/chart"
	"memoir/internal/memories"
	"memoir/web/templates/address"
	"memoir/web/templates/ui"
	"memoir/web/templates/wording"
)

// HomeRows is the number of agents on a page of Home.
const HomeRows = 100

// AgentSort is the order of the agents on the first page.
type AgentSort string

// The orders of agents. Agents with equal keys are ordered by name.
const (
	ByChange    AgentSort = "change" // newest first
	ByAgentName AgentSort = "name"
	ByMemories  AgentSort = "memories" // most first
	ByContext   AgentSort = "context"  // largest first
	ByReview    AgentSort = "review"   // most first
)

// AgentSorts returns the orders as the form lists them. The first is the default.
func AgentSorts() []AgentSort {
	return []AgentSort{ByChange, ByAgentName, ByMemories, ByContext, ByReview}
}

var agentSortNames = map[AgentSort]string{
	ByChange: "Last change", ByAgentName: "Name", ByMemories: "Memories", ByContext: "Context", ByReview: "Review",
}

// Home is the view of the first page: what waits, what was learned, and all agents.
type Home struct {
	ui.Frame
	CanWrite bool
	Waiting  Waiting
	Week     Week
	Context  ContextFigures
	// Problems are the agents and directories that cannot be scanned. RunsAs is the user that Memoir
	// runs as.
	Problems []ScanProblem
	RunsAs   string

	Query string
	Sort  AgentSort
	All   bool // also agents without memories
	Total int  // number of agents
	Rows  []HomeRow
	First int // place of the first row, counted from 1
	Found int // rows of all pages
	Empty int // agents without memories that no page has

	News []News
	Now  time.Time

	// Watched are the directories in which agents are searched. Only a page without agents shows them.
	Watched []WatchedDir
	Samples bool // offer the sample agents
}

// Waiting is what waits for a person.
type Waiting struct {
	Items   int
	Minutes int // estimated time to decide all items
	Groups  []WaitingGroup
}

// WaitingGroup is a group of the review with items.
type WaitingGroup struct {
	Label string // in lower case, after the number
	Count int
	Href  string
	Tone  ui.Tone
}

// Week is what all agents have learned in seven days.
type Week struct {
	Learned, Changed, Deleted int
	Totals                    []int // number of memories on each of the last days, oldest first
}

// ContextFigures describe how many tokens enter a conversation.
type ContextFigures struct {
	Median int // over agents with memories; 0 without such agents
	Over   int // agents over their limit
}

// HomeRow is the view of one agent on the first page.
type HomeRow struct {
	Slug         string
	Name, Parent string // see agents.Label
	Memories     int
	ByType       map[memories.Type]int // of Memories, those that are listed
	Learned      int                   // in the last week
	Tokens       int                   // that enter each conversation
	// Limited are those of Tokens that have a limit: the tokens of CLAUDE.md or, if Memoir writes none,
	// of MEMORY.md. Limit is 0 for none.
	Limited, Limit int
	Review         int       // items
	Changed        time.Time // last change of a memory; zero without one
	Problem        string    // in few words; empty if there is none
}

// News is a sentence that agents have learned in the last week.
type News struct {
	Text   string
	Type   memories.Type
	Href   string   // of the newest memory with the sentence
	Agents []string // names, without duplicates
	Count  int      // memories with the sentence
	At     time.Time
}

// WatchedDir is a directory in which agents are searched.
type WatchedDir struct {
	Path   string
	Exists bool
}

// IsOver reports whether the agent's file exceeds its limit.
func (r HomeRow) IsOver() bool { return r.Limit > 0 && r.Limited > r.Limit }

// address returns the page's address with a filter, an order, and the place of the first row. The
// default order and the first page are left out.
func (v Home) address(sort AgentSort, all bool, from int) string {
	show, first := "", ""
	if all {
		show = address.ShowAll
	}
	if sort == AgentSorts()[0] {
		sort = ""
	}
	if from > 1 {
		first = strconv.Itoa(from)
	}
	return address.WithQuery(address.HomePath, map[string]string{address.FieldQuery: v.Query, address.FieldSort: string(sort), address.FieldShow: show, address.FieldFrom: first})
}

// last returns the place of the last row.
func (v Home) last() int { return v.First + len(v.Rows) - 1 }

// rest returns in words which agents are not shown. It is empty if all are.
func (v Home) rest() string {
	var parts []string
	if len(v.Rows) < v.Found {
		parts = append(parts, wording.Number(v.First)+" to "+wording.Number(v.last())+" of "+wording.Number(v.Found))
	}
	if v.Empty > 0 {
		parts = append(parts, wording.Number(v.Empty)+" without memories")
	}
	return strings.Join(parts, " · ")
}

func (w Waiting) words() string {
	words := "items"
	if w.Items == 1 {
		words = "item"
	}
	if w.Minutes > 0 {
		words += ", about " + wording.Duration(w.Minutes)
	}
	return words
}

// line returns the line of the totals, with the smallest one at the bottom.
func (w Week) line() chart.Spark {
	above := slices.Clone(w.Totals)
	for i := range above {
		above[i] -= slices.Min(w.Totals)
	}
	return chart.NewSpark(above)
}

func (w Week) hasLine() bool { return len(w.Totals) > 1 && w.Totals[len(w.Totals)-1] > 0 }

func (w Week) summary() string {
	return "Memories in " + wording.Count(len(w.Totals)-1, "day", "days") + ": from " + wording.Number(w.Totals[0]) + " to " + wording.Number(w.Totals[len(w.Totals)-1])
}

func (c ContextFigures) over() string {
	switch c.Over {
	case 0:
		return "No agent is over its limit"
	case 1:
		return "1 agent is over its limit"
	default:
		return wording.Number(c.Over) + " agents are over their limit"
	}
}

// typePart is a part of a bar of 100 units.
type typePart struct {
	Type     memories.Type
	X, Width string
}

// typeBar returns the parts of a bar of the agent's memories by type, with gaps of one unit. The
// empty type is the rest.
func (r HomeRow) typeBar() []typePart {
	rest := r.Memories
	var types []memories.Type
	for _, t := range memories.Types() {
		if r.ByType[t] > 0 {
			types, rest = append(types, t), rest-r.ByType[t]
		}
	}
	counts := r.ByType
	if rest > 0 {
		types = append(types, "")
	}
	if len(types) == 0 {
		return nil
	}
	const gap = 1.0
	room, x := 100-gap*float64(len(types)-1), 0.0
	var parts []typePart
	for _, t := range types {
		n := counts[t]
		if t == "" {
			n = rest
		}
		width := room * float64(n) / float64(max(r.Memories, 1))
		parts = append(parts, typePart{t, decimal(x), decimal(width)})
		x += width + gap
	}
	return parts
}

// limitMark is the position of the limit in a context bar of 100 units.
const limitMark = 80

// contextWidth returns the filled part of a context bar of 100 units, which shows the limited tokens.
// The limit is at limitMark.
func (r HomeRow) contextWidth() string {
	if r.Limit <= 0 {
		return "0"
	}
	return decimal(min(100, limitMark*float64(r.Limited)/float64(r.Limit)))
}

// tokens returns the agent's context in words, with how far it is over the limit.
func (r HomeRow) tokens() string {
	words := wording.Number(r.Tokens) + " tokens"
	if r.Limit > 0 && r.Limited >= 2*r.Limit {
		words += " · " + wording.Number(r.Limited/r.Limit) + " × the limit"
	}
	return words
}

func (n News) source(now time.Time) string {
	source := wording.Visible(n.Agents[0])
	if len(n.Agents) > 1 {
		source = wording.Number(len(n.Agents)) + " agents"
	}
	if n.Count > len(n.Agents) {
		source += " · " + wording.Count(n.Count, "memory", "memories")
	}
	return source + " · " + agoInShort(n.At, now)
}

// agoInShort returns how long before now a time was: "4 min", "2 h", "yesterday", "8 days".
func agoInShort(t, now time.Time) string {
	switch d := now.Sub(t); {
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return strconv.Itoa(int(d/time.Minute)) + " min"
	case d < 24*time.Hour:
		return strconv.Itoa(int(d/time.Hour)) + " h"
	case d < 48*time.Hour:
		return "yesterday"
	default:
		return wording.Number(int(d/(24*time.Hour))) + " days"
	}
}

// decimal returns a number for an SVG attribute, with at most two decimals.
func decimal(n float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", n), "0"), ".")
}

// maxFailures is the number of problems with scans on the first page (arbitrary).
const maxFailures = 6

// figureOrDash returns n in words, or a dash for 0.
func figureOrDash(n int, words func(int) string) string {
	if n == 0 {
		return "–"
	}
	return words(n)
}

func allChanges(n int) string {
	if n == 1 {
		return "1 change this week"
	}
	return "All " + wording.Number(n) + " changes this week"
}

// Package xray computes what enters every conversation of an agent, in tokens, and the bar that
// shows it. It is pure. Package pages gives it what the engine and the database know; package
// templates draws the bar.
package xray

import (
	"strings"
	"unicode/utf8"

	"memoir/internal/memories"
	"memoir/internal/memories/claudemd"
	"memoir/internal/memories/memorymd"
	"memoir/internal/records"
)

// RecallDays is the number of days over which the median of recalled memories is taken.
const RecallDays = 30

// Tokens returns the approximate number of tokens that enter every conversation of an agent: its
// CLAUDE.md, the MEMORY.md that it loads, and the median of what recalls deliver.
func Tokens(agent records.Agent, carried records.Carried) int {
	tokens := claudemd.ApproximateTokens(carried.IndexChars) + claudemd.ApproximateTokens(carried.RecalledBytes)
	if agent.ClaudeMD.Path != "" { // else the agent has none
		tokens += claudemd.ApproximateTokens(agent.ClaudeMD.Chars)
	}
	return tokens
}

// Percent returns chars as a percentage of limit, rounded down. It is 0 without a limit.
func Percent(chars, limit int) int {
	if limit <= 0 {
		return 0
	}
	return chars * 100 / limit
}

// Times returns how many times the limit a file of so many characters is, rounded down. It is 0 for a
// file of at most twice the limit, and without a limit.
func Times(chars, limit int) int {
	if limit <= 0 || chars <= 2*limit {
		return 0
	}
	return chars / limit
}

// Kind is the kind of a part: a memory type, or one of the kinds below.
type Kind string

// The kinds that are no memory types.
const (
	Hand     Kind = "hand"     // written by people, around Memoir's block
	System   Kind = "system"   // Memoir's fixed text, and headings
	OneLine  Kind = "one-line" // entries of memories that are past the limit
	Index    Kind = "index"    // MEMORY.md
	Recalled Kind = "recalled" // memories that recalls deliver
)

var names = map[Kind]string{
	Hand: "Hand-written", System: "Memory System", OneLine: "One-line entries", Index: "MEMORY.md", Recalled: "Recalled",
	Kind(memories.Feedback): "Feedback", Kind(memories.User): "User", Kind(memories.Project): "Project", Kind(memories.Reference): "Reference",
}

// Name returns the kind's label.
func (k Kind) Name() string { return names[k] }

// Input has the data of an agent from which Of computes its Xray.
type Input struct {
	Agent     string // slug
	Published bool   // its CLAUDE.md has the parts; if not, they are only what would be compiled
	// Before and After are the users' text around Memoir's block, and Parts are the parts of the
	// block.
	Before, After string
	Parts         []claudemd.Part
	OnDisk        string // the whole CLAUDE.md, if it is damaged and so has another text; else empty
	Limit         int    // of CLAUDE.md, in Unicode characters; 0 or less: none
	Carried       records.Carried
}

// Xray is the view of the texts that enter every conversation of an agent, with their sizes.
type Xray struct {
	Tokens int
	Rows   []Row // without empty ones, in the order of the bar
	// ClaudeMD and Limit are the size of CLAUDE.md and its limit in tokens; Percent is its share. For
	// an agent without a CLAUDE.md, they are what it would have.
	ClaudeMD, Limit, Percent int
	IndexTokens, Recalled    int
	Published                bool
	Times                    int // as by Times
	Bar                      Bar
}

// Row is the sum of the parts of one kind.
type Row struct {
	Kind     Kind
	Memories int
	Tokens   int
	WouldBe  bool // does not enter conversations, because the agent has no CLAUDE.md
}

// Share returns the row's percentage of all tokens, rounded down, or 0 for a row that is not one of
// them.
func (x Xray) Share(r Row) int {
	if r.WouldBe || x.Tokens == 0 {
		return 0
	}
	return r.Tokens * 100 / x.Tokens
}

// Of computes the X-ray of an agent. The tokens of its rows sum to those of the whole.
func Of(in Input) Xray {
	groups := groupsOf(in)
	x := Xray{Published: in.Published, Limit: claudemd.ApproximateTokens(max(in.Limit, 0))}
	chars := 0
	for _, g := range groups {
		before := claudemd.ApproximateTokens(chars)
		chars += g.chars
		if tokens := claudemd.ApproximateTokens(chars) - before; tokens > 0 {
			x.Rows = append(x.Rows, Row{Kind: g.kind, Memories: g.memories(), Tokens: tokens, WouldBe: !in.Published})
		}
	}
	x.ClaudeMD, x.Percent = claudemd.ApproximateTokens(chars), Percent(chars, in.Limit)
	x.IndexTokens, x.Recalled = claudemd.ApproximateTokens(in.Carried.IndexChars), claudemd.ApproximateTokens(in.Carried.RecalledBytes)
	x.Tokens = x.IndexTokens + x.Recalled
	if in.Published {
		x.Tokens += x.ClaudeMD
		x.Times = Times(chars, in.Limit)
	}
	var more []group
	for _, g := range []group{{kind: Index, chars: in.Carried.IndexChars}, {kind: Recalled, chars: in.Carried.RecalledBytes}} {
		if g.chars > 0 {
			g.pieces = []piece{{chars: g.chars}}
			more = append(more, g)
		}
	}
	limit := in.Limit
	if in.Published {
		groups = append(groups, more...)
	} else {
		// What enters comes first.
		groups, limit = append(more, groups...), memorymd.IndexUnitCap
	}
	var others []Row
	for _, r := range []Row{{Kind: Index, Tokens: x.IndexTokens}, {Kind: Recalled, Tokens: x.Recalled}} {
		if r.Tokens > 0 {
			others = append(others, r)
		}
	}
	if in.Published {
		x.Rows = append(x.Rows, others...)
	} else {
		x.Rows = append(others, x.Rows...)
	}
	x.Bar = barOf(groups, in.Published, limit)
	return x
}

// group is the parts of one kind, in the order of the file.
type group struct {
	kind   Kind
	chars  int
	pieces []piece
}

// piece is a memory, or a text that is none.
type piece struct {
	id, owner, name string // empty for another text
	kind            Kind   // of a one-line entry: the memory's type
	chars           int
}

func (g group) memories() int {
	n := 0
	for _, p := range g.pieces {
		if p.id != "" {
			n++
		}
	}
	return n
}

// groupsOf returns the parts of CLAUDE.md by kind, in the order of the bar. Blank lines around
// Memoir's block count as its text. If the file is damaged, all of it counts as written by hand.
func groupsOf(in Input) []group {
	order := []Kind{Hand, System}
	for _, t := range memories.Types() {
		order = append(order, Kind(t))
	}
	order = append(order, OneLine)
	groups := make([]group, len(order))
	at := make(map[Kind]*group, len(order))
	for i, kind := range order {
		groups[i].kind = kind
		at[kind] = &groups[i]
	}
	add := func(kind Kind, p piece) {
		if g := at[kind]; g != nil && p.chars > 0 {
			g.chars += p.chars
			g.pieces = append(g.pieces, p)
		}
	}
	if in.OnDisk != "" {
		add(Hand, piece{chars: utf8.RuneCountInString(in.OnDisk)})
		return groups
	}
	around := piece{chars: utf8.RuneCountInString(in.Before) + utf8.RuneCountInString(in.After)}
	fixed := piece{}
	if isBlank(in.Before + in.After) {
		fixed = around
	} else {
		add(Hand, around)
	}
	for _, p := range in.Parts {
		if p.Memory == "" {
			fixed.chars += p.Chars
			continue
		}
		memory := piece{id: p.Memory, owner: in.Agent, name: p.Name, kind: Kind(p.Type), chars: p.Chars}
		if p.Shared != "" {
			memory.owner = p.Shared
		}
		if p.Listed {
			add(OneLine, memory)
		} else {
			add(memory.kind, memory)
		}
	}
	add(System, fixed)
	return groups
}

func isBlank(text string) bool { return strings.TrimSpace(strings.TrimPrefix(text, "\uFEFF")) == "" }

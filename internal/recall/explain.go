package recall

import (
	"context"
	"slices"

	"memoir/internal/memories"
)

// mostClose is how many memories are named that came close.
const mostClose = 5

// Explanation is what the words make of a query, in a session that was given nothing.
type Explanation struct {
	Skipped Skip   // why nothing is looked at; empty: it was
	Words   []Word // that were looked for, in the order of the query
	// Given are what would be given, Close what comes next to it; the best first.
	Given, Close []Explained
	// Candidates is how many memories had any of it.
	Candidates int
	// Enough is the score from which on a memory answers the query, unless another has much more.
	Enough float64
}

// Word is one that a query speaks of.
type Word struct {
	Text string // folded
	// Unknown: no memory has it, another form of it, or what counts as it.
	Unknown bool
}

// Explained is a memory that has something of what was asked.
type Explained struct {
	memories.Memory              // without its body
	Why             []string     // the strongest first
	Score           float64      // how much it has; comparable within one explanation
	Shortfall       RejectReason // why it is not given; empty: it is
}

// Explain says what a recall by the words would give, and why. It asks no model, keeps no record, and takes nothing from any
// session. It fails as Recall does.
func (r *Recaller) Explain(ctx context.Context, agent, query string) (Explanation, error) {
	request := Request{Agent: agent, Query: query}
	if err := request.check(); err != nil {
		return Explanation{}, err
	}
	from, err := r.store.RecallSources(ctx, agent)
	if err != nil {
		return Explanation{}, err
	}
	given, of, skip, err := r.gate(ctx, from, request)
	if err != nil || skip != "" {
		return Explanation{Skipped: skip}, err
	}
	found, err := r.byKeyword(ctx, from, of, request.Query, given.Memories)
	return found.explained(request.Limit), err
}

// explained says it of a ranking of which so many answers are given.
func (r ranking) explained(limit int) Explanation {
	e := Explanation{Candidates: r.candidates, Enough: minWeight(r.wanted)}
	for _, w := range r.wanted {
		// Single characters are those of the pairs once more.
		if !w.character {
			e.Words = append(e.Words, Word{Text: w.word, Unknown: w.matches == 0})
		}
	}
	given := r.answers[:min(len(r.answers), limit)]
	for _, each := range given {
		e.Given = append(e.Given, each.explained())
	}
	next := slices.Concat(r.answers[len(given):], r.short)
	for _, each := range next[:min(len(next), mostClose)] {
		if each.rejected == "" {
			each.rejected = PastLimit
		}
		e.Close = append(e.Close, each.explained())
	}
	return e
}

func (r ranked) explained() Explained {
	m := r.Memory
	m.Body = ""
	return Explained{Memory: m, Why: r.why(), Score: r.score, Shortfall: r.rejected}
}

package recall

import (
	"context"
	"slices"
	"unicode/utf8"

	"memoir/internal/memories"
	"memoir/internal/recall/ranking"
)

// maxClose is how many memories that were nearly delivered are listed.
const maxClose = 5

// Explanation is the result of a recall by keywords for a new session, with its reasons.
type Explanation struct {
	Skipped Skip   // why nothing was searched, or empty
	Words   []Word // the searched words, in the order of the query
	// Given would be delivered. Close are the next ones. Both are ordered best first.
	Given, Close []Explained
	// Candidates is the number of memories with any match.
	Candidates int
}

// Word is a searched word of a query.
type Word struct {
	Text string // folded
	// Unknown means that no memory has the word or a variant of it.
	Unknown bool
}

// Explained is a memory that matches a query.
type Explained struct {
	memories.Memory          // without Body
	Why             []string // reasons, strongest first
	Matches         []Match  // as Why, in parts
	Replaces        string   // name of a memory that it replaces and is given for, or empty
	// Missing are the searched words that neither its name nor its description has, in the order of
	// the query. With them in its description, the memory would match better.
	Missing   []string
	Chars     int                  // Unicode characters of name, description and body
	Score     float64              // comparable within one explanation
	Enough    float64              // the score from which it answers the query
	Shortfall ranking.RejectReason // why it is not delivered, or empty
}

// Match is a searched word that a memory has.
type Match struct {
	Searched string // folded
	Word     string // the variant in the memory; usually equal to Searched
	Field    string // name, description or text
}

// Explain returns the memories that a recall by keywords would deliver to a new session, the next
// best ones, and the reasons. If there is a reason not to search, only Skipped is set and the
// error is nil. It calls no model and saves nothing. It returns memories.ErrNotFound for an
// unknown agent, and *memories.InvalidError for an invalid query.
func (r *Recaller) Explain(ctx context.Context, agent, query string) (Explanation, error) {
	request := Request{Agent: agent, Query: query}
	if err := request.check(); err != nil {
		return Explanation{}, err
	}
	from, err := r.store.RecallSources(ctx, agent)
	if err != nil {
		return Explanation{}, err
	}
	given, total, skip, err := r.gate(ctx, from, request)
	if err != nil || skip != "" {
		return Explanation{Skipped: skip}, err
	}
	q, found, candidates, err := r.byKeyword(ctx, from, total, request, "", given.Memories)
	return explanationOf(q, found, candidates, request.Limit), err
}

// explanationOf returns the explanation of a ranking. Given gets the first limit answers. Close gets
// the next maxClose memories: first the other answers, then the memories that match too little.
func explanationOf(q ranking.Question, found ranking.Ranking, candidates, limit int) Explanation {
	e := Explanation{Candidates: candidates}
	for _, t := range q.Terms {
		// Single characters are also part of the pairs.
		if !t.Character && !t.Excluded && !t.Earlier {
			e.Words = append(e.Words, Word{Text: t.Word, Unknown: t.IsUnknown()})
		}
	}
	for i, each := range found.Best(limit + maxClose) {
		switch {
		case each.Rejected == "" && i < limit:
			e.Given = append(e.Given, explained(each, q.Terms))
			continue
		case each.Rejected == "":
			each.Rejected = ranking.PastLimit
		}
		if len(e.Close) < maxClose {
			e.Close = append(e.Close, explained(each, q.Terms))
		}
	}
	return e
}

// explained returns the memory without its body, with reasons, score and the reason for its
// rejection or "". terms are those of the query.
func explained(r ranking.Ranked, terms []ranking.Term) Explained {
	m := r.Memory
	m.Body = ""
	e := Explained{Memory: m, Why: r.Why(), Replaces: r.Replaces, Score: r.Score, Enough: r.Enough, Shortfall: r.Rejected}
	e.Chars = utf8.RuneCountInString(m.Name) + utf8.RuneCountInString(m.Description) + utf8.RuneCountInString(r.Body)
	for _, match := range r.Strongest() {
		e.Matches = append(e.Matches, Match{Searched: match.Term, Word: match.Word, Field: match.Field.String()})
	}
	for _, t := range terms {
		has := slices.ContainsFunc(r.Matches, func(m ranking.Match) bool {
			return m.Term == t.Word && m.Word == t.Word && m.Field.IsSummary()
		})
		if !has && !t.Character && !t.Run && !t.Excluded && !t.Earlier {
			e.Missing = append(e.Missing, t.Word)
		}
	}
	return e
}

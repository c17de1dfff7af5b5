package search

import (
	"cmp"
	"slices"

	"memoir/internal/words"
)

const (
	// maxMistyped is how many typed words may be mistyped. A longer search was pasted. Arbitrary.
	maxMistyped = 8
	// maxAlternatives is how many words may stand for one that was typed. Arbitrary.
	maxAlternatives = 12
)

// Similar is a word of a memory that looks like a typed one.
type Similar struct{ Typed, Word string }

// Mistyped returns the words of the query that may be mistyped ones. It returns nil if there are too many of them.
func (q Query) Mistyped() []string {
	var typed []string
	for _, t := range q.terms {
		if words.MaxTypos(t[0].word) > 0 {
			typed = append(typed, t[0].word)
		}
	}
	if len(typed) > maxMistyped {
		return nil
	}
	return typed
}

// Fuzzy returns the query with the similar words that come close as alternatives to those typed. It returns false if none
// comes close.
func (q Query) Fuzzy(similar []Similar) (Query, bool) {
	alternatives := closest(similar)
	fuzzy := Query{phrases: q.phrases}
	for _, t := range q.terms {
		fuzzy.terms = append(fuzzy.terms, append(slices.Clone(t), alternatives[t[0].word]...))
	}
	return fuzzy, len(alternatives) > 0
}

// closest returns by typed word those that come close to it, the closest first.
func closest(similar []Similar) map[string]term {
	type candidate struct {
		word  string
		slips int
	}
	candidates := map[string][]candidate{}
	for _, s := range similar {
		if slips, near := words.Distance(s.Typed, s.Word); near && slips > 0 {
			candidates[s.Typed] = append(candidates[s.Typed], candidate{s.Word, slips})
		}
	}
	terms := map[string]term{}
	for typed, found := range candidates {
		slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(a.slips, b.slips) })
		for _, c := range found[:min(len(found), maxAlternatives)] {
			terms[typed] = append(terms[typed], lexeme{word: c.word})
		}
	}
	return terms
}

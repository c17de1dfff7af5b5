package search

import (
	"cmp"
	"slices"

	"memoir/internal/words"
)

const (
	// maxMistyped is the number of words up to which a search is corrected. A longer one was pasted.
	// It is arbitrary.
	maxMistyped = 8
	// maxAlternatives is the maximum number of similar words for a typed one. It is arbitrary.
	maxAlternatives = 12
)

// Similar is a word of a memory that looks like the typed word.
type Similar struct{ Typed, Word string }

// Mistyped returns the words of the query that can have typos: those with words.MaxTypos above 0,
// in the order in which they were typed. It returns nil if there are none, or more than 8.
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

// Fuzzy returns a copy of the query in which a typed word also matches its similar words. It adds
// those with 1 to words.MaxTypos typos, at most 12 for each typed word, fewest typos first. It
// returns an equal query and false if similar has no such word. q does not change.
func (q Query) Fuzzy(similar []Similar) (Query, bool) {
	alternatives := closest(similar)
	fuzzy := Query{phrases: q.phrases}
	for _, t := range q.terms {
		fuzzy.terms = append(fuzzy.terms, append(slices.Clone(t), alternatives[t[0].word]...))
	}
	return fuzzy, len(alternatives) > 0
}

// closest returns by typed word the similar words with 1 to words.MaxTypos typos, fewest typos
// first, at most 12. A typed word without one has no entry.
func closest(similar []Similar) map[string]term {
	type candidate struct {
		Similar
		typos int
	}
	var candidates []candidate
	for _, s := range similar {
		if typos, isNear := words.Distance(s.Typed, s.Word); isNear && typos > 0 {
			candidates = append(candidates, candidate{s, typos})
		}
	}
	slices.SortStableFunc(candidates, func(a, b candidate) int { return cmp.Compare(a.typos, b.typos) })
	terms := map[string]term{}
	for _, c := range candidates {
		if len(terms[c.Typed]) < maxAlternatives {
			terms[c.Typed] = append(terms[c.Typed], lexeme{word: c.Word})
		}
	}
	return terms
}

package cli

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"memoir/internal/memories"
	"memoir/internal/words"
)

// ranking returns those of an agent's memories that help with a query, the most helpful first, and why.
type ranking func(query string, all []memories.Memory, now time.Time) []choice

// choice is a memory that helps, with what speaks for it.
type choice struct {
	memories.Memory
	Why []string
}

// parts are those of a memory in which words of a query are looked for, with what a word counts there: a name and a description
// say what a memory is about, a body may mention anything.
var parts = []struct {
	name   string
	counts int
	text   func(memories.Memory) string
}{
	{"name", 4, func(m memories.Memory) string { return m.Name }},
	{"description", 2, func(m memories.Memory) string { return m.Description }},
	{"text", 1, func(m memories.Memory) string { return m.Body }},
}

// few memories say nothing about which words are in most of them.
const few = 8

// byWords ranks by the words that a query and a memory have in common, apart from those that most memories have and that so
// tell nothing. Of memories that are as good the newer comes first.
func byWords(query string, all []memories.Memory, _ time.Time) []choice {
	wanted := map[string]bool{}
	for word := range words.All(query) {
		wanted[word] = true
	}
	common := make([][][]string, len(all)) // by memory and part
	having := map[string]int{}             // memories by word
	for i, m := range all {
		anywhere := map[string]bool{}
		for _, part := range parts {
			found := among(wanted, part.text(m))
			common[i] = append(common[i], found)
			for _, word := range found {
				anywhere[word] = true
			}
		}
		for word := range anywhere {
			having[word]++
		}
	}
	tellsNothing := func(word string) bool { return len(all) > few && 2*having[word] > len(all) }

	type ranked struct {
		choice
		score int
	}
	var found []ranked
	for i, m := range all {
		r := ranked{choice: choice{Memory: m}}
		for j, part := range parts {
			for _, word := range slices.DeleteFunc(common[i][j], tellsNothing) {
				r.score += part.counts
				r.Why = append(r.Why, fmt.Sprintf("“%s” is in its %s", word, part.name))
			}
		}
		if r.score > 0 {
			found = append(found, r)
		}
	}
	slices.SortStableFunc(found, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(b.score, a.score), b.ModifiedAt.Compare(a.ModifiedAt))
	})
	best := make([]choice, len(found))
	for i, r := range found {
		best[i] = r.choice
	}
	return best
}

// among returns those of the words that a text has, each once, as they come in it.
func among(wanted map[string]bool, text string) []string {
	var found []string
	for word := range words.All(text) {
		if wanted[word] && !slices.Contains(found, word) {
			found = append(found, word)
		}
	}
	return found
}

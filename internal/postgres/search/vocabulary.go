package search

import (
	"iter"
	"slices"

	"memoir/internal/words"
)

// AppendCorrections appends to all those words of more that can be the correction of a mistyped
// word, and returns the result. They have 3 to 32 letters and no other characters.
func AppendCorrections(all []string, more iter.Seq[string]) []string {
	for word := range more {
		if words.CanBeMeant(word) {
			all = append(all, word)
		}
	}
	return all
}

// Distinct sorts the words in place and returns them without duplicates. The order prevents
// deadlocks of concurrent writers.
func Distinct(all []string) []string {
	slices.Sort(all)
	return slices.Compact(all)
}

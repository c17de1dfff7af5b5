package postgres

import (
	"context"
	"iter"
	"slices"

	"memoir/internal/postgres/internal/queries"
	"memoir/internal/words"
)

// hasNearMisses is the query for whether the database supports fuzzy search.
const hasNearMisses = "SELECT to_regclass('search_words_word_idx') IS NOT NULL"

// NearMisses reports whether fuzzy search is available. It needs the extension pg_trgm, which Open
// looks for.
func (s *Store) NearMisses() bool { return s.nearMisses }

// deleteUnusedWords deletes the words of the texts from the words for fuzzy search. It keeps the
// words that other memories or facts still have.
func deleteUnusedWords(ctx context.Context, q *queries.Queries, texts []queries.TextsOfRow) error {
	var removed []string
	for _, t := range texts {
		removed = appendWords(removed, words.All(t.Name+"\n"+t.Description+"\n"+t.Body))
	}
	return q.DeleteUnusedWords(ctx, distinct(removed))
}

// appendWords appends to all the words in more that can be the correction of a mistyped word: those
// of 3 to 32 letters.
func appendWords(all []string, more iter.Seq[string]) []string {
	for word := range more {
		if words.CanBeMeant(word) {
			all = append(all, word)
		}
	}
	return all
}

// distinct sorts the words in place and returns them without duplicates. Concurrent writers then
// lock rows in the same order.
func distinct(all []string) []string {
	slices.Sort(all)
	return slices.Compact(all)
}

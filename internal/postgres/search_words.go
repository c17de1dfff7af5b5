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

// NearMisses reports whether the database had the index for fuzzy search when Open was called.
// migrate.Run creates that index, if the extension pg_trgm is available.
func (s *Store) NearMisses() bool { return s.nearMisses }

// deleteUnusedWords deletes the words of the texts from the words for fuzzy search. It keeps the
// words that a memory or a fact still has. The texts must be deleted before.
func deleteUnusedWords(ctx context.Context, q *queries.Queries, texts []queries.TextsOfRow) error {
	var removed []string
	for _, t := range texts {
		removed = appendWords(removed, words.All(t.Name+"\n"+t.Description+"\n"+t.Body))
	}
	return q.DeleteUnusedWords(ctx, distinct(removed))
}

// appendWords appends to all those words of more that can be the correction of a mistyped word, and
// returns the result. They have 3 to 32 letters and no other characters.
func appendWords(all []string, more iter.Seq[string]) []string {
	for word := range more {
		if words.CanBeMeant(word) {
			all = append(all, word)
		}
	}
	return all
}

// distinct sorts the words in place and returns them without duplicates. The order prevents
// deadlocks of concurrent writers.
func distinct(all []string) []string {
	slices.Sort(all)
	return slices.Compact(all)
}

package postgres

import (
	"context"
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
	var gone []string
	for _, t := range texts {
		gone = appendWords(gone, t.Name, t.Description, t.Body)
	}
	return q.DeleteUnusedWords(ctx, distinct(gone))
}

// appendWords appends to all the words of the texts that can be the correction of a mistyped word.
func appendWords(all []string, texts ...string) []string {
	for _, text := range texts {
		for word := range words.All(text) {
			if words.CanBeMeant(word) {
				all = append(all, word)
			}
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

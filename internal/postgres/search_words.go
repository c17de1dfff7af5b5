package postgres

import (
	"context"
	"slices"

	"memoir/internal/postgres/internal/queries"
	"memoir/internal/words"
)

// hasNearMisses asks whether the database supports fuzzy search.
const hasNearMisses = "SELECT to_regclass('search_words_word_idx') IS NOT NULL"

// NearMisses reports whether fuzzy search is available. It needs the extension pg_trgm.
func (s *Store) NearMisses() bool { return s.nearMisses }

// deleteUnusedWords deletes words that no memory has any longer.
func deleteUnusedWords(ctx context.Context, q *queries.Queries, texts []queries.TextsOfRow) error {
	var gone []string
	for _, t := range texts {
		gone = appendWords(gone, t.Name, t.Description, t.Body)
	}
	return q.DeleteUnusedWords(ctx, distinct(gone))
}

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

// distinct returns the words sorted and without duplicates. Concurrent writers then lock rows in
// the same order.
func distinct(all []string) []string {
	slices.Sort(all)
	return slices.Compact(all)
}

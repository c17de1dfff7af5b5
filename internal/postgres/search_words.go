package postgres

import (
	"context"

	"memoir/internal/postgres/internal/queries"
	"memoir/internal/postgres/search"
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
		removed = search.AppendCorrections(removed, words.All(t.Name+"\n"+t.Description+"\n"+t.Body))
	}
	return q.DeleteUnusedWords(ctx, search.Distinct(removed))
}

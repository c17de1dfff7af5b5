package postgres

import (
	"context"
	"database/sql"
	"errors"
	"slices"

	"github.com/jackc/pgx/v5/pgconn"

	"memoir/internal/postgres/internal/queries"
	"memoir/internal/words"
)

// hasNearMisses asks whether the database supports fuzzy search.
const hasNearMisses = "SELECT to_regclass('search_words_word_idx') IS NOT NULL"

// NearMisses reports whether fuzzy search is available. It needs the extension pg_trgm.
func (s *Store) NearMisses() bool { return s.nearMisses }

// prepareNearMisses creates pg_trgm and its index, if possible. Some systems have pg_trgm in a
// package of its own, and its creation needs a right in the database.
func prepareNearMisses(ctx context.Context, database *sql.DB) error {
	err := inTx(ctx, database, func(tx *sql.Tx) error {
		// Servers that start at once must not create it at once.
		if _, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1)", migrationLock); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "CREATE EXTENSION IF NOT EXISTS pg_trgm"); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "CREATE INDEX IF NOT EXISTS search_words_word_idx ON search_words USING gin (word gin_trgm_ops)")
		return err
	})
	var refused *pgconn.PgError
	if errors.As(err, &refused) && !endsConnection(refused.Code) {
		return nil // searches go on without
	}
	return err
}

func inTx(ctx context.Context, database *sql.DB, do func(*sql.Tx) error) error {
	tx, err := database.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := do(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

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

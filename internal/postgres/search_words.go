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

// hasNearMisses asks whether the database has what near-misses need.
const hasNearMisses = "SELECT to_regclass('search_words_by_trigram') IS NOT NULL"

// NearMisses reports whether searches find what only comes close, for which the database needs the extension pg_trgm.
func (s *Store) NearMisses() bool { return s.nearMisses }

// prepareNearMisses gives the database what near-misses need, as far as it lets itself be given: pg_trgm comes with
// PostgreSQL, but is a package of its own in places, and needs the right to create in the database.
func prepareNearMisses(ctx context.Context, database *sql.DB) error {
	err := inTx(ctx, database, func(tx *sql.Tx) error {
		// Servers that start at once must not create it at once.
		if _, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1)", migrationLock); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "CREATE EXTENSION IF NOT EXISTS pg_trgm"); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "CREATE INDEX IF NOT EXISTS search_words_by_trigram ON search_words USING gin (word gin_trgm_ops)")
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

// forgetWords takes words out of those that a search may have meant, as far as no memory has them any more.
func forgetWords(ctx context.Context, q *queries.Queries, texts []queries.TextsOfRow) error {
	var gone []string
	for _, t := range texts {
		gone = appendMeant(gone, t.Name, t.Description, t.Body)
	}
	return q.ForgetWords(ctx, distinct(gone))
}

func appendMeant(all []string, texts ...string) []string {
	for _, text := range texts {
		for word := range words.All(text) {
			if words.CanBeMeant(word) {
				all = append(all, word)
			}
		}
	}
	return all
}

// distinct returns the words in order, each once: writers that add the same ones at once then wait for each other and
// never in a circle.
func distinct(all []string) []string {
	slices.Sort(all)
	return slices.Compact(all)
}

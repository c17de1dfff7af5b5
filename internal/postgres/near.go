package postgres

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"

	"github.com/jackc/pgx/v5/pgconn"

	"memoir/internal/postgres/internal/queries"
	"memoir/internal/words"
)

const (
	// mostNearWords is how many typed words may have been meant otherwise; a longer search was pasted.
	mostNearWords = 8
	// mostAlternatives is how many words may stand for one that was typed.
	mostAlternatives = 12
)

// nearSearch returns the search with the words that come close beside each that was typed, and false where there are
// none, or where the database cannot tell.
func nearSearch(ctx context.Context, q *queries.Queries, exact search) (search, bool, error) {
	near := search{phrases: exact.phrases, near: true}
	var typed []string
	for _, t := range exact.terms {
		if words.Slips(t[0].word) > 0 {
			typed = append(typed, t[0].word)
		}
	}
	if len(typed) == 0 || len(typed) > mostNearWords {
		return near, false, nil
	}
	alternatives, err := closeWords(ctx, q, typed)
	if err != nil || len(alternatives) == 0 {
		return near, false, err
	}
	for _, t := range exact.terms {
		near.terms = append(near.terms, append(slices.Clone(t), alternatives[t[0].word]...))
	}
	return near, true, nil
}

// closeWords returns for each typed word the words of memories that come close to it, the closest first.
func closeWords(ctx context.Context, q *queries.Queries, typed []string) (map[string]term, error) {
	rows, err := q.SimilarWords(ctx, typed)
	if err != nil {
		return nil, err
	}
	type candidate struct {
		word  string
		slips int
	}
	candidates := map[string][]candidate{}
	for _, row := range rows {
		if slips, near := words.Distance(row.Typed, row.Word); near && slips > 0 {
			candidates[row.Typed] = append(candidates[row.Typed], candidate{row.Word, slips})
		}
	}
	alternatives := map[string]term{}
	for typed, found := range candidates {
		slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(a.slips, b.slips) })
		for _, c := range found[:min(len(found), mostAlternatives)] {
			alternatives[typed] = append(alternatives[typed], wanted{word: c.word})
		}
	}
	return alternatives, nil
}

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

package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"memoir/internal/postgres/internal/queries"
)

// found reads the memories that hold all words of the search, or, where none does and the list wants them, those that come
// close.
func (s *Store) found(ctx context.Context, of scope, l List, after *place) (rows []listRow, total int, near bool, err error) {
	exact, ok := searchOf(l.Search)
	if !ok {
		return nil, 0, false, nil
	}
	err = s.searching(ctx, of, func(on *searcher) error {
		if after == nil || !after.Near {
			rows, total, err = on.found(ctx, l, exact, after)
			if err != nil || total > 0 || !l.Near || !s.nearMisses || after != nil {
				return err // what holds all words is never followed by what only comes close, also where it has gone since
			}
			if l.Type != "" || l.filtersBeyondTallies() {
				// What a filter leaves out is no reason to offer other words: the person has found the right ones.
				elsewhere, err := List{State: l.State, Search: l.Search, Sort: byRank}.conditions(on.of, exact).total(ctx, on.conn)
				if err != nil || elsewhere > 0 {
					return err
				}
			}
		}
		var sought search
		if sought, near, err = nearSearch(ctx, queries.New(on.conn), exact); err != nil || !near {
			return err
		}
		rows, total, err = on.found(ctx, l, sought, after)
		near = near && total > 0
		return err
	})
	return rows, total, near, err
}

// A searcher asks the search index in one transaction, all of which sees the same.
type searcher struct {
	conn *pgxpool.Conn
	of   scope
}

// beginSearching begins the transaction, in one round trip. The planner underestimates the cost of reading vectors: where
// many match, it would read those of all memories instead of using the index.
const beginSearching = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL enable_seqscan = off"

// searching runs reads that ask the search index.
func (s *Store) searching(ctx context.Context, of scope, do func(*searcher) error) error {
	const doing = "search"
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return wrap(doing, err)
	}
	defer conn.Release() // which closes it if it is still in a transaction
	if _, err := conn.Exec(ctx, beginSearching); err != nil {
		return wrap(doing, err)
	}
	err = do(&searcher{conn: conn, of: of})
	if conn.Conn().PgConn().TxStatus() != 'I' {
		_, _ = conn.Exec(ctx, "ROLLBACK") // it has changed nothing
	}
	return wrap(doing, err)
}

// last reads a page, and ends the transaction in the same round trip.
func (on *searcher) last(ctx context.Context, query string, args pgx.NamedArgs) (page []listRow, err error) {
	var all pgx.Batch
	all.Queue(query, args).Query(func(rows pgx.Rows) error {
		page, err = pgx.CollectRows(rows, scanHit)
		return err
	})
	all.Queue("COMMIT")
	err = on.conn.SendBatch(ctx, &all).Close()
	return page, err
}

// found reads one page of what a search has found, one row more than it shows, and how many hits there are.
func (on *searcher) found(ctx context.Context, l List, sought search, after *place) (rows []listRow, total int, err error) {
	c := l.conditions(on.of, sought)
	if total, err = c.total(ctx, on.conn); err != nil || total == 0 {
		return nil, 0, err
	}
	if l.Sort == byRank {
		rows, err = on.rankedRows(ctx, l, c, total, after)
	} else {
		rows, err = listRows(ctx, on.conn, l, c, after)
	}
	return rows, total, err
}

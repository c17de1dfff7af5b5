package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"memoir/internal/postgres/internal/queries"
)

// together runs the statements that do asks for as one transaction, in one round trip instead of one for each, for BEGIN
// and for COMMIT. They are sent when do returns, so that do can ask for nothing that gives rows, and find rows by their keys.
func (w *Writer) together(ctx context.Context, doing string, do func(*queries.Queries) error) error {
	w.ahead = nil
	var p pipeline
	q := queries.New(&p)
	if err := q.KeepPlans(ctx); err != nil {
		return w.ended(doing, err)
	}
	if err := do(q); err != nil {
		return w.ended(doing, err)
	}
	// What is sent up to one Sync is one transaction to Postgres, whether it is called one or not.
	return w.ended(doing, w.conn.SendBatch(ctx, &p.batch).Close())
}

// withoutWaiting is together, and Postgres answers before the commit is on disk. It is for what the next look or start
// would find out and write down again. Nothing is seen before what was committed before it, and no later commit that waits
// can survive without it.
func (w *Writer) withoutWaiting(ctx context.Context, doing string, do func(*queries.Queries) error) error {
	return w.together(ctx, doing, notWaiting(ctx, do))
}

func notWaiting(ctx context.Context, do func(*queries.Queries) error) func(*queries.Queries) error {
	return func(q *queries.Queries) error {
		if err := q.NeedNotWaitForTheDisk(ctx); err != nil {
			return err
		}
		return do(q)
	}
}

// asked is putTogether over the writer's connection.
func (w *Writer) asked(ctx context.Context, doing string, questions ...func(*queries.Queries) error) error {
	return wrap(doing, putTogether(ctx, w.conn, nil, questions...))
}

// asked is putTogether over any connection.
func (s *Store) asked(ctx context.Context, doing string, questions ...func(*queries.Queries) error) error {
	return wrap(doing, putTogether(ctx, s.pool, nil, questions...))
}

// unhurried asks first, and then carries out do, in one transaction that Postgres answers before it is on disk. It takes two round
// trips, and one where first is nil. What do asks for gives no rows; first is called twice, as by putTogether.
func (s *Store) unhurried(ctx context.Context, first, do func(*queries.Queries) error) error {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release() // which closes it if it is still in a transaction
	if first == nil {
		do = notWaiting(ctx, do)
	} else if err := putTogether(ctx, conn, []string{"BEGIN"}, notWaiting(ctx, first)); err != nil {
		return err
	}
	var p pipeline
	if err := do(queries.New(&p)); err != nil {
		return err
	}
	if first != nil {
		p.batch.Queue("COMMIT")
	}
	return conn.SendBatch(ctx, &p.batch).Close()
}

// sender is a connection, or a pool of them.
type sender interface {
	SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
}

// putTogether puts questions in one round trip, after these statements, and reads their answers. Each is called twice: at first to
// learn what it asks, with no row in any answer, and then with the answers. Without a BEGIN among the statements, all of it is one
// transaction.
func putTogether(ctx context.Context, conn sender, first []string, questions ...func(*queries.Queries) error) error {
	var p questionnaire
	for _, statement := range first {
		p.batch.Queue(statement)
	}
	for _, ask := range questions {
		if err := ask(queries.New(&p)); err != nil {
			return err
		}
	}
	results := conn.SendBatch(ctx, &p.batch)
	answered := queries.New(&answers{p, results})
	for range first {
		if _, err := results.Exec(); err != nil {
			return errors.Join(err, results.Close())
		}
	}
	for _, ask := range questions {
		if err := ask(answered); err != nil {
			return errors.Join(err, results.Close())
		}
	}
	return results.Close()
}

// pipeline collects statements as the generated queries put them.
type pipeline struct {
	batch pgx.Batch
}

var errNoRows = errors.New("postgres: a statement that is sent together with others gives no rows")

func (p *pipeline) Exec(_ context.Context, sql string, arguments ...any) (pgconn.CommandTag, error) {
	p.batch.Queue(sql, arguments...)
	return pgconn.CommandTag{}, nil
}

func (p *pipeline) Query(context.Context, string, ...any) (pgx.Rows, error) { return nil, errNoRows }

func (p *pipeline) QueryRow(context.Context, string, ...any) pgx.Row { return noRow{} }

// CopyFrom asks for each row to be inserted by itself: what is copied has the connection for itself.
func (p *pipeline) CopyFrom(_ context.Context, table pgx.Identifier, columns []string, rows pgx.CopyFromSource) (n int64, err error) {
	names, places := make([]string, len(columns)), make([]string, len(columns))
	for i, column := range columns {
		names[i], places[i] = pgx.Identifier{column}.Sanitize(), fmt.Sprintf("$%d", i+1)
	}
	insert := fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)", table.Sanitize(), strings.Join(names, ", "), strings.Join(places, ", "))
	for ; rows.Next(); n++ {
		values, err := rows.Values()
		if err != nil {
			return n, err
		}
		p.batch.Queue(insert, values...)
	}
	return n, rows.Err()
}

// SendBatch puts the statements among the others. They give no rows either.
func (p *pipeline) SendBatch(_ context.Context, b *pgx.Batch) pgx.BatchResults {
	for _, statement := range b.QueuedQueries {
		p.batch.Queue(statement.SQL, statement.Arguments...)
	}
	return unsent{}
}

// unsent are the results of statements that are sent later, together with others: if one of them fails, all do.
type unsent struct{ pgx.BatchResults }

func (unsent) Exec() (pgconn.CommandTag, error) { return pgconn.CommandTag{}, nil }
func (unsent) Query() (pgx.Rows, error)         { return nil, errNoRows }
func (unsent) QueryRow() pgx.Row                { return noRow{} }
func (unsent) Close() error                     { return nil }

type noRow struct{}

func (noRow) Scan(...any) error { return errNoRows }

// questionnaire collects statements that give rows.
type questionnaire struct{ pipeline }

func (p *questionnaire) Query(ctx context.Context, sql string, arguments ...any) (pgx.Rows, error) {
	p.batch.Queue(sql, arguments...)
	return unanswered{}, nil
}

func (p *questionnaire) QueryRow(ctx context.Context, sql string, arguments ...any) pgx.Row {
	p.batch.Queue(sql, arguments...)
	return unanswered{}
}

// unanswered is what a question gives before it is answered.
type unanswered struct{ pgx.Rows }

func (unanswered) Next() bool        { return false }
func (unanswered) Scan(...any) error { return nil }
func (unanswered) Err() error        { return nil }
func (unanswered) Close()            {}

// answers are those to a questionnaire, in its order.
type answers struct {
	questionnaire
	results pgx.BatchResults
}

func (a *answers) Exec(context.Context, string, ...any) (pgconn.CommandTag, error) {
	return a.results.Exec()
}

func (a *answers) Query(context.Context, string, ...any) (pgx.Rows, error) { return a.results.Query() }

func (a *answers) QueryRow(context.Context, string, ...any) pgx.Row { return a.results.QueryRow() }

// Package postgres stores the values of package records in Postgres and reads them. It translates
// between them and the generated queries, and decides nothing. Store reads, and writes what belongs
// to no scan; Writer is the exclusive connection by which package sync changes one agent's memories
// and files.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync/atomic"
	"syscall"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/records"
)

// maxConnections bounds the pool. It is enough for two cores' scans, requests and the search index,
// and lets several servers share a Postgres with its default of 100.
const maxConnections = 12

// Store reads and writes what Memoir knows. It is safe for concurrent use.
type Store struct {
	pool *pgxpool.Pool
	q    *queries.Queries
	// writers limits the connections of writers. A writer also reads through the pool, so writers
	// must not use all of it.
	writers chan struct{}
	// terms is the number of the last lease period.
	terms atomic.Uint64
	// lastSuccess is the time of the last successful change, in nanoseconds since 1970.
	lastSuccess atomic.Int64
	// closing ends when the store closes; it cancels detached changes.
	closing       context.Context
	cancelClosing context.CancelFunc
	// nearMisses reports whether fuzzy search is available.
	nearMisses bool
}

// Open connects to a database that has Memoir's schema. It fails with ErrUnavailable if the
// database cannot be reached.
func Open(ctx context.Context, url string) (*Store, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("read the database URL: %w", err)
	}
	config.MaxConns = maxConnections
	config.ConnConfig.DialFunc = (&net.Dialer{KeepAliveConfig: keepAlive}).DialContext
	config.ConnConfig.RuntimeParams["application_name"] = "memoir"
	config.ConnConfig.RuntimeParams["timezone"] = "UTC"
	config.AfterConnect = registerUUIDs
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	store := &Store{pool: pool, q: queries.New(pool), writers: make(chan struct{}, maxConnections/2)}
	store.closing, store.cancelClosing = context.WithCancel(context.Background())
	if err := pool.QueryRow(ctx, hasNearMisses).Scan(&store.nearMisses); err != nil {
		store.Close()
		return nil, wrap("open the database", err)
	}
	return store, nil
}

// Close cancels detached changes, waits for running queries and closes every connection.
func (s *Store) Close() {
	s.cancelClosing()
	s.pool.Close()
}

// Ping checks that Postgres responds. It fails with ErrUnavailable if not.
func (s *Store) Ping(ctx context.Context) error { return wrap("ping", s.pool.Ping(ctx)) }

// wrap adds the operation to an error, and translates Postgres' errors into the domain's.
func wrap(doing string, err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, pgx.ErrNoRows) {
		return memories.ErrNotFound
	}
	var refused *pgconn.PgError
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) ||
		(errors.As(err, &refused) && !endsConnection(refused.Code)) {
		return fmt.Errorf("%s: %w", doing, err)
	}
	if errors.As(err, &refused) || isConnectionError(err) {
		return fmt.Errorf("%s: %w: %w", doing, memories.ErrUnavailable, err)
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// endsConnection reports whether an SQLSTATE is of a class that ends connections: 08 connection
// exception, 53 insufficient resources, 57 operator intervention.
func endsConnection(code string) bool {
	return len(code) == 5 && (code[:2] == "08" || code[:2] == "53" || code[:2] == "57")
}

// isConnectionError reports whether an error is a broken or refused connection, and not a bug such
// as a value that cannot be encoded.
func isConnectionError(err error) bool {
	var connecting *pgconn.ConnectError
	return errors.As(err, &connecting) || pgconn.SafeToRetry(err) || isNetworkError(err)
}

func isNetworkError(err error) bool {
	var network net.Error
	return errors.As(err, &network) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, net.ErrClosed) || errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET)
}

var (
	_ records.Agents           = (*Store)(nil)
	_ records.Memories         = (*Store)(nil)
	_ records.Facts            = (*Store)(nil)
	_ records.Disagreements    = (*Store)(nil)
	_ records.AllMemories      = (*Store)(nil)
	_ records.Activity         = (*Store)(nil)
	_ records.Logs             = (*Store)(nil)
	_ records.Recalls          = (*Store)(nil)
	_ records.RecallCandidates = (*Store)(nil)
	_ records.Plans            = (*Store)(nil)
	_ records.Conversations    = (*Store)(nil)
	_ records.Proposals        = (*Store)(nil)
	_ records.Verifications    = (*Store)(nil)
	_ records.Jobs             = (*Store)(nil)
)

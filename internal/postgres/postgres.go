// Package postgres stores the values of package records in Postgres and reads them. It translates
// between them and the generated queries, and decides nothing. Store reads, and writes what belongs
// to no scan; Writer is the exclusive connection by which package sync changes one agent's memories
// and files.
package postgres

import (
	"context"
	"fmt"
	"net"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"memoir/internal/postgres/askedas"
	"memoir/internal/postgres/carried"
	"memoir/internal/postgres/exchange"
	"memoir/internal/postgres/internal/dbconv"
	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/queries"
	"memoir/internal/postgres/lease"
	"memoir/internal/postgres/memorylist"
	"memoir/internal/postgres/overview"
	"memoir/internal/postgres/recalled"
	"memoir/internal/postgres/review"
	"memoir/internal/postgres/targets"
	"memoir/internal/postgres/timeline"
	"memoir/internal/postgres/tokens"
	"memoir/internal/postgres/vectors"
	"memoir/internal/postgres/visible"
	"memoir/internal/records"
)

// maxConnections bounds the pool. It is enough for two cores' scans, requests and the search index,
// and lets several servers share a Postgres with its default of 100.
const maxConnections = 12

// Store reads and writes Memoir's data in one database, through a pool of connections. It is safe
// for concurrent use.
type Store struct {
	*review.Items      // the queue of the review
	*memorylist.Lists  // the lists of the Memory tab
	*overview.Reader   // of all agents
	*carried.Sizes     // what agents carry into conversations
	*timeline.Events   // what happened over time
	*recalled.Reads    // recalls of one memory, statistics
	*vectors.Vectors   // for recall by meaning
	*askedas.Phrases   // the phrases as which memories are asked
	*targets.Chosen    // the files besides CLAUDE.md into which agents are published
	*exchange.Archives // exports, and the state for imports
	*tokens.Tokens     // who may use Memoir, and sign-ins
	pool               *visible.Pool
	q                  *queries.Queries
	// writers limits the connections of writers. A writer also reads through the pool, so writers
	// must not use all of it.
	writers chan struct{}
	// lastSuccess is the time of the last successful change, in nanoseconds since 1970.
	lastSuccess atomic.Int64
	// closing is cancelled when the store closes. It cancels the changes of RunDetached.
	closing       context.Context
	cancelClosing context.CancelFunc
	// nearMisses reports whether fuzzy search is available.
	nearMisses bool
}

// Open connects to a database that has Memoir's schema, which it does not create or upgrade. It
// detects whether fuzzy search is available. It fails with memories.ErrUnavailable if the database
// cannot be reached. The caller must call Close.
func Open(ctx context.Context, url string) (*Store, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("read the database URL: %w", err)
	}
	config.MaxConns = maxConnections
	config.ConnConfig.DialFunc = (&net.Dialer{KeepAliveConfig: lease.KeepAlive}).DialContext
	config.ConnConfig.RuntimeParams["application_name"] = "memoir"
	config.ConnConfig.RuntimeParams["timezone"] = "UTC"
	config.AfterConnect = func(_ context.Context, conn *pgx.Conn) error {
		dbconv.RegisterUUID(conn.TypeMap())
		return nil
	}
	pool, err := visible.New(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	q := queries.New(pool)
	store := &Store{Items: review.NewItems(pool, rowOf), Reader: overview.NewReader(pool), Sizes: carried.New(q), Reads: recalled.New(q), Phrases: askedas.New(pool), Events: timeline.New(pool), Vectors: vectors.New(pool), Chosen: targets.New(q), Archives: exchange.New(pool), Tokens: tokens.New(pool), pool: pool, q: q, writers: make(chan struct{}, maxConnections/2)}
	store.closing, store.cancelClosing = context.WithCancel(context.Background())
	if err := pool.QueryRow(ctx, hasNearMisses).Scan(&store.nearMisses); err != nil {
		store.Close()
		return nil, dberr.Wrap("open the database", err)
	}
	store.Lists = memorylist.New(pool, rowOf, store.nearMisses)
	return store, nil
}

// Close cancels the changes of RunDetached, waits until all connections are returned to the pool,
// and closes them. Connections of OpenLeaseConn stay open.
func (s *Store) Close() {
	s.cancelClosing()
	s.pool.Close()
}

// inTx runs do in one transaction. It commits if do returns nil, else it rolls back. It returns the
// error with the text of doing before it, translated by dberr.Wrap.
func (s *Store) inTx(ctx context.Context, doing string, do func(*queries.Queries) error) error {
	return dberr.Wrap(doing, pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error { return do(s.q.WithTx(tx)) }))
}

// Ping sends an empty statement to Postgres and waits for the answer. It fails with
// memories.ErrUnavailable if Postgres cannot be reached; if ctx ends first, with the error of ctx.
func (s *Store) Ping(ctx context.Context) error { return dberr.Wrap("ping", s.pool.Ping(ctx)) }

var (
	_ records.Agents           = (*Store)(nil)
	_ records.Memories         = (*Store)(nil)
	_ records.Facts            = (*Store)(nil)
	_ records.Disagreements    = (*Store)(nil)
	_ records.AllMemories      = (*Store)(nil)
	_ records.Activity         = (*Store)(nil)
	_ records.Logs             = (*Store)(nil)
	_ records.Recalls          = (*Store)(nil)
	_ records.AskedAsPhrases   = (*Store)(nil)
	_ records.RecallCandidates = (*Store)(nil)
	_ records.Plans            = (*Store)(nil)
	_ records.Conversations    = (*Store)(nil)
	_ records.Proposals        = (*Store)(nil)
	_ records.Verifications    = (*Store)(nil)
	_ records.Jobs             = (*Store)(nil)
	_ records.Overview         = (*Store)(nil)
)

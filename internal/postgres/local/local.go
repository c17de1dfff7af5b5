// Package local runs the private Postgres server that Memoir uses without --database-url. It owns
// the lock of the data directory, the cluster, the server's processes and sockets. It never deletes
// or overwrites a cluster, never changes directories of other programs, and knows nothing of
// Memoir's tables. cmd/server and package pgtest start it.
//
// The server opens no TCP port. Its socket is in a directory with mode 0700, and peer
// authentication admits only the user who runs Memoir. Memoir connects as the role "memoir", which
// is no superuser. As root, the server runs as the owner of the cluster or of the data directory,
// or as an unprivileged user. The type cluster describes the data directory.
package local

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
)

// Errors of Start. The wrapping message tells the user what to do.
var (
	ErrNoPostgres = errors.New("no PostgreSQL found")
	ErrInUse      = errors.New("data directory in use")
	ErrVersion    = errors.New("data directory of another PostgreSQL version")
	ErrForeign    = errors.New("not a data directory of Memoir") // also from Server.Err
	ErrAccess     = errors.New("data directory out of reach")
)

// Options configure Start.
type Options struct {
	DataDir string       // created if missing; contains the cluster
	Log     *slog.Logger // nil means slog.Default()

	BinDirs        []string // with initdb and postgres; nil means PATH, usualDirs, then npm
	MaxConnections int      // 0 means 40
	NoSync         bool     // faster, but not safe against power cuts; for tests
	Schema         int64    // version of the migrated tables; older clusters are copied first if not 0
}

// Server is a running private Postgres. It is restarted if it ends before Stop.
type Server struct {
	url     string
	cluster *cluster
	log     *slog.Logger

	stopping context.Context // ends with Stop
	stop     context.CancelFunc
	hurry    context.Context // ends if Stop cannot wait for a clean shutdown
	kill     context.CancelFunc
	done     chan struct{} // closed after the end
	err      error         // why it ended without Stop; set before done is closed
}

// Start starts the private server and returns when it accepts connections. It creates a missing
// cluster, backs up one with older tables, and ends processes that a crash left. ctx limits only
// the start. A server that ends later is restarted until Stop, which the caller must call. Errors
// to test for are ErrNoPostgres, ErrInUse, ErrVersion, ErrForeign, ErrAccess and ctx's. After an
// error, no server runs and existing data is unchanged.
func Start(ctx context.Context, opts Options) (*Server, error) {
	server, err := start(ctx, opts)
	if err != nil {
		return nil, fmt.Errorf("start the private Postgres: %w", cmp.Or(ctx.Err(), err))
	}
	return server, nil
}

func start(ctx context.Context, opts Options) (*Server, error) {
	if opts.Log == nil {
		opts.Log = slog.Default()
	}
	if opts.MaxConnections == 0 {
		opts.MaxConnections = 40
	}
	cluster, err := openCluster(ctx, opts)
	if err != nil {
		return nil, err
	}
	running, err := cluster.bringUp(ctx)
	if err != nil {
		cluster.close()
		return nil, err
	}
	server := &Server{url: cluster.run.url("memoir", "memoir"), cluster: cluster, log: opts.Log, done: make(chan struct{})}
	server.stopping, server.stop = context.WithCancel(context.Background())
	server.hurry, server.kill = context.WithCancel(context.Background())
	go server.supervise(running)
	return server, nil
}

// URL returns the connection string of Memoir's database for pgx and libpq. It contains no secret,
// works only for the user who called Start, and stays the same after a restart.
func (s *Server) URL() string { return s.url }

// Stop shuts the server down and unlocks the data directory. Open transactions are rolled back. If
// ctx ends first, it ends Postgres immediately and returns an error that wraps ctx's. No committed
// data is lost then, but the next start takes longer. A second call waits for the end and returns
// nil.
func (s *Server) Stop(ctx context.Context) error {
	s.stop()
	select {
	case <-s.done:
		return nil
	case <-ctx.Done():
		s.kill()
		<-s.done
		return fmt.Errorf("stop the private Postgres: killed before a clean shutdown, recovers at its next start: %w", ctx.Err())
	}
}

// Done returns a channel that is closed when the server has ended and will not be restarted: after
// Stop, or if it cannot be restarted.
func (s *Server) Done() <-chan struct{} { return s.done }

// Err returns ErrForeign if the server ended without Stop and its cluster is missing or no cluster.
// It is nil before Done is closed and after Stop.
func (s *Server) Err() error {
	select {
	case <-s.done:
		return s.err
	default:
		return nil
	}
}

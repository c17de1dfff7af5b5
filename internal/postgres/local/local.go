// Package local runs the private Postgres server that Memoir uses when nobody named a database. It owns the lock on the
// data directory, the cluster in it, the server's processes and their sockets, from the first initdb to the last
// shutdown. It never wipes a cluster or makes one over another, never changes a directory that Memoir did not make, and
// knows nothing of Memoir's tables. cmd/server starts it, and package pgtest does for tests.
//
// # Safety
//
// The server opens no TCP port. Its socket lies in a directory of mode 0700, so other users cannot reach it, and it
// asks the kernel who connects (peer authentication): only the user who runs Memoir is let in, not even the server's
// own system user when that is another one. So there is no password that could leak. Memoir connects as the role
// "memoir", which owns its database and is no superuser: a statement that slipped through could not read files or start
// programs. The programs get a bare environment, without Memoir's tokens, and the server logs neither statements nor
// values.
//
// Postgres refuses to run as root. Started by root, it runs as the owner of the cluster or of the data directory, else
// as the user postgres, else as nobody. That user often cannot walk to the data directory (root's home is closed to
// it), and no permission is loosened for it: on Linux the server inherits the opened directories, and reaches them as
// /proc/self/fd/N.
//
// # Layout of the data directory
//
//	memoir.lock       held by flock while Memoir runs, the holder's process id inside
//	postgres/         the cluster
//	postgres.init-*   a cluster that is being made; renamed when it is whole, removed when it was left half made
//	schema            the version of the tables, written by SetSchema
//	postgres.before-N a copy of the cluster from before its tables were upgraded to version N, kept for 30 days
//	run/              the socket and who may connect; a link to a temporary directory when the path is too long
package local

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
)

// Reasons why Start gives no server. The message that wraps them says what to do.
var (
	ErrNoPostgres = errors.New("no PostgreSQL found")
	ErrInUse      = errors.New("data directory in use")
	ErrVersion    = errors.New("data directory of another PostgreSQL version")
	ErrForeign    = errors.New("not a data directory of Memoir") // or it has stopped being one: see Done
	ErrAccess     = errors.New("data directory out of reach")
)

// Options says where the server keeps its data and how it runs.
type Options struct {
	DataDir string       // made when missing; the cluster is below it
	Log     *slog.Logger // nil: slog.Default()

	BinDirs        []string // where to look for initdb and postgres, in order; nil: PATH, then the usual places
	MaxConnections int      // 0: 40
	NoSync         bool     // gives up safety against power cuts for speed, for tests
	Schema         int64    // version to which the tables are brought; a cluster of an earlier one is copied first; 0: never
}

// Server is a running private Postgres. It is restarted whenever it dies before Stop.
type Server struct {
	url     string
	cluster *cluster
	log     *slog.Logger

	stopOnce sync.Once
	stopping chan struct{} // closed: shut down
	hurryOne sync.Once
	hurry    chan struct{} // closed: do not wait for a clean shutdown
	done     chan struct{} // closed: everything has ended
	err      error         // why it ended without Stop; set before done is closed
}

// Start brings up the private server on the data directory and returns once it takes connections and has the database
// of URL. A missing cluster is made; one left behind by a crash is taken over, its orphaned processes being ended
// first. ctx ends the wait, not the server.
//
// It fails with ErrNoPostgres, ErrInUse, ErrVersion, ErrForeign or ErrAccess, each in a message for the person who
// started Memoir, and has then changed nothing that was there; with the error of ctx where that has ended.
func Start(ctx context.Context, opts Options) (*Server, error) {
	server, err := start(ctx, opts)
	if err != nil && ctx.Err() != nil {
		err = ctx.Err() // what failed was given up
	}
	if err != nil {
		return nil, fmt.Errorf("start the private Postgres: %w", err)
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
	server := &Server{
		url:      cluster.run.url("memoir", "memoir"),
		cluster:  cluster,
		log:      opts.Log,
		stopping: make(chan struct{}),
		hurry:    make(chan struct{}),
		done:     make(chan struct{}),
	}
	go server.supervise(running)
	return server, nil
}

// URL is the connection string of Memoir's database, for pgx and libpq alike. It names a Unix socket, holds no secret,
// works only for the user who called Start, and stays the same across restarts of the server.
func (s *Server) URL() string { return s.url }

// Stop shuts the server down: open transactions are rolled back, everything committed is on disk, the data directory is
// free for the next. When ctx ends first, Postgres is ended at once, which loses nothing but makes the next start
// recover, and the error says so. Calling it again waits for the same end.
func (s *Server) Stop(ctx context.Context) error {
	s.stopOnce.Do(func() { close(s.stopping) })
	select {
	case <-s.done:
		return nil
	case <-ctx.Done():
		s.hurryOne.Do(func() { close(s.hurry) })
		<-s.done
		return fmt.Errorf("the private Postgres was ended before it had shut down and recovers at its next start: %w", ctx.Err())
	}
}

// Done is closed when the server has ended for good: after Stop, or when it died and cannot be restarted (see Err).
func (s *Server) Done() <-chan struct{} { return s.done }

// Err says why the server ended for good without Stop. It is nil until Done is closed, and after Stop.
func (s *Server) Err() error {
	select {
	case <-s.done:
		return s.err
	default:
		return nil
	}
}

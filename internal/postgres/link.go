package postgres

import (
	"context"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/queries"
)

// Link is the one connection that a server keeps for itself beside the pool. It holds the server's leases, and hears what
// the other servers of the database tell. When it ends, for whatever reason, Postgres gives its leases to whoever asks
// next: that is how a server that dies lets go. It is safe for concurrent use.
type Link struct {
	conn  *pgx.Conn
	hear  func(payload string)
	terms *atomic.Uint64
	// jobs are what is to be done over the connection; whoever sends one interrupts the waiting for what others tell.
	jobs      chan func()
	interrupt atomic.Pointer[context.CancelFunc]
	running   context.Context // ends when the link is closed
	stop      context.CancelFunc
	done      chan struct{}
	err       error // why it ended, once done is closed

	mu   sync.Mutex
	held map[int64]uint64 // agents, with the term that the lease is held for
}

// patience is how long anything may take that is done over a link. One that takes longer has lost its Postgres.
const patience = 10 * time.Second

// parting is how long a link takes leave of Postgres before it goes all the same.
const parting = time.Second

// A machine that is switched off says nothing, neither to Postgres nor as Postgres: both ends ask after 5 s of silence, and
// give up after three questions, 2 s apart. Over a socket of the same machine neither is needed.
var keepAlive = net.KeepAliveConfig{Enable: true, Idle: 5 * time.Second, Interval: 2 * time.Second, Count: 3}

const prepareLink = `
SET tcp_keepalives_idle = 5;
SET tcp_keepalives_interval = 2;
SET tcp_keepalives_count = 3;
SET idle_session_timeout = 0;
LISTEN memoir`

// Link opens a link. hear is called for each thing that another server tells, one after the other, and must not wait for
// anything. It fails with ErrUnavailable.
func (s *Store) Link(ctx context.Context, hear func(payload string)) (*Link, error) {
	config := s.pool.Config().ConnConfig.Copy()
	config.RuntimeParams["application_name"] = "memoir link"
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, wrap("open the link", err)
	}
	if _, err := conn.Exec(ctx, prepareLink, pgx.QueryExecModeSimpleProtocol); err != nil {
		conn.Close(ctx) //nolint:errcheck // it is of no use
		return nil, wrap("open the link", err)
	}
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	l := &Link{
		conn: conn, hear: hear, terms: &s.terms, running: running, stop: stop, done: make(chan struct{}), held: map[int64]uint64{},
		jobs: make(chan func(), 16),
	}
	nobodyWaits := context.CancelFunc(func() {})
	l.interrupt.Store(&nobodyWaits)
	go l.run()
	return l, nil
}

// run hears what others tell, and in between does what is to be done.
func (l *Link) run() {
	defer close(l.done)
	for l.err == nil {
		// In this order no job is overlooked: it is either seen here, or sent after that, and then it ends the waiting.
		waiting, interrupt := context.WithCancel(l.running)
		l.interrupt.Store(&interrupt)
		select {
		case job := <-l.jobs:
			job()
		default:
			l.listen(waiting)
			if l.running.Err() != nil {
				l.err = memories.ErrUnavailable // closed by its owner
			}
		}
		interrupt()
	}
	l.mu.Lock()
	l.held = nil
	l.mu.Unlock()
	closing, cancel := context.WithTimeout(context.Background(), parting)
	defer cancel()
	l.conn.Close(closing) //nolint:errcheck // it has ended, one way or another
}

// listen hears one thing, unless the waiting for it is interrupted. What this server tells comes back to it, and is no news.
func (l *Link) listen(waiting context.Context) {
	told, err := l.conn.WaitForNotification(waiting)
	if told != nil && told.PID != l.conn.PgConn().PID() {
		l.hear(told.Payload)
	}
	if l.conn.IsClosed() {
		l.err = fmt.Errorf("listen to the other servers: %w: %w", memories.ErrUnavailable, err)
	}
}

// do has something done over the connection, and waits for it, at most patience. No request of a user can cut it short: that
// would end the connection, and every lease with it.
func (l *Link) do(doing string, work func(context.Context, *queries.Queries) error) error {
	result := make(chan error, 1)
	job := func() {
		ctx, cancel := context.WithTimeout(l.running, patience)
		defer cancel()
		result <- work(ctx, queries.New(l.conn))
	}
	select {
	case l.jobs <- job:
	case <-l.done:
		return wrap(doing, l.err)
	}
	(*l.interrupt.Load())()
	select {
	case err := <-result:
		return wrap(doing, err)
	case <-l.done:
		return wrap(doing, l.err)
	}
}

// Tell tells the other servers, in this order. A payload takes at most MaxTold bytes.
func (l *Link) Tell(payloads []string) error {
	return l.do("tell the other servers", func(ctx context.Context, q *queries.Queries) error {
		return q.Tell(ctx, payloads)
	})
}

// MaxTold is the largest payload of a notification, in bytes: Postgres refuses 8,000.
const MaxTold = 7_999

// Done closes when the link has ended.
func (l *Link) Done() <-chan struct{} { return l.done }

// Err says why the link has ended, once Done is closed.
func (l *Link) Err() error { return l.err }

// Close lets go of every lease and ends the link, cutting short what is being done over it.
func (l *Link) Close() {
	l.stop()
	<-l.done
}

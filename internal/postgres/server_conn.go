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

// ServerConn is a server's own connection outside of the pool. It holds the server's leases and
// receives messages of other servers. If it ends, Postgres releases the leases. It is safe for
// concurrent use.
type ServerConn struct {
	conn      *pgx.Conn
	onMessage func(payload string)
	terms     *atomic.Uint64
	// jobs are to be run on the connection. A sender must call interrupt, which ends the wait for
	// messages.
	jobs      chan func()
	interrupt atomic.Pointer[context.CancelFunc]
	running   context.Context // ends when the connection is closed
	stop      context.CancelFunc
	done      chan struct{}
	err       error // why it ended; set when done is closed

	mu   sync.Mutex
	held map[int64]uint64 // terms of held leases, by agent
}

// serverConnTimeout limits each statement. After it, the connection counts as lost.
const serverConnTimeout = 10 * time.Second

// serverConnCloseTimeout limits the closing of the connection.
const serverConnCloseTimeout = time.Second

// keepAlive detects a machine that was switched off: after 5 s of silence, three probes follow, 2 s
// apart. Postgres uses the same values.
var keepAlive = net.KeepAliveConfig{Enable: true, Idle: 5 * time.Second, Interval: 2 * time.Second, Count: 3}

const prepareServerConn = `
SET tcp_keepalives_idle = 5;
SET tcp_keepalives_interval = 2;
SET tcp_keepalives_count = 3;
SET idle_session_timeout = 0;
LISTEN memoir`

// OpenServerConn opens the connection. onMessage is called for each message of another server, one
// after the other, and must not block. It fails with ErrUnavailable.
func (s *Store) OpenServerConn(ctx context.Context, hear func(payload string)) (*ServerConn, error) {
	config := s.pool.Config().ConnConfig.Copy()
	config.RuntimeParams["application_name"] = "memoir link"
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, wrap("open the link", err)
	}
	if _, err := conn.Exec(ctx, prepareServerConn, pgx.QueryExecModeSimpleProtocol); err != nil {
		conn.Close(ctx) //nolint:errcheck // it is of no use
		return nil, wrap("open the link", err)
	}
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	l := &ServerConn{
		conn: conn, onMessage: hear, terms: &s.terms, running: running, stop: stop, done: make(chan struct{}), held: map[int64]uint64{},
		jobs: make(chan func(), 16),
	}
	nobodyWaits := context.CancelFunc(func() {})
	l.interrupt.Store(&nobodyWaits)
	go l.run()
	return l, nil
}

// run receives messages, and runs jobs between them.
func (l *ServerConn) run() {
	defer close(l.done)
	for l.err == nil {
		// This order misses no job: it is either found here, or sent later, and then it interrupts
		// the wait.
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
	closing, cancel := context.WithTimeout(context.Background(), serverConnCloseTimeout)
	defer cancel()
	l.conn.Close(closing) //nolint:errcheck // it has ended, one way or another
}

// listen waits for one message, unless it is interrupted. It ignores messages of this server.
func (l *ServerConn) listen(waiting context.Context) {
	told, err := l.conn.WaitForNotification(waiting)
	if told != nil && told.PID != l.conn.PgConn().PID() {
		l.onMessage(told.Payload)
	}
	if l.conn.IsClosed() {
		l.err = fmt.Errorf("listen to the other servers: %w: %w", memories.ErrUnavailable, err)
	}
}

// do runs work on the connection and waits for it, at most serverConnTimeout. It takes no context
// of a request, because a cancellation would close the connection and release every lease.
func (l *ServerConn) do(doing string, work func(context.Context, *queries.Queries) error) error {
	result := make(chan error, 1)
	job := func() {
		ctx, cancel := context.WithTimeout(l.running, serverConnTimeout)
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

// Notify sends messages to the other servers, in order. A payload has at most MaxPayload bytes.
func (l *ServerConn) Notify(payloads []string) error {
	return l.do("tell the other servers", func(ctx context.Context, q *queries.Queries) error {
		return q.Notify(ctx, payloads)
	})
}

// MaxPayload is the largest payload of a notification, in bytes. Postgres refuses 8,000.
const MaxPayload = 7_999

// Done is closed when the connection has ended.
func (l *ServerConn) Done() <-chan struct{} { return l.done }

// Err returns why the connection has ended, once Done is closed.
func (l *ServerConn) Err() error { return l.err }

// Close releases every lease and closes the connection. It interrupts running work.
func (l *ServerConn) Close() {
	l.stop()
	<-l.done
}

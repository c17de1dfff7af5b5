// Package lease keeps a server's own connection to Postgres. Through it the server holds leases of
// agents, and exchanges messages with the other servers that use the database.
//
// The server with an agent's lease watches its directory, scans it, writes its CLAUDE.md, and runs
// requests for it. A lease is an advisory lock of the connection's session. It prevents duplicate
// work. The lock of postgres.Store.WithAgent prevents concurrent work while a lease moves.
package lease

import (
	"context"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"memoir/internal/memories"
	"memoir/internal/postgres/internal/dberr"
	"memoir/internal/postgres/internal/queries"
)

const (
	// statementTimeout limits each statement. After it, the connection counts as lost. Arbitrary.
	statementTimeout = 10 * time.Second
	// closeTimeout limits the closing of the connection. Arbitrary.
	closeTimeout = time.Second
	// MaxPayload is the largest payload of a message, in bytes. Postgres refuses 8,000.
	MaxPayload = 7_999
)

// KeepAlive detects a machine that was switched off: after 5 s of silence, three probes follow, 2 s
// apart. Postgres uses the same values for its side of the connection.
var KeepAlive = net.KeepAliveConfig{Enable: true, Idle: 5 * time.Second, Interval: 2 * time.Second, Count: 3}

const prepare = `
SET tcp_keepalives_idle = 5;
SET tcp_keepalives_interval = 2;
SET tcp_keepalives_count = 3;
SET idle_session_timeout = 0;
LISTEN memoir`

// Conn is a server's own connection to Postgres. It holds the server's leases and exchanges
// messages with other servers. If it ends, Postgres releases its leases. It is safe for concurrent
// use.
type Conn struct {
	conn      *pgx.Conn
	onMessage func(payload string)
	// jobs are functions to run on the connection. A sender must call interrupt, which ends the wait
	// for messages.
	jobs      chan func()
	interrupt atomic.Pointer[context.CancelFunc]
	running   context.Context // ends when the connection is closed
	stop      context.CancelFunc
	done      chan struct{}
	err       error // why the connection ended; set when done is closed

	mu   sync.Mutex
	held map[int64]uint64 // terms of held leases, by agent
}

// Open connects to a database. It calls onMessage with each message that any other connection
// sends, of this server too, one at a time; onMessage must not block. It fails with
// memories.ErrUnavailable if the database cannot be reached. The end of ctx only stops the
// connecting. The caller must call Close.
func Open(ctx context.Context, config *pgx.ConnConfig, onMessage func(payload string)) (*Conn, error) {
	config = config.Copy()
	config.RuntimeParams["application_name"] = "memoir link"
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, dberr.Wrap("open the link", err)
	}
	if _, err := conn.Exec(ctx, prepare, pgx.QueryExecModeSimpleProtocol); err != nil {
		conn.Close(ctx) //nolint:errcheck // it is of no use
		return nil, dberr.Wrap("open the link", err)
	}
	c := &Conn{conn: conn, onMessage: onMessage, done: make(chan struct{}), held: map[int64]uint64{}, jobs: make(chan func(), 16)}
	c.running, c.stop = context.WithCancel(context.WithoutCancel(ctx))
	notWaiting := context.CancelFunc(func() {})
	c.interrupt.Store(&notWaiting)
	go c.run()
	return c, nil
}

// run receives messages and runs jobs between them, until the connection is lost or closed. At the
// end, c.err has the reason. It then forgets the held leases, closes the connection, and closes
// done.
func (c *Conn) run() {
	defer close(c.done)
	for c.err == nil {
		// This order misses no job: it is either found here, or sent later, and then it interrupts
		// the wait.
		waiting, interrupt := context.WithCancel(c.running)
		c.interrupt.Store(&interrupt)
		select {
		case job := <-c.jobs:
			job()
		default:
			c.receive(waiting)
			if c.running.Err() != nil {
				c.err = memories.ErrUnavailable // closed by Close
			}
		}
		interrupt()
	}
	c.mu.Lock()
	c.held = nil
	c.mu.Unlock()
	closing, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	c.conn.Close(closing) //nolint:errcheck // the connection has ended in any case
}

// receive waits for one message and calls onMessage with it, unless this connection sent it. It
// returns without a message when waiting ends. If the connection is lost, it sets c.err.
func (c *Conn) receive(waiting context.Context) {
	message, err := c.conn.WaitForNotification(waiting)
	if message != nil && message.PID != c.conn.PgConn().PID() {
		c.onMessage(message.Payload)
	}
	if c.conn.IsClosed() {
		c.err = fmt.Errorf("listen to the other servers: %w: %w", memories.ErrUnavailable, err)
	}
}

// do runs work on the connection, and returns its error with the text of doing before it. It
// cancels work after 10 seconds, and the connection is then lost. If the connection has ended, do
// returns the reason, memories.ErrUnavailable. It has no context of a request, because its
// cancellation would close the connection and release every lease.
func (c *Conn) do(doing string, work func(context.Context, *queries.Queries) error) error {
	result := make(chan error, 1)
	job := func() {
		ctx, cancel := context.WithTimeout(c.running, statementTimeout)
		defer cancel()
		result <- work(ctx, queries.New(c.conn))
	}
	select {
	case c.jobs <- job:
	case <-c.done:
		return dberr.Wrap(doing, c.err)
	}
	(*c.interrupt.Load())()
	select {
	case err := <-result:
		return dberr.Wrap(doing, err)
	case <-c.done:
		return dberr.Wrap(doing, c.err)
	}
}

// Notify sends the payloads as messages to all other servers, in order. It sends none and fails if
// a payload has more than MaxPayload bytes. It fails with memories.ErrUnavailable if the connection
// has ended. Servers that are not connected never receive the messages.
func (c *Conn) Notify(payloads []string) error {
	return c.do("tell the other servers", func(ctx context.Context, q *queries.Queries) error {
		return q.Notify(ctx, payloads)
	})
}

// Done returns a channel that is closed when the connection has ended: after Close, or when it is
// lost.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Err returns the error that ended the connection. errors.Is finds memories.ErrUnavailable in it,
// after Close and after a loss. Callers must first wait until the channel of Done is closed.
func (c *Conn) Err() error { return c.err }

// Close cancels running work and closes the connection, which releases every lease. It waits until
// the connection is closed. It may be called again.
func (c *Conn) Close() {
	c.stop()
	<-c.done
}

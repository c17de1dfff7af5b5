// Package linetest is a proxy between Memoir and Postgres for tests. It can lose a request before
// Postgres receives it, or the answer after Postgres has executed it. The client does then not know
// whether a commit happened. It can also cut all connections or freeze them. Only tests use it.
package linetest

import (
	"context"
	"fmt"
	"net"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Fate is the outcome of a request that a Line forwards.
type Fate int

// After NotSent and Unanswered the connection ends, as after a crash of the server or network.
const (
	Answered   Fate = iota // executed, and the answer arrives
	NotSent                // Postgres never receives it
	Unanswered             // Postgres executes it, and the answer is lost
)

// Line is a proxy between clients and one database.
type Line struct {
	// URL is the URL of the database through the line.
	URL string

	fate     func(request string) Fate
	listener net.Listener
	server   string // Unix socket of the database server
	running  sync.WaitGroup

	silent sync.RWMutex // locked for writing while nothing is forwarded
	mu     sync.Mutex
	cut    bool
	open   map[net.Conn]struct{}
}

// New starts a line to a database of package pgtest, and stops it at the end of the test. fate
// returns the outcome of each request, and may be called concurrently; nil means Answered for all.
// Its argument is the sqlc query's name, or the first words of the statement, such as "commit".
// Names of statements in one batch are joined by ", ". Messages that only prepare a statement or
// ping are no requests.
func New(t testing.TB, database string, fate func(request string) Fate) *Line {
	t.Helper()
	config, err := pgx.ParseConfig(database)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if fate == nil {
		fate = func(string) Fate { return Answered }
	}
	l := &Line{
		URL:  fmt.Sprintf("postgres://%s@%s/%s?sslmode=disable", config.User, listener.Addr(), config.Database),
		fate: fate, listener: listener, server: fmt.Sprintf("%s/.s.PGSQL.%d", config.Host, config.Port),
		open: map[net.Conn]struct{}{},
	}
	l.running.Go(l.accept)
	t.Cleanup(func() {
		_ = listener.Close()
		l.Cut()
		l.running.Wait()
	})
	return l
}

func (l *Line) accept() {
	for {
		client, err := l.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("unix", l.server)
		if err != nil || !l.keep(client, server) {
			_ = client.Close()
			continue
		}
		l.running.Go(func() { l.serve(client, server) })
	}
}

// keep registers both ends of a connection as open and returns true. If the line is cut, it
// registers neither, closes server but not client, and returns false.
func (l *Line) keep(client, server net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cut {
		_ = server.Close()
		return false
	}
	l.open[client], l.open[server] = struct{}{}, struct{}{}
	return true
}

func (l *Line) end(client, server net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, conn := range []net.Conn{client, server} {
		delete(l.open, conn)
		_ = conn.Close()
	}
}

// Cut closes all connections, and each new one immediately after it is opened, until Resume is
// called.
func (l *Line) Cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = true
	for conn := range l.open {
		_ = conn.Close()
	}
}

// Resume permits new connections after Cut. Connections that Cut has closed stay closed.
func (l *Line) Resume() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = false
}

// Silence stops the forwarding of messages in both directions until end is called, like a frozen
// machine. All connections stay open, and withheld messages are sent after end. The caller must
// call end exactly once.
func (l *Line) Silence() (end func()) {
	l.silent.Lock()
	return l.silent.Unlock
}

// Connections returns the number of client connections that are open now.
func (l *Line) Connections() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.open) / 2
}

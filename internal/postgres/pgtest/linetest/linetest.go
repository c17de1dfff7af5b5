// Package linetest is the line between Memoir and its Postgres as tests need it: one that can be lost. It understands the
// stream of messages just enough to lose a request before Postgres gets it, or the answer after Postgres has carried it
// out, which is how a commit comes about that nobody heard of. It can also be cut, or fall silent, as a whole. Only tests
// use it.
package linetest

import (
	"context"
	"fmt"
	"net"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Fate is what becomes of a request.
type Fate int

// The fates. In the last two the connection ends with the request, as it does when a server or a network dies.
const (
	Answered   Fate = iota // it is carried out, and the answer arrives
	NotSent                // Postgres never gets it
	Unanswered             // Postgres carries it out, and the answer is lost
)

// Line hands on what is said between its clients and one database.
type Line struct {
	// URL is that of the database, by way of the line.
	URL string

	fate     func(request string) Fate
	listener net.Listener
	server   string // the Unix socket of the database's server
	running  sync.WaitGroup

	silent sync.RWMutex // held for writing: nothing comes through
	mu     sync.Mutex
	cut    bool
	open   map[net.Conn]struct{}
}

// New lays a line to a database of package pgtest. It is taken up when the test ends.
//
// fate is asked about each request, by its name: that of its query, or the statement's first words in lower case, such as
// "commit". Several requests of different connections are asked about at the same time. What only prepares a statement, or
// asks whether the connection still stands, is no request. A nil fate lets all through.
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

// keep notes an open connection, unless the line is cut.
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

// Cut ends every connection, and every new one at once, until Mend.
func (l *Line) Cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = true
	for conn := range l.open {
		_ = conn.Close()
	}
}

// Mend lets connections be made again after Cut.
func (l *Line) Mend() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = false
}

// Silence leaves every connection open and lets nothing through, which is what a frozen machine looks like, until the
// returned function is called.
func (l *Line) Silence() (end func()) {
	l.silent.Lock()
	return l.silent.Unlock
}

// Connections counts the connections that are open.
func (l *Line) Connections() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.open) / 2
}

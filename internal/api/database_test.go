package api_test

import (
	"fmt"
	"net"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
)

// execute runs a statement past Memoir.
func execute(t *testing.T, url, statement string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}

// line is a connection to Postgres that stays open while nothing comes through: what a frozen machine or a lost
// network looks like.
type line struct {
	url    string
	silent sync.RWMutex // held for writing: nothing comes through
}

func connect(t *testing.T, database string) *line {
	t.Helper()
	config, err := pgx.ParseConfig(database)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &line{url: fmt.Sprintf("postgres://%s@%s/%s?sslmode=disable", config.User, listener.Addr(), config.Database)}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("unix", fmt.Sprintf("%s/.s.PGSQL.%d", config.Host, config.Port))
			if err != nil {
				_ = client.Close()
				continue
			}
			running.Go(func() { l.pass(client, server) })
			running.Go(func() { l.pass(server, client) })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		running.Wait()
	})
	return l
}

// pass hands on what comes until one side ends.
func (l *line) pass(from, to net.Conn) {
	defer to.Close()
	chunk := make([]byte, 32<<10)
	for {
		n, err := from.Read(chunk)
		l.silent.RLock()
		_, failed := to.Write(chunk[:n])
		l.silent.RUnlock()
		if err != nil || failed != nil {
			return
		}
	}
}

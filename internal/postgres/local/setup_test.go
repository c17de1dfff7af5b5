package local_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"memoir/internal/postgres/local"
)

// fixture is a data directory and the server on it.
type fixture struct {
	t   *testing.T
	ctx context.Context
	dir string
	log *captured
}

// setup returns a data directory that does not exist, in a directory that only the tests' user can
// access.
func setup(t *testing.T) *fixture {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	t.Cleanup(cancel)
	// Paths of t.TempDir contain the test's name and are too long for sockets.
	home, err := os.MkdirTemp("", "memoir-local-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(home); err != nil {
			t.Error(err)
		}
	})
	return &fixture{t, ctx, filepath.Join(home, "share", "memoir"), &captured{}}
}

func (f *fixture) options() local.Options {
	logger := slog.New(slog.NewTextHandler(f.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	return local.Options{DataDir: f.dir, Log: logger, NoSync: true}
}

func (f *fixture) start() *local.Server {
	f.t.Helper()
	server, err := local.Start(f.ctx, f.options())
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { f.stop(server) })
	return server
}

func (f *fixture) stop(server *local.Server) {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	if err := server.Stop(ctx); err != nil {
		f.t.Error(err)
	}
}

// pgdata returns the path of the cluster.
func (f *fixture) pgdata(elements ...string) string {
	return filepath.Join(append([]string{f.dir, "postgres"}, elements...)...)
}

func (f *fixture) execute(url, statement string) {
	f.t.Helper()
	if err := execute(f.ctx, url, statement); err != nil {
		f.t.Fatal(err)
	}
}

// remember writes a row; remembers reports whether it exists.
func (f *fixture) remember(url string) {
	f.t.Helper()
	f.execute(url, "CREATE TABLE kept AS SELECT 42 AS answer")
}

func (f *fixture) remembers(url string) {
	f.t.Helper()
	if got := scan[int](f, url, "SELECT answer FROM kept"); got != 42 {
		f.t.Errorf("the row has become %d", got)
	}
}

// scan returns the single value of a query.
func scan[T any](f *fixture, url, query string) (value T) {
	f.t.Helper()
	conn, err := pgx.Connect(f.ctx, url)
	if err != nil {
		f.t.Fatal(err)
	}
	defer conn.Close(f.ctx)
	if err := conn.QueryRow(f.ctx, query).Scan(&value); err != nil {
		f.t.Fatal(err)
	}
	return value
}

// postmaster returns the process id of the running server.
func (f *fixture) postmaster() int {
	f.t.Helper()
	content, err := os.ReadFile(f.pgdata("postmaster.pid"))
	if err != nil {
		f.t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(content), "\n")
	pid, err := strconv.Atoi(first)
	if err != nil {
		f.t.Fatal(err)
	}
	return pid
}

// snapshot returns names, modes, times and contents of everything below a directory.
func snapshot(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		var content []byte
		if info.Mode().IsRegular() {
			if content, err = os.ReadFile(path); err != nil {
				return err
			}
		}
		fmt.Fprintf(&all, "%s %v %v %x\n", path, info.Mode(), info.ModTime(), sha256.Sum256(content))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// captured is a log that tests can read.
type captured struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (c *captured) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.text.Write(p)
}

func (c *captured) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.text.String()
}

package bench

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"memoir/internal/agents"
	"memoir/internal/postgres"
	"memoir/internal/postgres/local"
	"memoir/internal/sync"
)

// patience bounds what should take seconds, on a slow and shared machine.
const patience = 5 * time.Minute

// claudeMDLimit is the one that a server starts with, in characters.
const claudeMDLimit = 40_000

// server is the private Postgres as people run it: unlike the one of the tests, it waits for the disk at each commit.
var server *local.Server

// databases counts those made, to name them.
var databases atomic.Int64

func TestMain(m *testing.M) {
	flag.Parse()
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

func run(m *testing.M) (code int, err error) {
	dir, err := os.MkdirTemp("", "memoir-bench-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	server, err = local.Start(ctx, local.Options{DataDir: dir, Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))})
	if err != nil {
		return 0, err
	}
	code = m.Run()
	if code == 0 && *write {
		err = report.write(server.URL())
	}
	return code, errors.Join(err, server.Stop(context.Background()))
}

// database gives the URL of a fresh database with Memoir's schema, and a connection to it.
func database(b *testing.B) (string, *pgx.Conn) {
	b.Helper()
	name := fmt.Sprintf("bench_%d", databases.Add(1))
	execute(b, connect(b, server.URL()), "CREATE DATABASE "+name)
	parsed, err := url.Parse(server.URL())
	if err != nil {
		b.Fatal(err)
	}
	parsed.Path = "/" + name
	if err := postgres.Migrate(b.Context(), parsed.String()); err != nil {
		b.Fatal(err)
	}
	return parsed.String(), connect(b, parsed.String())
}

func connect(b *testing.B, url string) *pgx.Conn {
	b.Helper()
	conn, err := pgx.Connect(b.Context(), url)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := conn.Close(context.Background()); err != nil {
			b.Error(err)
		}
	})
	return conn
}

func execute(b *testing.B, conn *pgx.Conn, statement string) {
	b.Helper()
	if _, err := conn.Exec(b.Context(), statement); err != nil {
		b.Fatalf("%s: %v", statement, err)
	}
}

// start runs an engine with the settings that a server starts with.
func start(b *testing.B, url, agentsDir string) (*sync.Engine, *postgres.Store) {
	b.Helper()
	store, err := postgres.Open(b.Context(), url)
	if err != nil {
		b.Fatal(err)
	}
	engine, err := sync.Start(store, sync.Options{
		Places: agents.Settings{AgentsDir: agentsDir}, Debounce: debounce, Rescan: time.Minute, ClaudeMDLimit: claudeMDLimit,
		Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
	if err != nil {
		b.Fatal(err)
	}
	return engine, store
}

func stop(b *testing.B, engine *sync.Engine, store *postgres.Store) {
	b.Helper()
	if err := engine.Close(); err != nil {
		b.Error(err)
	}
	store.Close()
}

// until waits for a condition that is cheap to ask for, to the millisecond.
func until(b *testing.B, what string, holds func() bool) {
	b.Helper()
	deadline := time.Now().Add(patience)
	for !holds() {
		if time.Now().After(deadline) {
			b.Fatalf("waited %v in vain for %s", patience, what)
		}
		time.Sleep(time.Millisecond)
	}
}

package bench

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"memoir/internal/postgres/local"
	"memoir/internal/postgres/migrate"
)

// server is the private Postgres with the settings that users have. Unlike the Postgres of the
// tests, it syncs each commit.
var server *local.Server

// databases counts the created databases, to name them.
var databases atomic.Int64

func TestMain(m *testing.M) {
	if dir := os.Getenv(burstDirectory); dir != "" {
		writeBurst(dir)
		return
	}
	flag.Parse()
	if flag.Lookup("test.bench").Value.String() == "" {
		os.Exit(m.Run()) // a run without benchmarks needs no Postgres
	}
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
	if err := build(dir); err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	server, err = local.Start(ctx, local.Options{DataDir: filepath.Join(dir, "data"), Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))})
	if err != nil {
		return 0, err
	}
	wake, err := layToSleep()
	if err != nil {
		return 0, err
	}
	defer wake()
	for range 20 {
		pace() // finds the machine's best pace
	}
	code = m.Run()
	if code == 0 {
		err = report.tell(os.Stdout, server.URL())
	}
	return code, errors.Join(err, server.Stop(context.Background()))
}

// withDatabase creates a database with Memoir's schema and calls do with its URL and a connection.
// It drops the database before it returns, so that its maintenance disturbs no later measurement.
func withDatabase(b *testing.B, do func(url string, conn *pgx.Conn)) {
	b.Helper()
	name := fmt.Sprintf("bench_%d", databases.Add(1))
	administrator := connect(b, server.URL())
	execute(b, administrator, "CREATE DATABASE "+name)
	parsed, err := url.Parse(server.URL())
	if err != nil {
		b.Fatal(err)
	}
	parsed.Path = "/" + name
	if err := migrate.Run(b.Context(), parsed.String()); err != nil {
		b.Fatal(err)
	}
	conn := connect(b, parsed.String())
	do(parsed.String(), conn)
	conn.Close(b.Context()) //nolint:errcheck // an error changes nothing
	// Postgres' own maintenance may use the database, and must not be ended.
	until(b, "the end of "+name, func() bool {
		_, err := administrator.Exec(b.Context(), "DROP DATABASE "+name+" WITH (FORCE)")
		return err == nil
	})
}

func connect(b *testing.B, url string) *pgx.Conn {
	b.Helper()
	conn, err := pgx.Connect(b.Context(), url)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { conn.Close(context.Background()) }) //nolint:errcheck // its database may be gone
	return conn
}

func execute(b *testing.B, conn *pgx.Conn, statement string) {
	b.Helper()
	if _, err := conn.Exec(b.Context(), statement); err != nil {
		b.Fatalf("%s: %v", statement, err)
	}
}

func count(b *testing.B, conn *pgx.Conn, query string) (n int) {
	b.Helper()
	if err := conn.QueryRow(b.Context(), query).Scan(&n); err != nil {
		b.Fatal(err)
	}
	return n
}

// Package pgtest gives each test its own Postgres database. It runs one private server per test
// process with package local, and clones databases from a migrated template. Without Postgres, it
// fails tests and never skips them. Only tests use it.
package pgtest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"memoir/internal/postgres/local"
	"memoir/internal/postgres/migrate"
)

// Main runs the tests of a package, and stops the Postgres server that New and Empty have started.
// Then it exits the process with the code of Run. TestMain must call it: func TestMain(m
// *testing.M) { pgtest.Main(m) }. If the test process is killed, the server ends too.
func Main(m *testing.M) { os.Exit(Run(m)) }

// Run runs the tests of a package, then stops the Postgres server that New and Empty have started,
// and deletes its files. It returns the exit code, which is not 0 if a test or the stop fails. It
// is for packages that clean up more after their tests; others use Main.
func Run(m *testing.M) (code int) {
	mainRuns.Store(true)
	code = m.Run()
	if err := shared.stop(); err != nil {
		fmt.Fprintln(os.Stderr, "pgtest:", err)
		code = max(code, 1)
	}
	return code
}

// New returns the URL of a new database with Memoir's schema and no rows, which is dropped at the
// end of the test. The first call in a process starts a Postgres server. It ends the test as failed
// if Postgres is missing, or the package's TestMain calls neither Main nor Run.
func New(t testing.TB) string {
	t.Helper()
	return create(t, "TEMPLATE "+template+" STRATEGY FILE_COPY")
}

// Empty returns the URL of a new database without tables, which is dropped at the end of the test.
// The first call in a process starts a Postgres server. It ends the test as failed if Postgres is
// missing, or the package's TestMain calls neither Main nor Run.
func Empty(t testing.TB) string {
	t.Helper()
	return create(t, "")
}

// template is the database with Memoir's schema that New clones. New copies its files, which takes
// half the processor time of Postgres' default. That writes each page to the log too, to avoid a
// checkpoint; without fsync a checkpoint is cheap.
const template = "memoir_template"

// maxStep limits each step, such as the creation of a database. It is arbitrary, for slow and busy
// machines.
const maxStep = 2 * time.Minute

var (
	mainRuns atomic.Bool // Main was called, so the server will be stopped
	shared   server
	count    atomic.Int64
)

// server is the Postgres server of this test process. The first test that needs it starts it.
type server struct {
	once  sync.Once
	dir   string
	local *local.Server
	admin *pgxpool.Pool // to the database in which New and Empty create and drop others
	err   error
}

func (s *server) start() error {
	s.once.Do(func() { s.err = s.bringUp() })
	return s.err
}

func (s *server) bringUp() error {
	ctx, cancel := context.WithTimeout(context.Background(), maxStep)
	defer cancel()
	var err error
	if s.dir, err = os.MkdirTemp(memoryDisk(), "memoir-pgtest-"); err != nil {
		return err
	}
	s.local, err = local.Start(ctx, local.Options{
		DataDir:        s.dir,
		Log:            slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})),
		MaxConnections: 200,
		NoSync:         true,
	})
	if err != nil {
		return err
	}
	if s.admin, err = pgxpool.New(ctx, s.local.URL()); err != nil {
		return err
	}
	if err := s.execute(ctx, "CREATE DATABASE "+template); err != nil {
		return err
	}
	return migrate.Run(ctx, database(s.local.URL(), template))
}

func (s *server) stop() error {
	if s.dir == "" {
		return nil
	}
	defer os.RemoveAll(s.dir)
	if s.local == nil {
		return nil
	}
	if s.admin != nil {
		s.admin.Close()
	}
	ctx, cancel := context.WithTimeout(context.Background(), maxStep)
	defer cancel()
	return s.local.Stop(ctx)
}

func create(t testing.TB, options string) string {
	t.Helper()
	if !mainRuns.Load() {
		t.Fatal("pgtest: the package's TestMain must call pgtest.Main, which stops the server")
	}
	if err := shared.start(); err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), maxStep)
	defer cancel()
	name := fmt.Sprintf("test_%d", count.Add(1))
	if err := shared.execute(ctx, "CREATE DATABASE "+name+" "+options); err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), maxStep)
		defer cancel()
		if err := shared.drop(ctx, name); err != nil {
			t.Errorf("pgtest: %v", err)
		}
	})
	return database(shared.local.URL(), name)
}

// insufficientPrivilege is Postgres' SQLSTATE for a refused action.
const insufficientPrivilege = "42501"

// drop drops a database and ends its connections. Autovacuum workers belong to the superuser and
// cannot be ended; while Postgres refuses the drop for that reason, drop tries again. If ctx ends
// first, it returns the refusal. It returns any other error at once.
func (s *server) drop(ctx context.Context, name string) error {
	for {
		err := s.execute(ctx, "DROP DATABASE "+name+" WITH (FORCE)")
		var refused *pgconn.PgError
		if !errors.As(err, &refused) || refused.Code != insufficientPrivilege {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// database returns the URL of the database with the name on the server at the URL server.
func database(server, name string) string {
	parsed, err := url.Parse(server)
	if err != nil {
		panic(err) // package local created the URL
	}
	parsed.Path = "/" + name
	return parsed.String()
}

// execute runs a statement in the database that is not the test's own. The pool saves a connection
// for each call; a new one costs more than many statements.
func (s *server) execute(ctx context.Context, statement string) error {
	if _, err := s.admin.Exec(ctx, statement); err != nil {
		return fmt.Errorf("%s: %w", statement, err)
	}
	return nil
}

// RowsRead returns how many rows of the tables conn and all closed connections have read since the
// database was created; without tables, of all tables. Postgres counts a connection when it closes,
// so RowsRead waits until only conn is open. After two minutes of that, it ends the test as failed.
func RowsRead(t testing.TB, conn *pgx.Conn, tables ...string) (rows int) {
	t.Helper()
	var others int
	for deadline := time.Now().Add(maxStep); ; time.Sleep(20 * time.Millisecond) {
		const open = `SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`
		if err := conn.QueryRow(t.Context(), open).Scan(&others); err != nil {
			t.Fatal(err)
		}
		if others == 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d connections stay open", others)
		}
	}
	if _, err := conn.Exec(t.Context(), "SELECT pg_stat_force_next_flush()"); err != nil {
		t.Fatal(err)
	}
	const read = `SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) FROM pg_stat_user_tables
		WHERE relname = ANY($1::text[]) OR coalesce(cardinality($1::text[]), 0) = 0`
	if err := conn.QueryRow(t.Context(), read, tables).Scan(&rows); err != nil {
		t.Fatal(err)
	}
	return rows
}

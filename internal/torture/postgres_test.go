package torture

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"path/filepath"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"memoir/internal/postgres/local"
	"memoir/internal/postgres/pgtest/proctest"
)

// databaseURL leads to the private Postgres, whose socket is always reached the same way: the server's own, or one that the test runs.
func (p *place) databaseURL() string {
	return "postgres:///memoir?port=5432&user=memoir&host=" + url.QueryEscape(filepath.Join(p.data, "run"))
}

// startPostgres runs a Postgres of the test's own where the server's private one would be. It is started again when it dies, until the
// returned function ends it at once, or the test ends.
func (p *place) startPostgres() (end func()) {
	p.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	own, err := local.Start(ctx, local.Options{DataDir: p.data, Log: slog.New(slog.DiscardHandler), NoSync: true})
	if err != nil {
		p.Fatal(err)
	}
	end = func() {
		atOnce, cancel := context.WithCancel(context.Background())
		cancel()
		own.Stop(atOnce) //nolint:errcheck // that it was ended before it had shut down
	}
	p.Cleanup(end)
	return end
}

// killPostmaster ends Postgres as a power cut would; what it has started ends by itself.
func (p *place) killPostmaster() {
	p.Helper()
	proctest.Server{DataDir: p.data}.Kill(p)
	p.postmasters.Add(1)
}

// awaitPostgres waits until Postgres takes connections again.
func (p *place) awaitPostgres() {
	p.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for {
		conn, err := pgx.Connect(ctx, p.databaseURL())
		if err == nil {
			conn.Close(ctx) //nolint:errcheck // nothing was asked
			return
		}
		if ctx.Err() != nil {
			p.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// databaseSize is what Memoir's database takes on disk, in bytes.
func (p *place) databaseSize() int {
	p.Helper()
	return p.query("SELECT pg_database_size(current_database())")[0]
}

// query asks Postgres for numbers, process ids mostly, over a connection of its own.
func (p *place) query(sql string) []int {
	p.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	conn, err := pgx.Connect(ctx, p.databaseURL())
	if err != nil {
		p.Fatal(err)
	}
	defer conn.Close(ctx) //nolint:errcheck // the server may be going
	rows, err := conn.Query(ctx, sql)
	if err != nil {
		p.Fatal(err)
	}
	pids, err := pgx.CollectRows(rows, pgx.RowTo[int])
	if err != nil {
		p.Fatal(err)
	}
	return pids
}

// killBackend ends one of the processes of Postgres at once, which makes all the others start anew.
func (p *place) killBackend() {
	p.Helper()
	pids := p.query("SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
	pid := pids[p.random.IntN(len(pids))]
	switch err := syscall.Kill(pid, syscall.SIGKILL); err {
	case nil:
		p.backends.Add(1)
	case syscall.ESRCH: // it has ended meanwhile
	default:
		p.Fatal(err)
	}
}

// terminateBackends cuts some of Memoir's connections, as an administrator would.
func (p *place) terminateBackends() {
	p.Helper()
	p.query(fmt.Sprintf(`
		WITH ours AS MATERIALIZED (
			SELECT pid FROM pg_stat_activity WHERE application_name LIKE 'memoir%%' AND usename = 'memoir' AND random() < %g
		)
		SELECT pid FROM ours WHERE pg_terminate_backend(pid)`, p.random.Float64()))
}

// whileLater gives who works a while to meet what a blow has left.
func (p *place) whileLater() { time.Sleep(time.Duration(p.random.IntN(500)) * time.Millisecond) }

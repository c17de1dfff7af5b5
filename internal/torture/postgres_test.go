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

// databaseURL returns the URL of the private Postgres. The server's own and one run by the test use
// the same socket.
func (p *place) databaseURL() string {
	return "postgres:///memoir?port=5432&user=memoir&host=" + url.QueryEscape(filepath.Join(p.data, "run"))
}

// startPostgres runs a Postgres in place of the server's private one, and restarts it when it dies.
// The returned function stops it at once; the end of the test does so too.
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

// killPostmaster kills Postgres' main process. Its other processes then end by themselves.
func (p *place) killPostmaster() {
	p.Helper()
	proctest.Server{DataDir: p.data}.Kill(p)
	p.postmasters.Add(1)
}

// awaitPostgres waits until Postgres accepts connections again.
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

// databaseSize returns the size of Memoir's database on disk, in bytes.
func (p *place) databaseSize() int {
	p.Helper()
	return p.query("SELECT pg_database_size(current_database())")[0]
}

// query returns the numbers that a query gives, usually process ids, over a connection of its own.
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

// killBackend kills one process of Postgres, so that Postgres restarts all others.
func (p *place) killBackend() {
	p.Helper()
	pids := p.query("SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
	pid := pids[p.random.IntN(len(pids))]
	switch err := syscall.Kill(pid, syscall.SIGKILL); err {
	case nil:
		p.backends.Add(1)
	case syscall.ESRCH: // the process has ended
	default:
		p.Fatal(err)
	}
}

// terminateBackends ends some of Memoir's connections, as an administrator can.
func (p *place) terminateBackends() {
	p.Helper()
	p.query(fmt.Sprintf(`
		WITH ours AS MATERIALIZED (
			SELECT pid FROM pg_stat_activity WHERE application_name LIKE 'memoir%%' AND usename = 'memoir' AND random() < %g
		)
		SELECT pid FROM ours WHERE pg_terminate_backend(pid)`, p.random.Float64()))
}

// whileLater waits up to 500 ms, so that the load meets the results of a blow.
func (p *place) whileLater() { time.Sleep(time.Duration(p.random.IntN(500)) * time.Millisecond) }

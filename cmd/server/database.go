package main

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"time"

	"memoir/internal/postgres"
	"memoir/internal/postgres/local"
	"memoir/internal/postgres/migrate"
)

// database is the store, and the private server if there is one.
type database struct {
	store  *postgres.Store
	server *local.Server // nil for an external Postgres
	log    *slog.Logger
}

// openDatabase connects to the configured Postgres, or starts a private one, and migrates the
// tables. The caller must call close. After an error, it has closed all that it opened. If ctx has
// ended, the error is ctx's.
func openDatabase(ctx context.Context, config config, log *slog.Logger) (*database, error) {
	d := &database{log: log}
	if err := d.open(ctx, config); err != nil {
		d.close()
		return nil, cmp.Or(ctx.Err(), err)
	}
	return d, nil
}

// open starts the private server unless another Postgres is configured, migrates the tables, and
// opens the store. After an error the private server may run, and the caller must call close. It
// only logs if the version of the tables cannot be recorded, or Postgres lacks pg_trgm, so that
// searches find no similar words.
func (d *database) open(ctx context.Context, config config) error {
	url := config.databaseURL
	if url == "" {
		server, err := local.Start(ctx, local.Options{DataDir: config.dataDir, Log: d.log, Schema: migrate.SchemaVersion(), NoSync: config.isTemporary})
		if err != nil {
			return err
		}
		d.server, url = server, server.URL()
	}
	if err := migrate.Run(ctx, url); err != nil {
		return fmt.Errorf("cannot prepare the database: %w", err)
	}
	if d.server != nil {
		if err := d.server.SetSchema(); err != nil {
			d.log.Warn("schema version not recorded, the next start copies the database again", "error", err)
		}
	}
	store, err := postgres.Open(ctx, url)
	if err != nil {
		return fmt.Errorf("cannot open the database: %w", err)
	}
	d.store = store
	if !store.NearMisses() {
		d.log.Warn("no close matches in searches, run CREATE EXTENSION pg_trgm and restart")
	}
	return nil
}

// lost returns a channel that is closed when the private server has ended, after close or because
// it cannot be restarted. It is nil for an external Postgres.
func (d *database) lost() <-chan struct{} {
	if d.server == nil {
		return nil
	}
	return d.server.Done()
}

// stopTimeout is the timeout of closing the database, and connectionTimeout the part for its
// connections (arbitrary). The private server needs the rest to write its memory to disk.
const (
	stopTimeout       = 4 * time.Second
	connectionTimeout = time.Second
)

// close closes the store and stops the private server, within about stopTimeout. If the store's
// connections do not end within connectionTimeout, or the server does not stop cleanly, it logs
// that and continues.
func (d *database) close() {
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	if d.store != nil && !runWithin(connectionTimeout, d.store.Close) {
		d.log.Warn("database connections still active, closing them")
	}
	if d.server == nil {
		return
	}
	if err := d.server.Stop(ctx); err != nil {
		d.log.Warn("private Postgres did not stop cleanly, recovers at the next start", "error", err)
	}
}

// runWithin runs do and waits for its end, for at most limit. It reports whether do has ended; if
// not, do continues in the background.
func runWithin(limit time.Duration, do func()) bool {
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	select {
	case <-done:
		return true
	case <-time.After(limit):
		return false
	}
}

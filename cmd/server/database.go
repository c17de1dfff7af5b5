package main

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"memoir/internal/postgres"
	"memoir/internal/postgres/local"
)

// database is the store, and the private server below it where there is one.
type database struct {
	store  *postgres.Store
	server *local.Server // nil: somebody else's Postgres
	log    *slog.Logger
}

// openDatabase connects to the Postgres of the settings, or runs a private one, and brings the schema up to date. Where ctx has ended, it
// fails with that alone, whatever it was in the middle of.
func openDatabase(ctx context.Context, config config, log *slog.Logger) (*database, error) {
	d, err := bringUpDatabase(ctx, config, log)
	if err != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return d, err
}

func bringUpDatabase(ctx context.Context, config config, log *slog.Logger) (*database, error) {
	d := &database{log: log}
	url := config.databaseURL
	if url == "" {
		server, err := local.Start(ctx, local.Options{DataDir: config.dataDir, Log: log, Schema: postgres.SchemaVersion()})
		if err != nil {
			return nil, err
		}
		d.server, url = server, server.URL()
	}
	if err := d.open(ctx, url); err != nil {
		d.close()
		return nil, err
	}
	return d, nil
}

func (d *database) open(ctx context.Context, url string) error {
	if err := postgres.Migrate(ctx, url); err != nil {
		return fmt.Errorf("cannot prepare the database: %w", err)
	}
	if d.server != nil {
		if err := d.server.SetSchema(); err != nil {
			d.log.Warn("the next start copies the database once more", "error", err)
		}
	}
	store, err := postgres.Open(ctx, url)
	if err != nil {
		return fmt.Errorf("cannot open the database: %w", err)
	}
	d.store = store
	if !store.NearMisses() {
		d.log.Warn("searches find no near-misses: the database has no extension pg_trgm, and Memoir may not create it; " +
			"have somebody run CREATE EXTENSION pg_trgm in it, and start Memoir again")
	}
	return nil
}

// lost reports, if ever, that the private server has ended for good.
func (d *database) lost() <-chan error {
	if d.server == nil {
		return nil
	}
	lost := make(chan error, 1)
	go func() {
		<-d.server.Done()
		lost <- d.server.Err()
	}()
	return lost
}

// stopLimit is how long it may take to close the database: the connections first, for which nothing waits that may hang, and then the
// private server, which writes what it has in memory.
const (
	stopLimit       = 4 * time.Second
	connectionLimit = time.Second
)

func (d *database) close() {
	ctx, cancel := context.WithTimeout(context.Background(), stopLimit)
	defer cancel()
	if d.store != nil && !within(connectionLimit, d.store.Close) {
		d.log.Warn("some connections to the database were still at work and are cut")
	}
	if d.server == nil {
		return
	}
	if err := d.server.Stop(ctx); err != nil {
		d.log.Warn("the private Postgres did not stop cleanly; it recovers at the next start", "error", err)
	}
}

// within reports whether something was done in that time. It goes on by itself if not.
func within(limit time.Duration, do func()) bool {
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

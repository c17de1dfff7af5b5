package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"

	"memoir/internal/backup"
	"memoir/internal/backup/archive"
	"memoir/internal/cli"
	"memoir/internal/postgres/dump"
	"memoir/internal/postgres/local"
	"memoir/internal/postgres/migrate"
)

// restore puts a backup back into an empty database and into the agents' directories, as a server
// with the same environment would use them. It checks everything before it writes anything: the
// whole archive, the places of the files, and the database. It writes the files first and commits
// the database last, so an interrupted restore can be repeated.
func restore(ctx context.Context, r cli.Restore) (done cli.Restored, err error) {
	config, err := restoreConfig(r)
	if err != nil {
		return done, err
	}
	manifest, err := archive.VerifyFile(r.File)
	if err != nil {
		return done, fmt.Errorf("%w. Nothing was changed", err)
	}
	if newest := migrate.SchemaVersion(); manifest.Schema > newest {
		return done, fmt.Errorf("it is of a newer Memoir (%s, tables of version %d; this one knows %d). Nothing was changed. Restore it with that Memoir",
			manifest.Memoir, manifest.Schema, newest)
	}
	moves := make([]dump.Move, len(r.Moves))
	for i, m := range r.Moves {
		moves[i] = dump.Move(m)
	}
	plan, err := backup.MakePlan(ctx, manifest, moves)
	if err != nil {
		return done, err
	}
	if len(plan.Problems) > 0 {
		return done, fmt.Errorf("files cannot be written: %s. Nothing was changed. Choose another directory with --map", strings.Join(plan.Problems, "; "))
	}
	done = cli.Restored{Manifest: manifest, Database: config.databaseName(), Written: plan.Count(backup.Missing), Same: plan.Count(backup.Same), Kept: plan.In(backup.Differs)}
	if r.DryRun {
		return done, config.withDatabase(ctx, false, func(url string, _ *local.Server) error { return refusal(dump.Check(ctx, url, manifest.Schema)) })
	}
	return done, config.withDatabase(ctx, true, func(url string, server *local.Server) error {
		if err := dump.Check(ctx, url, manifest.Schema); err != nil {
			return refusal(err)
		}
		read := func(use func(*archive.Reader) error) error { return withArchive(r.File, use) }
		if err := read(func(a *archive.Reader) error { return backup.WriteFiles(ctx, manifest, plan, a) }); err != nil {
			return interrupted(err)
		}
		if err := migrate.To(ctx, url, manifest.Schema); err != nil {
			return interrupted(err)
		}
		if err := read(func(a *archive.Reader) error { return dump.Load(ctx, url, manifest, a, moves) }); err != nil {
			return interrupted(err)
		}
		err := migrate.Run(ctx, url)
		if err == nil && server != nil {
			err = server.SetSchema()
		}
		if err != nil {
			return fmt.Errorf("everything was restored, but the tables were not upgraded: %w. Start Memoir to try again", err)
		}
		return nil
	})
}

// restoreConfig returns the settings of a server with this environment and the flags of a restore.
func restoreConfig(r cli.Restore) (*config, error) {
	c := defaults(os.LookupEnv)
	flags := c.flagSet()
	for name, value := range map[string]*string{"data-dir": r.DataDir, "database-url": r.DatabaseURL} {
		if value != nil {
			if err := flags.Set(name, *value); err != nil {
				return nil, err
			}
		}
	}
	if err := setFromEnvironment(flags, os.LookupEnv); err != nil {
		return nil, err
	}
	if err := c.makePathsAbsolute(os.LookupEnv); err != nil {
		return nil, err
	}
	if c.dataDir == "" && c.databaseURL == "" {
		return nil, errors.New("no home directory found: set --data-dir, or --database-url for your own Postgres")
	}
	return c, nil
}

// databaseName returns the database for people, without a password.
func (c *config) databaseName() string {
	if c.databaseURL != "" {
		return "your own Postgres"
	}
	return "the private Postgres in " + c.dataDir
}

// withDatabase calls use with the URL of the configured Postgres. It starts the private one, and
// stops it afterwards. If there is no private one yet and create is false, it does not call use.
func (c *config) withDatabase(ctx context.Context, create bool, use func(url string, server *local.Server) error) (err error) {
	if c.databaseURL != "" {
		return use(c.databaseURL, nil)
	}
	if !create && !local.Exists(c.dataDir) {
		return nil
	}
	options := local.Options{DataDir: c.dataDir, Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))}
	if create {
		options.Schema = migrate.SchemaVersion()
	}
	server, err := local.Start(ctx, options)
	if err != nil {
		return err
	}
	defer func() {
		// Everything must be on disk when the command ends.
		err = cmp.Or(err, server.Stop(context.WithoutCancel(ctx)))
	}()
	return use(server.URL(), server)
}

// refusal returns the error of dump.Check for users.
func refusal(err error) error {
	switch {
	case errors.Is(err, dump.ErrInUse):
		return fmt.Errorf("%w. Nothing was changed. Stop that Memoir, or restore into another database", err)
	case errors.Is(err, dump.ErrNotEmpty):
		return fmt.Errorf("%w. Nothing was changed. Restore into another one with --data-dir or --database-url, or move the old one away", err)
	}
	return err
}

// interrupted returns the error of a restore that has begun, for users.
func interrupted(err error) error {
	return fmt.Errorf("%w. Files may have been written, and the database is empty. Run the restore again", err)
}

func withArchive(at string, use func(*archive.Reader) error) error {
	file, err := os.Open(at)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // only read
	reader, err := archive.NewReader(bufio.NewReaderSize(file, 1<<20))
	if err != nil {
		return err
	}
	defer reader.Close()
	return use(reader)
}

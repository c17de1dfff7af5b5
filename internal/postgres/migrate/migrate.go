// Package migrate creates Memoir's tables in an empty database, and upgrades those of an earlier
// version. The statements are in package db.
package migrate

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/jackc/pgx/v5/pgconn"
	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx", which goose needs
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"memoir/db"
	"memoir/internal/postgres/internal/dberr"
)

// The errors with which Run refuses a database. Run has changed nothing then.
var (
	ErrOldPostgres   = errors.New("PostgreSQL is too old")
	ErrOldDatabase   = errors.New("the database is of a Memoir that is too old")
	ErrNewerDatabase = errors.New("the database is of a newer Memoir")
)

const (
	// oldestPostgres is the oldest version of PostgreSQL that the queries are made for.
	oldestPostgres = 15
	// oldestVersion is the oldest version of a database that can be upgraded. oldestCommit is the
	// last Memoir that upgrades older databases to it.
	oldestVersion = 38
	oldestCommit  = "4c78a41"
	// versionTable contains the versions of the database. Other programs that use goose may share
	// the database, so the name is Memoir's own.
	versionTable = "memoir_migrations"
	// migrationLock is the advisory lock that servers take while migrating: "memoir" in ASCII.
	migrationLock = 0x6d656d6f6972
)

// Run creates the tables in an empty database, or upgrades those of an earlier version. It also
// creates the index for fuzzy search, unless Postgres refuses that. It waits up to ten minutes
// while another server migrates. If a migration fails, that one is rolled back, and earlier ones
// stay. It fails with ErrOldPostgres, ErrOldDatabase or ErrNewerDatabase before it changes
// anything.
func Run(ctx context.Context, url string) error {
	database, err := sql.Open("pgx", url)
	if err != nil {
		return fmt.Errorf("migrate the database: %w", err)
	}
	defer database.Close()
	if err := run(ctx, database); err != nil {
		return fmt.Errorf("migrate the database: %w", err)
	}
	return nil
}

// To creates the tables of a version in an empty database, which is at most SchemaVersion. It leaves
// a database that has tables of Memoir as it is. It fails with ErrOldPostgres, ErrOldDatabase or
// ErrNewerDatabase before it changes anything.
func To(ctx context.Context, url string, version int64) error {
	database, err := sql.Open("pgx", url)
	if err != nil {
		return fmt.Errorf("create the tables: %w", err)
	}
	defer database.Close()
	if err := to(ctx, database, version); err != nil {
		return fmt.Errorf("create the tables: %w", err)
	}
	return nil
}

func to(ctx context.Context, database *sql.DB, version int64) error {
	if err := checkServer(ctx, database); err != nil {
		return err
	}
	if err := checkVersion(version); err != nil {
		return err
	}
	found, err := versionOf(ctx, database)
	if err != nil || found != 0 {
		return err
	}
	upgrade, err := newProvider(database, db.Migrations)
	if err != nil {
		return err
	}
	step := schemaStep(upgrade.ListSources(), db.Schema)
	if version < SchemaVersion() {
		step = schemaStep([]*goose.Source{{Version: oldestVersion}}, db.Base)
	}
	first, err := newProvider(database, nil, step)
	if err != nil {
		return err
	}
	if _, err := first.Up(ctx); err != nil {
		return err
	}
	_, err = upgrade.UpTo(ctx, version)
	return err
}

func run(ctx context.Context, database *sql.DB) error {
	upgrade, err := newProvider(database, db.Migrations)
	if err != nil {
		return err
	}
	if err := checkServer(ctx, database); err != nil {
		return err
	}
	version, err := versionOf(ctx, database)
	if err != nil {
		return err
	}
	provider := upgrade
	if version == 0 {
		if provider, err = newProvider(database, nil, schemaStep(upgrade.ListSources(), db.Schema)); err != nil {
			return err
		}
	}
	if _, err := provider.Up(ctx); err != nil {
		return err
	}
	// A newer Memoir may have migrated while this one waited for the lock.
	if _, err := versionOf(ctx, database); err != nil {
		return err
	}
	return createFuzzyIndex(ctx, database)
}

// SchemaVersion returns the number of the newest migration, which is the version of a database
// after Run. It does not read a database.
func SchemaVersion() int64 {
	names, err := fs.Glob(db.Migrations, "migrations/*.sql")
	if err != nil {
		panic(err) // the pattern is malformed
	}
	newest, err := goose.NumericComponent(slices.Max(names))
	if err != nil {
		panic(err) // a migration has no number
	}
	return newest
}

// schemaStep returns the migration that creates the tables in an empty database with the statements
// of schema. Its version is that of the last source. It records the versions of the other sources
// as applied, so that they do not run. sources must be sorted by version and not empty.
func schemaStep(sources []*goose.Source, schema string) *goose.Migration {
	newest := sources[len(sources)-1].Version
	return goose.NewGoMigration(newest, &goose.GoFunc{RunTx: func(ctx context.Context, tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, schema); err != nil {
			return err
		}
		for _, source := range sources[:len(sources)-1] {
			_, err := tx.ExecContext(ctx, "INSERT INTO "+versionTable+" (version_id, is_applied) VALUES ($1, true)", source.Version)
			if err != nil {
				return err
			}
		}
		return nil
	}}, nil)
}

// newProvider returns the goose provider that runs the SQL migrations in files, or none if files is
// nil, and steps. While it migrates, it holds a lock in the database. It waits up to ten minutes
// for that lock.
func newProvider(database *sql.DB, files fs.FS, steps ...*goose.Migration) (*goose.Provider, error) {
	if files != nil {
		var err error
		if files, err = fs.Sub(files, "migrations"); err != nil {
			return nil, err
		}
	}
	// Seconds between attempts, and attempts: a migration of a large database may take minutes.
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockID(migrationLock), lock.WithLockTimeout(1, 600))
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(goose.DialectPostgres, database, files,
		goose.WithTableName(versionTable),
		goose.WithSessionLocker(locker),
		goose.WithGoMigrations(steps...),
		goose.WithDisableGlobalRegistry(true))
}

// checkServer fails with ErrOldPostgres if the server is older than PostgreSQL 15.
func checkServer(ctx context.Context, database *sql.DB) error {
	var version int // 150018 is 15.18
	if err := database.QueryRowContext(ctx, "SELECT current_setting('server_version_num')::int").Scan(&version); err != nil {
		return err
	}
	return checkServerVersion(version)
}

// checkServerVersion fails with ErrOldPostgres if version is older than PostgreSQL 15. It has the
// form of server_version_num: 150018 is version 15.18.
func checkServerVersion(version int) error {
	if major := version / 10000; major < oldestPostgres {
		return fmt.Errorf("%w: the server is PostgreSQL %d, and Memoir needs %d or later; nothing was changed",
			ErrOldPostgres, major, oldestPostgres)
	}
	return nil
}

// versionOf returns the number of the newest migration that was applied to the database, or 0 if
// none was. It fails as checkVersion does.
func versionOf(ctx context.Context, database *sql.DB) (int64, error) {
	var exists bool
	if err := database.QueryRowContext(ctx, "SELECT to_regclass($1) IS NOT NULL", versionTable).Scan(&exists); err != nil || !exists {
		return 0, err
	}
	var version int64
	if err := database.QueryRowContext(ctx, "SELECT coalesce(max(version_id), 0) FROM "+versionTable).Scan(&version); err != nil {
		return 0, err
	}
	return version, checkVersion(version)
}

// checkVersion fails with ErrNewerDatabase if a version is above SchemaVersion, and with
// ErrOldDatabase if it is from 1 to 37, too old to upgrade.
func checkVersion(version int64) error {
	switch newest := SchemaVersion(); {
	case version > newest:
		return fmt.Errorf("%w: it is at version %d, and this one knows %d; nothing was changed: start the newer Memoir, or use another database",
			ErrNewerDatabase, version, newest)
	case 0 < version && version < oldestVersion:
		return fmt.Errorf("%w: it is at version %d, and this one upgrades from version %d; nothing was changed: start Memoir %s once, or use another database",
			ErrOldDatabase, version, oldestVersion, oldestCommit)
	}
	return nil
}

// createFuzzyIndex creates the extension pg_trgm and the index of words for fuzzy search, unless
// they exist. Postgres may refuse that, because the extension is not installed or the user may not
// create it. Then it creates neither and returns nil; search then finds exact words only.
func createFuzzyIndex(ctx context.Context, database *sql.DB) error {
	tx, err := database.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // fails after the commit, as it should
	for _, statement := range []string{
		// Servers that start at the same time must not create it at the same time.
		fmt.Sprintf("SELECT pg_advisory_xact_lock(%d)", migrationLock),
		"CREATE EXTENSION IF NOT EXISTS pg_trgm",
		"CREATE INDEX IF NOT EXISTS search_words_word_idx ON search_words USING gin (word gin_trgm_ops)",
	} {
		var refused *pgconn.PgError
		if _, err := tx.ExecContext(ctx, statement); errors.As(err, &refused) && !dberr.EndsConnection(refused.Code) {
			return nil
		} else if err != nil {
			return err
		}
	}
	return tx.Commit()
}

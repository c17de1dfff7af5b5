package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx", which goose needs
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"memoir/db"
)

// Reasons why Migrate leaves a database alone.
var (
	ErrOldPostgres   = errors.New("PostgreSQL is too old")
	ErrNewerDatabase = errors.New("the database is of a newer Memoir")
)

// oldestPostgres is the oldest version of PostgreSQL that the queries are made for.
const oldestPostgres = 15

// versionTable says which migrations a database has had. The name is Memoir's own, since a team's database may be kept
// by goose too.
const versionTable = "memoir_migrations"

// migrationLock is the advisory lock that servers take while migrating: "memoir" in ASCII.
const migrationLock = 0x6d656d6f6972

// Migrate brings the database up to this Memoir's schema, and does nothing to one that is there already. Several
// servers may call it at once. It fails with ErrOldPostgres or ErrNewerDatabase, having changed nothing; a migration
// that fails is rolled back.
func Migrate(ctx context.Context, url string) error {
	database, err := sql.Open("pgx", url)
	if err != nil {
		return fmt.Errorf("migrate the database: %w", err)
	}
	defer database.Close()
	if err := migrate(ctx, database); err != nil {
		return fmt.Errorf("migrate the database: %w", err)
	}
	return nil
}

func migrate(ctx context.Context, database *sql.DB) error {
	provider, err := newProvider(database)
	if err != nil {
		return err
	}
	sources := provider.ListSources()
	newest := sources[len(sources)-1].Version
	if err := checkServer(ctx, database); err != nil {
		return err
	}
	if err := checkVersion(ctx, database, newest); err != nil {
		return err
	}
	if _, err := provider.Up(ctx); err != nil {
		return err
	}
	// A newer Memoir may have migrated while this one waited for the lock.
	if err := checkVersion(ctx, database, newest); err != nil {
		return err
	}
	return prepareNearMisses(ctx, database)
}

func newProvider(database *sql.DB) (*goose.Provider, error) {
	migrations, err := fs.Sub(db.Migrations, "migrations")
	if err != nil {
		return nil, err
	}
	// Seconds between attempts, and attempts: a migration of a large database may take minutes.
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockID(migrationLock), lock.WithLockTimeout(1, 600))
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(goose.DialectPostgres, database, migrations,
		goose.WithTableName(versionTable),
		goose.WithSessionLocker(locker),
		goose.WithDisableGlobalRegistry(true))
}

func checkServer(ctx context.Context, database *sql.DB) error {
	var version int // 150018 is 15.18
	if err := database.QueryRowContext(ctx, "SELECT current_setting('server_version_num')::int").Scan(&version); err != nil {
		return err
	}
	return checkServerVersion(version)
}

func checkServerVersion(version int) error {
	if major := version / 10000; major < oldestPostgres {
		return fmt.Errorf("%w: the server is PostgreSQL %d, and Memoir needs %d or later; nothing was changed",
			ErrOldPostgres, major, oldestPostgres)
	}
	return nil
}

// checkVersion refuses a database that has had a migration which this Memoir does not know.
func checkVersion(ctx context.Context, database *sql.DB, newest int64) error {
	var exists bool
	if err := database.QueryRowContext(ctx, "SELECT to_regclass($1) IS NOT NULL", versionTable).Scan(&exists); err != nil || !exists {
		return err
	}
	var version int64
	if err := database.QueryRowContext(ctx, "SELECT coalesce(max(version_id), 0) FROM "+versionTable).Scan(&version); err != nil {
		return err
	}
	if version > newest {
		return fmt.Errorf("%w: it is at version %d, and this one knows %d; nothing was changed: start the newer Memoir, or use another database",
			ErrNewerDatabase, version, newest)
	}
	return nil
}

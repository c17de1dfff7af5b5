package postgres_test

import (
	"context"
	"errors"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"memoir/db"
	"memoir/internal/postgres"
	"memoir/internal/postgres/pgtest"
)

func TestTheMigrationsLeadToTheSchema(t *testing.T) {
	t.Parallel()
	migrated, declared := connect(t, pgtest.New(t)), connect(t, pgtest.Empty(t))
	execute(t, migrated, "DROP TABLE memoir_migrations")
	execute(t, declared, db.Schema)
	want, got := catalogue(t, declared), catalogue(t, migrated)
	for line := range want {
		if !got[line] {
			t.Errorf("only in schema.sql: %s", line)
		}
	}
	for line := range got {
		if !want[line] {
			t.Errorf("only in the migrations: %s", line)
		}
	}
}

func TestMigratingAgainChangesNothing(t *testing.T) {
	t.Parallel()
	url := pgtest.New(t)
	conn := connect(t, url)
	before := catalogue(t, conn)
	if err := postgres.Migrate(context.Background(), url); err != nil {
		t.Fatal(err)
	}
	if after := catalogue(t, conn); !maps.Equal(after, before) {
		t.Errorf("the schema was %v and is %v", before, after)
	}
}

func TestServersThatStartAtOnceMigrateOnce(t *testing.T) {
	t.Parallel()
	url := pgtest.Empty(t)
	var servers sync.WaitGroup
	for range 4 {
		servers.Go(func() {
			if err := postgres.Migrate(context.Background(), url); err != nil {
				t.Error(err)
			}
		})
	}
	servers.Wait()
	var twice int
	query(t, connect(t, url), `SELECT count(*) FROM (
		SELECT version_id FROM memoir_migrations GROUP BY version_id HAVING count(*) > 1) repeated`, &twice)
	if twice != 0 {
		t.Errorf("%d migrations ran twice", twice)
	}
}

func TestADatabaseOfANewerMemoirIsLeftAlone(t *testing.T) {
	t.Parallel()
	url := pgtest.New(t)
	conn := connect(t, url)
	execute(t, conn, "INSERT INTO memoir_migrations (version_id, is_applied) VALUES (9999, true)")
	before := catalogue(t, conn)
	err := postgres.Migrate(context.Background(), url)
	if !errors.Is(err, postgres.ErrNewerDatabase) || !strings.Contains(err.Error(), "9999") {
		t.Errorf("got %v", err)
	}
	if after := catalogue(t, conn); !maps.Equal(after, before) {
		t.Error("the database was changed")
	}
}

func TestATeamsOwnTablesAndItsGooseAreLeftAlone(t *testing.T) {
	t.Parallel()
	url := pgtest.Empty(t)
	conn := connect(t, url)
	execute(t, conn, `CREATE TABLE goose_db_version (id int, version_id bigint, is_applied boolean);
		INSERT INTO goose_db_version VALUES (1, 20260101, true)`)
	if err := postgres.Migrate(context.Background(), url); err != nil {
		t.Fatal(err)
	}
	var rows int
	query(t, conn, "SELECT count(*) FROM goose_db_version", &rows)
	if rows != 1 {
		t.Errorf("the team's table has %d rows", rows)
	}
}

func TestAnErrorNeverTellsThePassword(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for _, url := range []string{
		"postgres://memoir:opensesame@127.0.0.1:1/memoir",
		"postgres://memoir:opensesame@127.0.0.1:notaport/memoir",
		"host=127.0.0.1 port=1 password=opensesame",
		"password=opensesame port=x",
	} {
		err := postgres.Migrate(ctx, url)
		if err == nil {
			t.Errorf("%s was migrated", url)
		} else if strings.Contains(err.Error(), "opensesame") {
			t.Errorf("%v", err)
		}
	}
}

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

func execute(t *testing.T, conn *pgx.Conn, statement string) {
	t.Helper()
	if _, err := conn.Exec(context.Background(), statement); err != nil {
		t.Fatal(err)
	}
}

func query(t *testing.T, conn *pgx.Conn, sql string, into any) {
	t.Helper()
	if err := conn.QueryRow(context.Background(), sql).Scan(into); err != nil {
		t.Fatal(err)
	}
}

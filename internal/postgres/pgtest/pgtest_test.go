package pgtest_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"

	"memoir/internal/postgres/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

func TestNew_SeparateDatabases(t *testing.T) {
	t.Parallel()
	for range 2 {
		conn, err := pgx.Connect(context.Background(), pgtest.New(t))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close(context.Background()) })
		var agents int
		if err := conn.QueryRow(context.Background(), "SELECT count(*) FROM agents").Scan(&agents); err != nil {
			t.Fatal(err)
		}
		if agents != 0 {
			t.Errorf("the database is not fresh: %d agents", agents)
		}
		if _, err := conn.Exec(context.Background(), `INSERT INTO agents (slug, layout, dir, display_name, created_at, updated_at)
			VALUES ('one', 'hive', '/one', 'one', now(), now())`); err != nil {
			t.Fatal(err)
		}
	}
}

func TestEmpty_NoTables(t *testing.T) {
	t.Parallel()
	conn, err := pgx.Connect(context.Background(), pgtest.Empty(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	var tables int
	if err := conn.QueryRow(context.Background(), "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").Scan(&tables); err != nil {
		t.Fatal(err)
	}
	if tables != 0 {
		t.Errorf("%d tables in an empty database", tables)
	}
}

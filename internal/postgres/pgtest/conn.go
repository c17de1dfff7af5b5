package pgtest

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Connect opens a connection to the database at url, and closes it at the end of the test. If it
// cannot connect, it ends the test as failed.
func Connect(t testing.TB, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

// Execute runs an SQL statement without arguments. If the statement fails, it ends the test as
// failed.
func Execute(t *testing.T, conn *pgx.Conn, statement string) {
	t.Helper()
	if _, err := conn.Exec(context.Background(), statement); err != nil {
		t.Fatal(err)
	}
}

// Query reads the only column of the first row of an SQL query into the variable that into points
// to. If the query fails or finds no row, it ends the test as failed.
func Query(t *testing.T, conn *pgx.Conn, sql string, into any) {
	t.Helper()
	if err := conn.QueryRow(context.Background(), sql).Scan(into); err != nil {
		t.Fatal(err)
	}
}

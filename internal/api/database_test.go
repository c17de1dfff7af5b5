package api_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
)

// execute runs a SQL statement on its own connection, without Memoir.
func execute(t *testing.T, url, statement string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}

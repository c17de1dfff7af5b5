package pgtest

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// RowsRead returns how many rows of the tables, or of all, have been read over all connections.
// Postgres counts a connection when it is closed, so RowsRead waits until only conn is open.
func RowsRead(t testing.TB, conn *pgx.Conn, tables ...string) (rows int) {
	t.Helper()
	var others int
	for deadline := time.Now().Add(limit); ; time.Sleep(20 * time.Millisecond) {
		const open = `SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`
		if err := conn.QueryRow(t.Context(), open).Scan(&others); err != nil {
			t.Fatal(err)
		}
		if others == 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d connections stay open", others)
		}
	}
	if _, err := conn.Exec(t.Context(), "SELECT pg_stat_force_next_flush()"); err != nil {
		t.Fatal(err)
	}
	const read = `SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) FROM pg_stat_user_tables
		WHERE relname = ANY($1::text[]) OR coalesce(cardinality($1::text[]), 0) = 0`
	if err := conn.QueryRow(t.Context(), read, tables).Scan(&rows); err != nil {
		t.Fatal(err)
	}
	return rows
}

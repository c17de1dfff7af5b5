package bench

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"memoir/internal/memories"
)

// copyPlainly is the floor of a mirror: it walks the directory, reads and parses each file, and copies one row per file
// into a table without an index, in one transaction on an open connection. No watches, no history, nothing compared.
func copyPlainly(b *testing.B, conn *pgx.Conn, dir string) time.Duration {
	b.Helper()
	execute(b, conn, `CREATE TABLE plain (path text, name text, type text, description text, body text, raw bytea, modified_at timestamptz)`)
	started := time.Now()
	var rows [][]any
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		file := memories.Parse(raw, strings.TrimSuffix(entry.Name(), ".md"))
		rows = append(rows, []any{path, file.Name, string(file.Type), file.Description, file.Body, raw, info.ModTime()})
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	columns := []string{"path", "name", "type", "description", "body", "raw", "modified_at"}
	if _, err := conn.CopyFrom(b.Context(), pgx.Identifier{"plain"}, columns, pgx.CopyFromRows(rows)); err != nil {
		b.Fatal(err)
	}
	took := time.Since(started)
	execute(b, conn, "DROP TABLE plain")
	return took
}

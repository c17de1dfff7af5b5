// Package dump copies all of Memoir's tables out of a database, as they were at one moment, and into
// an empty one. Package backup makes archives of them.
//
// Unlogged tables are not copied: servers fill them again after a crash. Nor is sign_ins, because a
// browser that has signed out would be signed in again.
package dump

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"memoir/db"
	"memoir/internal/backup/archive"
	"memoir/internal/postgres/internal/dberr"
)

// omitted is the logged table that is not copied.
const omitted = "sign_ins"

// loggedTable matches the creation of a table in db.Schema, but not of an unlogged one.
var loggedTable = regexp.MustCompile(`(?m)^CREATE TABLE (\w+)`)

// tableNames returns the names of the tables that are copied, as db.Schema has them.
func tableNames() (names []string) {
	for _, match := range loggedTable.FindAllStringSubmatch(db.Schema, -1) {
		if match[1] != omitted {
			names = append(names, match[1])
		}
	}
	return names
}

// noTimeouts switches off the limits that a user may have set for all statements: a large table, or
// many files between two of them, can take longer.
const noTimeouts = "SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0"

// Snapshot is the content of a database at one moment. The caller must call Close.
type Snapshot struct {
	tx     pgx.Tx
	at     time.Time
	schema int64
	tables []Table
}

// Table is a table to copy.
type Table struct {
	Name    string
	Columns []string
}

// Take begins a snapshot: it contains everything that was committed before the call.
func Take(ctx context.Context, pool *pgxpool.Pool) (*Snapshot, error) {
	s := &Snapshot{at: time.Now()}
	err := s.begin(ctx, pool)
	if err != nil && s.tx != nil {
		s.Close()
	}
	return s, dberr.Wrap("begin a backup", err)
}

func (s *Snapshot) begin(ctx context.Context, pool *pgxpool.Pool) (err error) {
	if s.tx, err = pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}); err != nil {
		return err
	}
	if _, err := s.tx.Exec(ctx, noTimeouts); err != nil {
		return err
	}
	// The first query takes the snapshot.
	if err := s.tx.QueryRow(ctx, "SELECT max(version_id) FROM memoir_migrations").Scan(&s.schema); err != nil {
		return err
	}
	s.tables, err = tablesOf(ctx, s.tx, tableNames())
	return err
}

// Close ends the snapshot.
func (s *Snapshot) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_ = s.tx.Rollback(ctx) // it has changed nothing
}

// StartedAt returns a time before the snapshot.
func (s *Snapshot) StartedAt() time.Time { return s.at }

// Schema returns the version of the tables.
func (s *Snapshot) Schema() int64 { return s.schema }

// Tables returns the tables. Parents of foreign keys come before their children.
func (s *Snapshot) Tables() []Table { return s.tables }

// Copy writes the rows of a table, one line each, and returns their number.
func (s *Snapshot) Copy(ctx context.Context, t Table, w io.Writer) (rows int64, err error) {
	tag, err := s.tx.Conn().PgConn().CopyTo(ctx, w, "COPY "+t.target()+" TO STDOUT")
	return tag.RowsAffected(), dberr.Wrap("copy "+t.Name, err)
}

// target returns the table with its columns, for COPY.
func (t Table) target() string {
	columns := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		columns[i] = quote(c)
	}
	return quote(t.Name) + " (" + strings.Join(columns, ", ") + ")"
}

func quote(name string) string { return pgx.Identifier{name}.Sanitize() }

// sequences lists the sequences of the named tables.
const sequences = `
SELECT s.relname
FROM pg_class s
JOIN pg_depend d ON d.objid = s.oid AND d.classid = 'pg_class'::regclass AND d.refclassid = 'pg_class'::regclass AND d.deptype IN ('a', 'i')
JOIN pg_class t ON t.oid = d.refobjid
WHERE s.relkind = 'S' AND t.relname = ANY ($1) AND t.relnamespace = current_schema()::regnamespace
ORDER BY s.relname`

// Sequences returns the sequences of the tables. Their numbers may be newer than the snapshot.
func (s *Snapshot) Sequences(ctx context.Context) ([]archive.Sequence, error) {
	var names []string
	for _, t := range s.tables {
		names = append(names, t.Name)
	}
	rows, _ := s.tx.Query(ctx, sequences, names)
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, dberr.Wrap("list sequences", err)
	}
	all := make([]archive.Sequence, len(found))
	for i, name := range found {
		all[i].Name = name
		if err := s.tx.QueryRow(ctx, "SELECT last_value, is_called FROM "+quote(name)).Scan(&all[i].Last, &all[i].IsCalled); err != nil {
			return nil, dberr.Wrap("read sequence "+name, err)
		}
	}
	return all, nil
}

// Agent is an agent of the snapshot that has a directory of its own.
type Agent struct {
	ID                int64
	Slug, Layout, Dir string
	Present           bool // the directory existed at the last look
}

// Agents returns the agents, without those that are links to another one, sorted by slug.
func (s *Snapshot) Agents(ctx context.Context) ([]Agent, error) {
	rows, _ := s.tx.Query(ctx, "SELECT id, slug, layout, dir, present FROM agents WHERE joined_to IS NULL ORDER BY slug")
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Agent])
	return all, dberr.Wrap("list agents", err)
}

// Files returns the paths of an agent's memory files, relative to its directory and sorted.
func (s *Snapshot) Files(ctx context.Context, agentID int64) ([]string, error) {
	rows, _ := s.tx.Query(ctx, "SELECT path FROM files WHERE agent_id = $1 AND present AND status = 'mirrored' ORDER BY path", agentID)
	all, err := pgx.CollectRows(rows, pgx.RowTo[string])
	return all, dberr.Wrap("list files", err)
}

// File returns the bytes of a memory file and its modification time, as the snapshot knows them. It
// returns nil if they are unknown.
func (s *Snapshot) File(ctx context.Context, agentID int64, path string) (raw []byte, modified time.Time, err error) {
	var ns int64
	err = s.tx.QueryRow(ctx, `
SELECT r.raw, f.mtime_ns
FROM files f JOIN revisions r ON r.memory_id = f.memory_id AND r.hash = f.hash
WHERE f.agent_id = $1 AND f.path = $2 AND r.raw IS NOT NULL
LIMIT 1`, agentID, path).Scan(&raw, &ns)
	if err == pgx.ErrNoRows { //nolint:errorlint // pgx returns it as it is
		return nil, time.Time{}, nil
	}
	return raw, time.Unix(0, ns), dberr.Wrap("read a file", err)
}

// querier is a connection or a transaction.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// tablesOf returns the tables of the database among names, each with its columns that are not
// generated. Parents of foreign keys come before their children.
func tablesOf(ctx context.Context, q querier, names []string) ([]Table, error) {
	rows, _ := q.Query(ctx, `
SELECT t.relname, array_agg(a.attname::text ORDER BY a.attnum)
FROM pg_class t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
WHERE t.relkind = 'r' AND t.relname = ANY ($1) AND t.relnamespace = current_schema()::regnamespace
GROUP BY t.relname ORDER BY t.relname`, names)
	tables, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Table])
	if err != nil {
		return nil, err
	}
	rows, _ = q.Query(ctx, `
SELECT c.relname, p.relname
FROM pg_constraint f JOIN pg_class c ON c.oid = f.conrelid JOIN pg_class p ON p.oid = f.confrelid
WHERE f.contype = 'f' AND c.oid <> p.oid AND c.relnamespace = current_schema()::regnamespace`)
	type reference struct{ Child, Parent string }
	references, err := pgx.CollectRows(rows, pgx.RowToStructByPos[reference])
	if err != nil {
		return nil, err
	}
	var sorted []Table
	for len(tables) > 0 {
		at := slices.IndexFunc(tables, func(t Table) bool {
			return !slices.ContainsFunc(references, func(r reference) bool {
				return r.Child == t.Name && slices.ContainsFunc(tables, func(other Table) bool { return other.Name == r.Parent })
			})
		})
		if at < 0 {
			return nil, fmt.Errorf("foreign keys of %s form a cycle", tables[0].Name)
		}
		sorted, tables = append(sorted, tables[at]), slices.Delete(tables, at, at+1)
	}
	return sorted, nil
}

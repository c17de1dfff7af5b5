package dump

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"memoir/internal/backup/archive"
	"memoir/internal/postgres/internal/dberr"
)

// Errors with which Check and Load refuse a database. Nothing was changed then.
var (
	ErrNotEmpty = errors.New("the database has data of Memoir")
	ErrInUse    = errors.New("a Memoir uses the database")
)

// Check returns ErrNotEmpty unless a backup with the tables of version schema can be loaded: the
// database has none of Memoir's tables, or has those of that version without rows. It returns
// ErrInUse if a server is connected.
func Check(ctx context.Context, url string, schema int64) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return dberr.Wrap("open the database", err)
	}
	defer conn.Close(context.WithoutCancel(ctx)) //nolint:errcheck // it has changed nothing
	return check(ctx, conn, schema)
}

// rowQuerier is a connection or a transaction.
type rowQuerier interface {
	querier
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

func check(ctx context.Context, q rowQuerier, schema int64) error {
	var isUsed bool
	err := q.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_stat_activity
WHERE datname = current_database() AND application_name = 'memoir' AND pid <> pg_backend_pid())`).Scan(&isUsed)
	switch {
	case err != nil:
		return dberr.Wrap("look for servers", err)
	case isUsed:
		return ErrInUse
	}
	tables, err := tablesOf(ctx, q, tableNames())
	if err != nil {
		return dberr.Wrap("list tables", err)
	}
	for _, t := range tables {
		var hasRows bool
		if err := q.QueryRow(ctx, "SELECT EXISTS (SELECT FROM "+quote(t.Name)+")").Scan(&hasRows); err != nil {
			return dberr.Wrap("look into "+t.Name, err)
		}
		if hasRows {
			return fmt.Errorf("%w: table %s has rows", ErrNotEmpty, t.Name)
		}
	}
	if len(tables) == 0 {
		return nil
	}
	var version int64
	err = q.QueryRow(ctx, "SELECT max(version_id) FROM memoir_migrations").Scan(&version)
	if err == nil && version != schema {
		err = fmt.Errorf("%w: its tables have version %d, and those of the backup %d", ErrNotEmpty, version, schema)
	}
	return dberr.Wrap("check the database", err)
}

// Move is a directory that is at another place than when the backup was made.
type Move struct{ From, To string }

// Load puts the tables of a backup into a database in one transaction. The database must have the
// tables of the backup's version, without rows. moves are applied to the agents' directories, the
// first that fits. It fails with ErrNotEmpty or ErrInUse.
func Load(ctx context.Context, url string, m archive.Manifest, r *archive.Reader, moves []Move) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return dberr.Wrap("open the database", err)
	}
	defer conn.Close(context.WithoutCancel(ctx)) //nolint:errcheck // committed, or rolled back by closing
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error { return load(ctx, tx, m, r, moves) })
	if err != nil {
		return dberr.Wrap("restore the database", err)
	}
	_, err = conn.Exec(ctx, "ANALYZE")
	return dberr.Wrap("analyse the tables", err)
}

func load(ctx context.Context, tx pgx.Tx, m archive.Manifest, r *archive.Reader, moves []Move) error {
	if _, err := tx.Exec(ctx, noTimeouts); err != nil {
		return err
	}
	known, err := tablesOf(ctx, tx, tableNames())
	if err != nil {
		return err
	}
	names := make([]string, len(known))
	for i, t := range known {
		names[i] = quote(t.Name)
	}
	// No server may start to fill the tables now.
	if _, err := tx.Exec(ctx, "LOCK TABLE "+strings.Join(names, ", ")+" IN EXCLUSIVE MODE"); err != nil {
		return err
	}
	if err := check(ctx, tx, m.Schema); err != nil {
		return err
	}
	// The rows that the triggers would make are in the backup.
	if err := setTriggers(ctx, tx, known, "DISABLE"); err != nil {
		return err
	}
	for {
		item, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if item.Table == "" {
			continue
		}
		if err := loadTable(ctx, tx, m, known, item); err != nil {
			return err
		}
	}
	for _, s := range m.Sequences {
		if _, err := tx.Exec(ctx, "SELECT setval($1::regclass, $2, $3)", quote(s.Name), s.Last, s.IsCalled); err != nil {
			return err
		}
	}
	if err := move(ctx, tx, moves); err != nil {
		return err
	}
	return setTriggers(ctx, tx, known, "ENABLE")
}

func loadTable(ctx context.Context, tx pgx.Tx, m archive.Manifest, known []Table, item archive.Item) error {
	at := slices.IndexFunc(m.Tables, func(t archive.Table) bool { return t.Name == item.Table })
	isKnown := slices.ContainsFunc(known, func(t Table) bool { return t.Name == item.Table })
	if at < 0 || !isKnown {
		return fmt.Errorf("%w: unknown table %s", archive.ErrDamaged, item.Table)
	}
	t := Table{Name: item.Table, Columns: m.Tables[at].Columns}
	tag, err := tx.Conn().PgConn().CopyFrom(ctx, item, "COPY "+t.target()+" FROM STDIN")
	if err == nil && tag.RowsAffected() != m.Tables[at].Rows {
		err = fmt.Errorf("%w: table %s has %d rows, want %d", archive.ErrDamaged, t.Name, tag.RowsAffected(), m.Tables[at].Rows)
	}
	return err
}

// setTriggers enables or disables the triggers that Memoir's schema defines. Foreign keys stay
// checked.
func setTriggers(ctx context.Context, tx pgx.Tx, tables []Table, verb string) error {
	for _, t := range tables {
		if _, err := tx.Exec(ctx, "ALTER TABLE "+quote(t.Name)+" "+verb+" TRIGGER USER"); err != nil {
			return err
		}
	}
	return nil
}

// move applies moves to the agents' directories. It also forgets which inodes the directories had,
// so that the next scan does not take them for replaced ones.
func move(ctx context.Context, tx pgx.Tx, moves []Move) error {
	if _, err := tx.Exec(ctx, "UPDATE agents SET primary_device = NULL, primary_inode = NULL"); err != nil {
		return err
	}
	from, to := make([]string, len(moves)), make([]string, len(moves))
	for i, m := range moves {
		from[i], to[i] = m.From, m.To
	}
	for _, column := range []string{"dir", "claude_md_path"} {
		_, err := tx.Exec(ctx, `
UPDATE agents SET `+column+` = moved.path FROM (
    SELECT DISTINCT ON (a.id) a.id, rtrim(m.target, '/') || substr(a.`+column+`, length(rtrim(m.source, '/')) + 1) AS path
    FROM agents a JOIN unnest($1::text[], $2::text[]) WITH ORDINALITY AS m (source, target, place)
        ON a.`+column+` = m.source OR starts_with(a.`+column+`, rtrim(m.source, '/') || '/')
    ORDER BY a.id, m.place
) moved WHERE moved.id = agents.id`, from, to)
		if err != nil {
			return err
		}
	}
	return nil
}

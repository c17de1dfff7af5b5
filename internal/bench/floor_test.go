package bench

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"memoir/internal/memories/frontmatter"
)

// copyPlainly is the floor of a mirror. It reads and parses each file, and copies one row per file
// into a table without an index, in one transaction. It has no watches and no history.
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
		file := frontmatter.Parse(raw, strings.TrimSuffix(entry.Name(), ".md"))
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

// walkPlainly is the floor of a start without changes: it lists every directory, and reads the size
// and times of every file.
func walkPlainly(b *testing.B, dir string) time.Duration {
	b.Helper()
	return timed(func() {
		err := filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
			if err == nil {
				_, err = entry.Info()
			}
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	})
}

// savePlainly is the floor of a save: it renames a file into place, parses it, and inserts one row.
func savePlainly(b *testing.B, conn *pgx.Conn, path, text string) time.Duration {
	b.Helper()
	execute(b, conn, "CREATE TABLE IF NOT EXISTS plain (path text, name text, type text, description text, body text, raw bytea)")
	save(b, path+".tmp", text)
	return timed(func() {
		if err := os.Rename(path+".tmp", path); err != nil {
			b.Fatal(err)
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		file := frontmatter.Parse(raw, "plain")
		_, err = conn.Exec(b.Context(), "INSERT INTO plain VALUES ($1, $2, $3, $4, $5, $6)", path, file.Name, string(file.Type), file.Description, file.Body, raw)
		if err != nil {
			b.Fatal(err)
		}
	})
}

// recallPlainly is the floor of a recall: Postgres ranks the five best memories with any of the
// words, and one row with the query is committed.
func recallPlainly(b *testing.B, conn *pgx.Conn, query string) time.Duration {
	b.Helper()
	execute(b, conn, "CREATE TABLE IF NOT EXISTS asked (query text)")
	return timed(func() {
		rows, err := conn.Query(b.Context(), `SELECT s.memory_id::text
			FROM memory_search s, CAST(replace(plainto_tsquery('simple', $1)::text, '&', '|') AS tsquery) AS query
			WHERE s.words @@ query ORDER BY ts_rank(s.words, query) DESC LIMIT 5`, query)
		if err != nil {
			b.Fatal(err)
		}
		if found, err := pgx.CollectRows(rows, pgx.RowTo[string]); err != nil || len(found) == 0 {
			b.Fatalf("%d memories recalled plainly: %v", len(found), err)
		}
		if _, err := conn.Exec(b.Context(), "INSERT INTO asked VALUES ($1)", query); err != nil {
			b.Fatal(err)
		}
	})
}

// floorDir is the directory of the floor's files, beside the agents' directories. Both then use the
// same area of the disk. On ext4 without a journal, another area can take 0.5 ms instead of 0.07.
const floorDir = ".floor"

// deletePlainly is the floor of a deletion: it commits one row, and writes, syncs and renames a
// file as long as CLAUDE.md, and syncs its directory.
func deletePlainly(b *testing.B, conn *pgx.Conn, path string, text []byte) time.Duration {
	b.Helper()
	execute(b, conn, "CREATE TABLE IF NOT EXISTS gone (name text)")
	return timed(func() {
		execute(b, conn, "INSERT INTO gone VALUES ('a memory')")
		if err := writeDurably(path, text); err != nil {
			b.Fatal(err)
		}
	})
}

func writeDurably(path string, text []byte) error {
	file, err := os.Create(path + ".tmp")
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // closed before where it matters
	if _, err := file.Write(text); err != nil {
		return err
	}
	if err := file.Sync(); err != nil {
		return err
	}
	if err := os.Rename(path+".tmp", path); err != nil {
		return err
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer dir.Close() //nolint:errcheck // nothing was written through it
	return dir.Sync()
}

// listed is one row of a list.
type listed struct {
	ID, Name, State, Type, Hash, Path, Description, Body string
	Session                                              *string
	Size                                                 int64
	ModifiedAt, CreatedAt, UpdatedAt                     time.Time
}

// place is the position of a page in a list: directly after this memory.
type place struct {
	UpdatedAt time.Time
	ID        string
}

// listPlainly is the floor of a list: the bare query for a page of 50, last changed first. For a
// later page it reads two ranges of the index: memories of the same time, and earlier ones.
func listPlainly(b *testing.B, conn *pgx.Conn, agent int64, after *place) []listed {
	b.Helper()
	part := func(beyond string) string {
		return fmt.Sprintf(`(SELECT * FROM memories m WHERE m.agent_id = $1 AND m.state <> 'deleted' %s
			ORDER BY m.updated_at DESC, m.id LIMIT %d)`, beyond, pageLimit)
	}
	page, args := part(""), []any{agent}
	if after != nil {
		page = fmt.Sprintf("(SELECT * FROM (%s UNION ALL %s) m ORDER BY m.updated_at DESC, m.id LIMIT %d)",
			part("AND m.updated_at = $2 AND m.id > $3"), part("AND m.updated_at < $2"), pageLimit)
		args = append(args, after.UpdatedAt, after.ID)
	}
	rows, err := conn.Query(b.Context(), `
		SELECT m.id::text, m.name, m.state, coalesce(m.type, ''), m.hash, m.path, r.description, r.body, m.session, m.size,
		       m.modified_at, m.created_at, m.updated_at
		FROM `+page+` m
		JOIN revisions r ON r.id = m.revision_id ORDER BY m.updated_at DESC, m.id`, args...)
	if err != nil {
		b.Fatal(err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[listed])
	if err != nil || len(found) != pageLimit {
		b.Fatalf("%d memories on a plain page: %v", len(found), err)
	}
	return found
}

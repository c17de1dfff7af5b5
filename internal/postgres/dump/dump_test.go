package dump_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"memoir/internal/backup/archive"
	"memoir/internal/postgres"
	"memoir/internal/postgres/dump"
	"memoir/internal/postgres/migrate"
	"memoir/internal/postgres/pgtest"
)

// someRows are an agent, which joins another one, and a memory.
const someRows = `
INSERT INTO agents (slug, layout, dir, display_name, created_at, updated_at, claude_md_path, primary_device, primary_inode)
VALUES ('ada', 'hive', '/old/ada', 'ada', now(), now(), '/old/ada/CLAUDE.md', 1, 2), ('bob', 'hive', '/older/bob', E'b\t\\o\nb', now(), now(), NULL, NULL, NULL);
UPDATE agents SET joined_to = 'bob' WHERE slug = 'ada';
INSERT INTO memories (id, agent_id, name, readable, state, type, revision_id, fingerprint, hash, size, path, modified_at, content_at, created_at, updated_at, description)
SELECT '00000000-0000-0000-0000-000000000001', id, 'Tabs', true, 'active', 'user', '00000000-0000-0000-0000-000000000002', '\x00ff', 'h', 1, 'memory/tabs.md', now(), now(), now(), now(), ''
FROM agents WHERE slug = 'ada';
INSERT INTO revisions (id, memory_id, fingerprint, hash, description, body, raw, path, seen_at)
VALUES ('00000000-0000-0000-0000-000000000002', '00000000-0000-0000-0000-000000000001', '\x00ff', 'h', '', 'Use tabs.', '\x00', 'memory/tabs.md', now());`

// taken returns a backup of the tables at url.
func taken(t *testing.T, url string) []byte {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	s, err := dump.Take(t.Context(), pool)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var out bytes.Buffer
	w, err := archive.NewWriter(&out, archive.Manifest{Memoir: "v1", Schema: s.Schema(), StartedAt: s.StartedAt()})
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range s.Tables() {
		copyTo := func(w io.Writer) (int64, error) { return s.Copy(t.Context(), table, w) }
		if err := w.Table(table.Name, table.Columns, copyTo); err != nil {
			t.Fatal(err)
		}
	}
	sequences, err := s.Sequences(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w.Sequences(sequences)
	if _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// loaded loads a backup into the database at url.
func loaded(ctx context.Context, url string, whole []byte, moves ...dump.Move) error {
	m, err := archive.Verify(bytes.NewReader(whole))
	if err != nil {
		return err
	}
	r, err := archive.NewReader(bytes.NewReader(whole))
	if err != nil {
		return err
	}
	defer r.Close()
	return dump.Load(ctx, url, m, r, moves)
}

func TestLoad_EverythingIsBack(t *testing.T) {
	t.Parallel()
	from, to := pgtest.New(t), pgtest.New(t)
	pgtest.Execute(t, pgtest.Connect(t, from), someRows)
	whole := taken(t, from)
	if err := loaded(t.Context(), to, whole, dump.Move{From: "/old", To: "/new"}, dump.Move{From: "/", To: "/srv"}); err != nil {
		t.Fatal(err)
	}
	conn := pgtest.Connect(t, to)
	for query, want := range map[string]string{
		"SELECT string_agg(concat_ws(' ', slug, dir, display_name, joined_to, claude_md_path, primary_inode), '; ' ORDER BY slug) FROM agents": "ada /new/ada ada bob /new/ada/CLAUDE.md; bob /srv/older/bob b\t\\o\nb",
		"SELECT string_agg(name || ' ' || fingerprint::text || ' ' || quarantined, '; ') FROM memories":                                        `Tabs \x00ff false`,
		"SELECT string_agg(concat_ws(' ', state, type, n), '; ') FROM memory_tallies":                                                          "active user 1",
		"SELECT string_agg(body || ' ' || raw::text, '; ') FROM revisions":                                                                     `Use tabs. \x00`,
	} {
		var got string
		if pgtest.Query(t, conn, query, &got); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
	pgtest.Execute(t, conn, "INSERT INTO agents (slug, layout, dir, display_name, created_at, updated_at) VALUES ('eve', 'hive', '/eve', 'eve', now(), now())")
	var n int
	if pgtest.Query(t, conn, "SELECT id FROM agents WHERE slug = 'eve'", &n); n != 3 {
		t.Errorf("the next agent has the id %d, want 3", n)
	}
	// The triggers are on again.
	pgtest.Execute(t, conn, "DELETE FROM memories")
	if pgtest.Query(t, conn, "SELECT sum(n)::int FROM memory_tallies", &n); n != 0 {
		t.Errorf("after the deletion of all, the tally is %d", n)
	}
}

// Each table that a server cannot fill again by itself must be in a backup.
func TestTake_AllTables(t *testing.T) {
	t.Parallel()
	url := pgtest.New(t)
	m, err := archive.Verify(bytes.NewReader(taken(t, url)))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, table := range m.Tables {
		names = append(names, table.Name)
	}
	var all []string
	pgtest.Query(t, pgtest.Connect(t, url), "SELECT array_agg(relname::text ORDER BY relname) FROM pg_class WHERE relkind = 'r' AND relpersistence = 'p' AND relnamespace = 'public'::regnamespace", &all)
	all = slices.DeleteFunc(all, func(name string) bool { return name == "sign_ins" || name == "memoir_migrations" })
	if slices.Sort(names); !slices.Equal(names, all) {
		t.Errorf("Tables() = %v, want %v", names, all)
	}
	if len(m.Sequences) < 5 {
		t.Errorf("Sequences() = %v", m.Sequences)
	}
}

func TestLoad_EarlierVersion(t *testing.T) {
	t.Parallel()
	for _, version := range []int64{45, migrate.SchemaVersion() - 1} {
		t.Run(fmt.Sprint(version), func(t *testing.T) {
			t.Parallel()
			from, to := pgtest.Empty(t), pgtest.Empty(t)
			if err := migrate.To(t.Context(), from, version); err != nil {
				t.Fatal(err)
			}
			pgtest.Execute(t, pgtest.Connect(t, from), someRows)
			whole := taken(t, from)
			if err := migrate.To(t.Context(), to, version); err != nil {
				t.Fatal(err)
			}
			if err := loaded(t.Context(), to, whole); err != nil {
				t.Fatal(err)
			}
			if err := migrate.Run(t.Context(), to); err != nil {
				t.Fatal(err)
			}
			store, err := postgres.Open(t.Context(), to)
			if err != nil {
				t.Fatal(err)
			}
			defer store.Close()
			if agent, err := store.Agent(t.Context(), "ada"); err != nil || agent.Counts.Total != 1 {
				t.Errorf("Agent() = %+v, %v", agent, err)
			}
		})
	}
}

func TestCheck_Refusals(t *testing.T) {
	t.Parallel()
	newest := migrate.SchemaVersion()
	empty, tables, full := pgtest.Empty(t), pgtest.New(t), pgtest.New(t)
	pgtest.Execute(t, pgtest.Connect(t, full), someRows)
	whole := taken(t, full)
	for what, tt := range map[string]struct {
		url     string
		version int64
		want    error
	}{
		"no tables":         {empty, newest, nil},
		"empty tables":      {tables, newest, nil},
		"of another schema": {tables, newest - 1, dump.ErrNotEmpty},
		"rows":              {full, newest, dump.ErrNotEmpty},
	} {
		if err := dump.Check(t.Context(), tt.url, tt.version); !errors.Is(err, tt.want) {
			t.Errorf("%s: Check() error = %v, want %v", what, err, tt.want)
		}
	}
	if err := loaded(t.Context(), full, whole); !errors.Is(err, dump.ErrNotEmpty) {
		t.Errorf("Load() error = %v, want ErrNotEmpty", err)
	}
	store, err := postgres.Open(t.Context(), tables)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if err := dump.Check(t.Context(), tables, newest); !errors.Is(err, dump.ErrInUse) {
		t.Errorf("with a server: Check() error = %v, want ErrInUse", err)
	}
}

// A load that fails leaves empty tables, so that it can be repeated.
func TestLoad_Fails(t *testing.T) {
	t.Parallel()
	from, to := pgtest.New(t), pgtest.New(t)
	conn := pgtest.Connect(t, from)
	pgtest.Execute(t, conn, someRows)
	whole := taken(t, from)
	other := pgtest.Connect(t, to)
	pgtest.Execute(t, other, "ALTER TABLE revisions ADD CONSTRAINT fails CHECK (body = '')")
	var refused error
	if refused = loaded(t.Context(), to, whole); refused == nil {
		t.Fatal("Load() error = nil, want the constraint's")
	}
	if err := dump.Check(t.Context(), to, migrate.SchemaVersion()); err != nil {
		t.Errorf("after %v: Check() error = %v", refused, err)
	}
	pgtest.Execute(t, other, "ALTER TABLE revisions DROP CONSTRAINT fails")
	if err := loaded(t.Context(), to, whole); err != nil {
		t.Error(err)
	}
}

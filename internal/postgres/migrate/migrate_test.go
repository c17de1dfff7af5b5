package migrate_test

import (
	"context"
	_ "embed"
	"errors"
	"log/slog"
	"maps"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"

	"memoir/internal/postgres"
	"memoir/internal/postgres/migrate"
	"memoir/internal/postgres/pgtest"
)

//go:embed testdata/v38.sql
var version38 string

// upgraded returns a connection to a new database that was created at version 38 and migrated, and
// its URL.
func upgraded(t *testing.T) (conn *pgx.Conn, url string) {
	t.Helper()
	url = pgtest.Empty(t)
	old := pgtest.Connect(t, url)
	pgtest.Execute(t, old, version38)
	if err := migrate.Run(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	return pgtest.Connect(t, url), url
}

func TestMigrate_From38MakesTheSchema(t *testing.T) {
	t.Parallel()
	conn, _ := upgraded(t)
	want, got := catalogue(t, pgtest.Connect(t, pgtest.New(t))), catalogue(t, conn)
	for line := range want {
		if !got[line] {
			t.Errorf("only in schema.sql: %s", line)
		}
	}
	for line := range got {
		if !want[line] {
			t.Errorf("only in the upgraded database: %s", line)
		}
	}
}

// A backup of an earlier version is restored into tables of that version.
func TestTo_EachVersion(t *testing.T) {
	t.Parallel()
	want := catalogue(t, pgtest.Connect(t, pgtest.New(t)))
	for version := int64(38); version <= migrate.SchemaVersion(); version++ {
		url := pgtest.Empty(t)
		if err := migrate.To(t.Context(), url, version); err != nil {
			t.Fatal(err)
		}
		conn := pgtest.Connect(t, url)
		var found int64
		if pgtest.Query(t, conn, "SELECT max(version_id) FROM memoir_migrations", &found); found != version {
			t.Errorf("To(%d) makes version %d", version, found)
		}
		if err := migrate.Run(t.Context(), url); err != nil {
			t.Fatal(err)
		}
		if got := catalogue(t, conn); !maps.Equal(got, want) {
			t.Errorf("tables of version %d, upgraded, differ from schema.sql", version)
		}
	}
	err := migrate.To(t.Context(), pgtest.Empty(t), migrate.SchemaVersion()+1)
	if !errors.Is(err, migrate.ErrNewerDatabase) {
		t.Errorf("To() error = %v, want ErrNewerDatabase", err)
	}
}

func TestMigrate_From38KeepsRows(t *testing.T) {
	t.Parallel()
	conn, url := upgraded(t)
	if gaps := pgtest.Tallies(t, url)(); len(gaps) > 0 {
		t.Errorf("counts and conflicts: %q", gaps)
	}
	if gaps := pgtest.Journal(t, url)(); len(gaps) > 0 {
		t.Errorf("journal: %q", gaps)
	}
	for _, tt := range []struct{ what, query, want string }{
		{"memories by state", "SELECT string_agg(state || ' ' || n, ', ' ORDER BY state) FROM (SELECT state, count(*) AS n FROM memories GROUP BY state) s",
			"active 8, deleted 3, missing 11, needs_attention 3"},
		{"trash", "SELECT string_agg(name || ' ' || deleted_by, ', ' ORDER BY name) FROM memories WHERE state = 'deleted'",
			"From disk disk, Gone person, Returns person"},
		{"conflicts", "SELECT string_agg(name || ' ' || conflict, ', ' ORDER BY name) FROM memories WHERE conflict IS NOT NULL",
			"Rival session, Two files primary"},
		{"history of one memory", "SELECT string_agg(r.body, ' | ' ORDER BY r.sequence) FROM revisions r JOIN memories m ON m.id = r.memory_id WHERE m.name = 'Tabs'",
			"Use tabs. | Use tabs, always."},
		{"index lines of a deleted memory", "SELECT index_lines -> 'memory/MEMORY.md' -> 0 ->> 'text' FROM memories WHERE name = 'Gone'", "- [Gone](gone.md)"},
		{"revisions and files", "SELECT (SELECT count(*) FROM revisions) || ' ' || (SELECT count(*) FROM files)", "28 29"},
		{"rows that belong to no agent", "SELECT (SELECT count(*) FROM tombstones WHERE agent_id = 9999) + (SELECT count(*) FROM recall_items WHERE agent_id = 9999) || ''", "0"},
		{"other tables", `SELECT concat_ws(' ', (SELECT count(*) FROM tombstones), (SELECT count(*) FROM blocked_contents), (SELECT count(*) FROM recall_items), (SELECT count(*) FROM verifications),
			(SELECT count(*) FROM proposals), (SELECT count(*) FROM conversations), (SELECT count(*) FROM consolidation_steps), (SELECT count(*) FROM logs),
			(SELECT count(*) FROM index_facts), (SELECT count(*) FROM sign_ins), (SELECT count(*) FROM river_job))`, "4 1 1 1 1 1 1 1 1 1 1"},
	} {
		var got string
		if pgtest.Query(t, conn, tt.query, &got); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.what, got, tt.want)
		}
	}
}

// The store reads an upgraded database as any other.
func TestMigrate_From38IsRead(t *testing.T) {
	t.Parallel()
	_, url := upgraded(t)
	store, err := postgres.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	agent, err := store.Agent(t.Context(), "ada")
	if err != nil {
		t.Fatal(err)
	}
	if agent.Counts.Total != 10 || agent.Counts.Deleted != 3 {
		t.Errorf("counts are %+v", agent.Counts)
	}
	conflicts, err := store.Disagreements(t.Context(), agent)
	if err != nil || len(conflicts) != 2 {
		t.Errorf("conflicts are %+v (%v)", conflicts, err)
	}
}

func TestMigrate_RefusesOldVersions(t *testing.T) {
	t.Parallel()
	url := pgtest.New(t)
	conn := pgtest.Connect(t, url)
	pgtest.Execute(t, conn, "DELETE FROM memoir_migrations WHERE version_id > 0")
	pgtest.Execute(t, conn, "INSERT INTO memoir_migrations (version_id, is_applied) VALUES (29, true)")
	before := catalogue(t, conn)
	err := migrate.Run(t.Context(), url)
	if !errors.Is(err, migrate.ErrOldDatabase) || !strings.Contains(err.Error(), "version 29") {
		t.Errorf("Migrate() error = %v, want ErrOldDatabase", err)
	}
	if after := catalogue(t, conn); !maps.Equal(after, before) {
		t.Error("the database was changed")
	}
}

func TestMigrate_Again(t *testing.T) {
	t.Parallel()
	url := pgtest.New(t)
	conn := pgtest.Connect(t, url)
	before := catalogue(t, conn)
	if err := migrate.Run(context.Background(), url); err != nil {
		t.Fatal(err)
	}
	if after := catalogue(t, conn); !maps.Equal(after, before) {
		t.Errorf("the schema was %v and is %v", before, after)
	}
}

func TestMigrate_ConcurrentServers(t *testing.T) {
	t.Parallel()
	url := pgtest.Empty(t)
	var servers sync.WaitGroup
	for range 4 {
		servers.Go(func() {
			if err := migrate.Run(context.Background(), url); err != nil {
				t.Error(err)
			}
		})
	}
	servers.Wait()
	var twice int
	pgtest.Query(t, pgtest.Connect(t, url), `SELECT count(*) FROM (
		SELECT version_id FROM memoir_migrations GROUP BY version_id HAVING count(*) > 1) repeated`, &twice)
	if twice != 0 {
		t.Errorf("%d migrations ran twice", twice)
	}
}

func TestMigrate_NewerDatabase(t *testing.T) {
	t.Parallel()
	url := pgtest.New(t)
	conn := pgtest.Connect(t, url)
	pgtest.Execute(t, conn, "INSERT INTO memoir_migrations (version_id, is_applied) VALUES (9999, true)")
	before := catalogue(t, conn)
	err := migrate.Run(context.Background(), url)
	if !errors.Is(err, migrate.ErrNewerDatabase) || !strings.Contains(err.Error(), "9999") {
		t.Errorf("got %v", err)
	}
	if after := catalogue(t, conn); !maps.Equal(after, before) {
		t.Error("the database was changed")
	}
}

func TestMigrate_OtherTables(t *testing.T) {
	t.Parallel()
	url := pgtest.Empty(t)
	conn := pgtest.Connect(t, url)
	pgtest.Execute(t, conn, `CREATE TABLE goose_db_version (id int, version_id bigint, is_applied boolean);
		INSERT INTO goose_db_version VALUES (1, 20260101, true)`)
	if err := migrate.Run(context.Background(), url); err != nil {
		t.Fatal(err)
	}
	var rows int
	pgtest.Query(t, conn, "SELECT count(*) FROM goose_db_version", &rows)
	if rows != 1 {
		t.Errorf("the team's table has %d rows", rows)
	}
}

func TestMigrate_ErrorHidesPassword(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for _, url := range []string{
		"postgres://memoir:opensesame@127.0.0.1:1/memoir",
		"postgres://memoir:opensesame@127.0.0.1:notaport/memoir",
		"host=127.0.0.1 port=1 password=opensesame",
		"password=opensesame port=x",
	} {
		err := migrate.Run(ctx, url)
		if err == nil {
			t.Errorf("%s was migrated", url)
		} else if strings.Contains(err.Error(), "opensesame") {
			t.Errorf("%v", err)
		}
	}
}

// The schema contains the tables of River's queue as this version of River needs them.
func TestSchema_RiverTables(t *testing.T) {
	t.Parallel()
	url := pgtest.Empty(t)
	pool, err := pgxpool.New(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	migrator, err := rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := migrator.Migrate(t.Context(), rivermigrate.DirectionUp, nil); err != nil {
		t.Fatal(err)
	}
	pool.Close()
	theirs, ours := pgtest.Connect(t, url), pgtest.Connect(t, pgtest.New(t))
	pgtest.Execute(t, theirs, "DROP TABLE river_migration")
	want, got := ofRiver(catalogue(t, theirs)), ofRiver(catalogue(t, ours))
	if len(want) < 50 {
		t.Errorf("River makes only %d things", len(want))
	}
	for line := range want {
		if !got[line] {
			t.Errorf("only River makes: %s", line)
		}
	}
	for line := range got {
		if !want[line] {
			t.Errorf("River does not make: %s", line)
		}
	}
}

// ofRiver returns the lines of a catalogue about River's tables, without the positions of columns,
// which do not matter to River. It removes all other lines from lines.
func ofRiver(lines map[string]bool) map[string]bool {
	place := regexp.MustCompile(` at \d+:`)
	maps.DeleteFunc(lines, func(line string, _ bool) bool { return !strings.Contains(line, "river_") })
	kept := map[string]bool{}
	for line := range lines {
		kept[place.ReplaceAllString(line, ":")] = true
	}
	return kept
}

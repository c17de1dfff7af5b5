package postgres_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/pressly/goose/v3"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"

	"memoir/db"
	"memoir/internal/postgres"
	"memoir/internal/postgres/pgtest"
)

func TestTheMigrationsLeadToTheSchema(t *testing.T) {
	t.Parallel()
	migrated, declared := connect(t, pgtest.New(t)), connect(t, pgtest.Empty(t))
	execute(t, migrated, "DROP TABLE memoir_migrations")
	execute(t, declared, db.Schema)
	want, got := catalogue(t, declared), catalogue(t, migrated)
	for line := range want {
		if !got[line] {
			t.Errorf("only in schema.sql: %s", line)
		}
	}
	for line := range got {
		if !want[line] {
			t.Errorf("only in the migrations: %s", line)
		}
	}
}

func TestMigratingAgainChangesNothing(t *testing.T) {
	t.Parallel()
	url := pgtest.New(t)
	conn := connect(t, url)
	before := catalogue(t, conn)
	if err := postgres.Migrate(context.Background(), url); err != nil {
		t.Fatal(err)
	}
	if after := catalogue(t, conn); !maps.Equal(after, before) {
		t.Errorf("the schema was %v and is %v", before, after)
	}
}

func TestADatabaseWithoutAJournalGetsOneThatLeadsToWhatIs(t *testing.T) {
	t.Parallel()
	url := pgtest.Empty(t)
	migrateTo(t, url, 1)
	conn := connect(t, url)
	execute(t, conn, `INSERT INTO agents (slug, layout, dir, display_name, created_at, updated_at) VALUES ('ada', 'hive', '/ada', 'ada', now(), now())`)
	for i, life := range []string{"'active', 'user', NULL, NULL", "'needs_attention', NULL, NULL, NULL", "'missing', 'project', NULL, NULL",
		"'deleted', 'user', now(), 'person'", "'deleted', NULL, now() - interval '1 day', 'disk'"} {
		execute(t, conn, fmt.Sprintf(`INSERT INTO memories (id, agent_id, name, readable, state, type, deleted_at, deleted_by, revision_id, fingerprint,
				hash, size, path, session, modified_at, content_at, created_at, updated_at)
			SELECT gen_random_uuid(), id, 'M%[1]d', true, %[2]s, gen_random_uuid(), '', '', 1, 'memory/m%[1]d.md', NULLIF('u1-c1-1', 'u1-c1-%[1]d'), now(), now(),
				now() - interval '%[1]d days', now()
			FROM agents`, i, life))
	}
	execute(t, conn, `INSERT INTO revisions (id, memory_id, fingerprint, hash, description, body, path, seen_at)
		SELECT revision_id, id, '', '', 'How ' || name || ' is done', '', path, now() FROM memories`)
	execute(t, conn, `INSERT INTO files (agent_id, path, session, memory_id, status, present, fingerprint, hash, size, inode, mtime_ns, ctime_ns, modified_at, content_at)
		SELECT m.agent_id, s || '/' || m.name, s, m.id, 'carries', true, CASE WHEN m.name < 'M2' THEN s::bytea ELSE '' END, '', 1, 1, 1, 1, now(), now()
		FROM memories m, unnest(ARRAY['a', 'b']) s`)
	if err := postgres.Migrate(context.Background(), url); err != nil {
		t.Fatal(err)
	}
	if gaps := pgtest.Journal(t, url)(); len(gaps) > 0 {
		t.Errorf("the journal has gaps: %q", gaps)
	}
	if gaps := pgtest.Tallies(t, url)(); len(gaps) > 0 {
		t.Errorf("what was there before is counted wrong: %q", gaps)
	}
	var disagreements int
	if query(t, conn, "SELECT count(*) FROM memories WHERE conflict IS NOT NULL", &disagreements); disagreements != 2 {
		t.Errorf("files disagreed about two memories, and %d are noted", disagreements)
	}
	var told string
	query(t, conn, "SELECT string_agg(kind || ' ' || name || ' ' || actor, ', ' ORDER BY name, at, id) FROM activity", &told)
	if told != "learned M0 session, learned M1 disk, learned M2 session, missing M2 disk, learned M3 session, deleted M3 browser, "+
		"learned M4 session, deleted M4 disk" {
		t.Errorf("the journal tells: %s", told)
	}
}

func TestTimesThatNoAnswerCouldTellBecomeThoseOfTheFiles(t *testing.T) {
	t.Parallel()
	url := pgtest.Empty(t)
	migrateTo(t, url, 25)
	conn := connect(t, url)
	execute(t, conn, `INSERT INTO agents (slug, layout, dir, display_name, created_at, updated_at) VALUES ('ada', 'hive', '/ada', 'ada', now(), now())`)
	for i, modified := range []string{"10000-01-01 00:59:59+00", "0002-12-31 23:00:00+00 BC", "9999-12-31 23:59:59+00", "0001-01-01 00:00:00+00", "2026-01-02 03:04:05+00"} {
		execute(t, conn, fmt.Sprintf(`INSERT INTO memories (id, agent_id, name, readable, state, type, revision_id, fingerprint, hash, size, path, modified_at,
				description, content_at, created_at, updated_at)
			SELECT gen_random_uuid(), id, 'M%[1]d', true, 'active', 'user', gen_random_uuid(), '', '', 1, 'memory/m%[1]d.md', '%[2]s',
				'', '2026-05-06Z', now(), now()
			FROM agents`, i, modified))
	}
	execute(t, conn, `INSERT INTO revisions (id, memory_id, fingerprint, hash, description, body, path, seen_at)
		SELECT revision_id, id, '', '', '', '', path, now() FROM memories`)
	// Of the second memory no file is left.
	execute(t, conn, `INSERT INTO files (agent_id, path, memory_id, status, present, fingerprint, hash, size, mtime_ns, modified_at, content_at)
		SELECT agent_id, path, id, 'carries', true, '', '', 1, 1767225600123456789, modified_at, now() FROM memories WHERE name <> 'M1'`)
	if err := postgres.Migrate(context.Background(), url); err != nil {
		t.Fatal(err)
	}
	const want = "M0 2026-01-01 00:00:00.123456, M1 2026-05-06 00:00:00, M2 9999-12-31 23:59:59, M3 0001-01-01 00:00:00, M4 2026-01-02 03:04:05"
	var times string
	if query(t, conn, "SELECT string_agg(name || ' ' || modified_at AT TIME ZONE 'UTC', ', ' ORDER BY name) FROM memories", &times); times != want {
		t.Errorf("the memories are of %s, want %s", times, want)
	}
	var apart int
	query(t, conn, "SELECT count(*) FROM files f JOIN memories m ON m.id = f.memory_id WHERE f.modified_at <> m.modified_at", &apart)
	if gaps := pgtest.Tallies(t, url)(); apart > 0 || len(gaps) > 0 {
		t.Errorf("%d files are of other times than their memories, and counted wrong is %q", apart, gaps)
	}
}

func TestMigrate_NamesInNFC(t *testing.T) {
	t.Parallel()
	url := pgtest.Empty(t)
	migrateTo(t, url, 29)
	conn := connect(t, url)
	execute(t, conn, `INSERT INTO agents (slug, layout, dir, display_name, created_at, updated_at, claude_md_in_step)
		VALUES ('ada', 'hive', '/ada', 'ada', now(), now(), 'x')`)
	const nfc, nfd = "Caf\u00e9", "Cafe\u0301"
	for path, m := range map[string]struct{ name, state, content string }{
		"alone":     {nfd + " alone", "active", "2026-01-01Z"},
		"old":       {nfc, "active", "2026-01-01Z"},
		"new":       {nfd, "active", "2026-02-02Z"},
		"deleted":   {nfc + " x", "deleted", "2026-03-03Z"},
		"living":    {nfd + " x", "active", "2026-01-01Z"},
		"plain":     {"plain", "active", "2026-01-01Z"},
		"newer nfc": {nfc + " y", "active", "2026-02-02Z"},
		"older nfd": {nfd + " y", "active", "2026-01-01Z"},
	} {
		execute(t, conn, fmt.Sprintf(`INSERT INTO memories (id, agent_id, name, readable, state, type, revision_id, fingerprint, hash, size, path,
				modified_at, description, content_at, created_at, updated_at, deleted_at)
			SELECT gen_random_uuid(), id, '%s', true, '%[2]s', 'user', gen_random_uuid(), '', '', 1, '%[3]s', now(), '', '%[4]s', now(), now(),
				CASE WHEN '%[2]s' = 'deleted' THEN now() END
			FROM agents`, m.name, m.state, path, m.content))
	}
	execute(t, conn, `INSERT INTO files (agent_id, path, memory_id, status, present, fingerprint, hash, size, mtime_ns, modified_at, content_at, signature)
		SELECT agent_id, path, id, 'carries', true, '', '', 1, 1, now(), now(), 1 FROM memories WHERE state <> 'deleted'`)
	for _, name := range []string{nfc, nfd, nfd + " other"} {
		execute(t, conn, "INSERT INTO tombstones (agent_id, name, fingerprint, deleted_at) SELECT id, '"+name+"', '1', now() FROM agents")
	}
	if err := postgres.Migrate(context.Background(), url); err != nil {
		t.Fatal(err)
	}
	var named string
	query(t, conn, "SELECT string_agg(path || '=' || name, ', ' ORDER BY path) FROM memories WHERE name IS NFC NORMALIZED", &named)
	if want := "alone=" + nfc + " alone, living=" + nfc + " x, new=" + nfc + ", newer nfc=" + nfc + " y, plain=plain"; named != want {
		t.Errorf("names are %q, want %q", named, want)
	}
	var again string
	query(t, conn, "SELECT string_agg(path, ', ' ORDER BY path) FROM files WHERE signature IS NULL", &again)
	if want := "old, older nfd"; again != want {
		t.Errorf("read again are %q, want %q", again, want)
	}
	var kept, fit int
	query(t, conn, "SELECT count(*) FILTER (WHERE name IS NFC NORMALIZED) FROM tombstones", &kept)
	query(t, conn, "SELECT count(*) FROM agents WHERE claude_md_in_step IS NULL AND memories_version = 1", &fit)
	if gaps := pgtest.Tallies(t, url)(); kept != 2 || fit != 1 || len(gaps) > 0 {
		t.Errorf("%d tombstones, %d agents to compile, counted wrong is %q", kept, fit, gaps)
	}
}

// migrateTo brings an empty database to a version of the past.
func migrateTo(t *testing.T, url string, version int64) {
	t.Helper()
	migrations, err := fs.Sub(db.Migrations, "migrations")
	if err != nil {
		t.Fatal(err)
	}
	database, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	defer database.Close()
	provider, err := goose.NewProvider(goose.DialectPostgres, database, migrations, goose.WithTableName("memoir_migrations"),
		goose.WithDisableGlobalRegistry(true))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := provider.UpTo(context.Background(), version); err != nil {
		t.Fatal(err)
	}
}

func TestServersThatStartAtOnceMigrateOnce(t *testing.T) {
	t.Parallel()
	url := pgtest.Empty(t)
	var servers sync.WaitGroup
	for range 4 {
		servers.Go(func() {
			if err := postgres.Migrate(context.Background(), url); err != nil {
				t.Error(err)
			}
		})
	}
	servers.Wait()
	var twice int
	query(t, connect(t, url), `SELECT count(*) FROM (
		SELECT version_id FROM memoir_migrations GROUP BY version_id HAVING count(*) > 1) repeated`, &twice)
	if twice != 0 {
		t.Errorf("%d migrations ran twice", twice)
	}
}

func TestADatabaseOfANewerMemoirIsLeftAlone(t *testing.T) {
	t.Parallel()
	url := pgtest.New(t)
	conn := connect(t, url)
	execute(t, conn, "INSERT INTO memoir_migrations (version_id, is_applied) VALUES (9999, true)")
	before := catalogue(t, conn)
	err := postgres.Migrate(context.Background(), url)
	if !errors.Is(err, postgres.ErrNewerDatabase) || !strings.Contains(err.Error(), "9999") {
		t.Errorf("got %v", err)
	}
	if after := catalogue(t, conn); !maps.Equal(after, before) {
		t.Error("the database was changed")
	}
}

func TestATeamsOwnTablesAndItsGooseAreLeftAlone(t *testing.T) {
	t.Parallel()
	url := pgtest.Empty(t)
	conn := connect(t, url)
	execute(t, conn, `CREATE TABLE goose_db_version (id int, version_id bigint, is_applied boolean);
		INSERT INTO goose_db_version VALUES (1, 20260101, true)`)
	if err := postgres.Migrate(context.Background(), url); err != nil {
		t.Fatal(err)
	}
	var rows int
	query(t, conn, "SELECT count(*) FROM goose_db_version", &rows)
	if rows != 1 {
		t.Errorf("the team's table has %d rows", rows)
	}
}

func TestAnErrorNeverTellsThePassword(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for _, url := range []string{
		"postgres://memoir:opensesame@127.0.0.1:1/memoir",
		"postgres://memoir:opensesame@127.0.0.1:notaport/memoir",
		"host=127.0.0.1 port=1 password=opensesame",
		"password=opensesame port=x",
	} {
		err := postgres.Migrate(ctx, url)
		if err == nil {
			t.Errorf("%s was migrated", url)
		} else if strings.Contains(err.Error(), "opensesame") {
			t.Errorf("%v", err)
		}
	}
}

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

func execute(t *testing.T, conn *pgx.Conn, statement string) {
	t.Helper()
	if _, err := conn.Exec(context.Background(), statement); err != nil {
		t.Fatal(err)
	}
}

func query(t *testing.T, conn *pgx.Conn, sql string, into any) {
	t.Helper()
	if err := conn.QueryRow(context.Background(), sql).Scan(into); err != nil {
		t.Fatal(err)
	}
}

// The tables of River's queue stand among Memoir's, and are to be what this version of River works with.
func TestTheQueueHasTheTablesThatRiverMakes(t *testing.T) {
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
	theirs, ours := connect(t, url), connect(t, pgtest.New(t))
	execute(t, theirs, "DROP TABLE river_migration")
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

// ofRiver leaves the lines of a catalogue that are about River's tables, apart from the order of columns, which means nothing to it.
func ofRiver(lines map[string]bool) map[string]bool {
	place := regexp.MustCompile(` at \d+:`)
	maps.DeleteFunc(lines, func(line string, _ bool) bool { return !strings.Contains(line, "river_") })
	kept := map[string]bool{}
	for line := range lines {
		kept[place.ReplaceAllString(line, ":")] = true
	}
	return kept
}

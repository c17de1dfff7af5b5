package sync_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"memoir/internal/memories"
	engine "memoir/internal/sync"
	"memoir/internal/waittest"
)

// refuse makes Postgres refuse the rows of files at a path, for this number of attempts. 0 means
// always.
func (b *bench) refuse(path string, attempts string) {
	b.Helper()
	b.execute(`CREATE SEQUENCE refused;
		CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			IF ` + attempts + ` THEN RAISE EXCEPTION 'refused for the test'; END IF; RETURN NEW; END $$;
		CREATE TRIGGER refuse BEFORE INSERT ON files FOR EACH ROW WHEN (NEW.path = '` + path + `') EXECUTE FUNCTION refuse()`)
}

func TestFailingScan_ShownUntilSuccess(t *testing.T) {
	t.Parallel()
	b := setup(t, withMemory)
	b.stop()
	b.options.ShownAfter = time.Millisecond
	b.start()
	b.refuse("memory/poison.md", "true")
	b.write("ada/memory/poison.md", note("Poison", memories.User, "text"))
	waittest.For(b, "the failing scan", func() bool { return strings.Contains(b.statusOf("ada").ScanProblem, "refused for the test") })
	problems := b.engine.ScanProblems(b.Context())
	if len(problems) != 1 || problems[0].Agent != "ada" || problems[0].Path != "" || !strings.Contains(problems[0].Reason, "refused") {
		t.Errorf("problems %+v", problems)
	}
	b.execute("DROP TRIGGER refuse ON files")
	waittest.For(b, "the memory", func() bool { return b.hasNamed("ada", "Poison") })
	waittest.For(b, "that nothing is wrong", func() bool {
		return b.statusOf("ada").ScanProblem == "" && len(b.engine.ScanProblems(b.Context())) == 0
	})
}

// What a part of the agent fails with twice is scanned as a whole: the third attempt is, and
// succeeds.
func TestFailingPaths_FullScanInstead(t *testing.T) {
	t.Parallel()
	b := setup(t, withMemory)
	b.refuse("memory/poison.md", "nextval('refused') <= 2")
	b.write("ada/memory/poison.md", note("Poison", memories.User, "text"))
	waittest.For(b, "the memory", func() bool { return b.hasNamed("ada", "Poison") })
	waittest.For(b, "that nothing is pending", func() bool { return b.statusOf("ada").Pending == 0 })
}

func TestUnreadableDirectories_NamedWithOwner(t *testing.T) {
	t.Parallel()
	b := setup(t, withMemory)
	b.write("ada/memory/a.md", note("Known", memories.User, "text"))
	b.write("ada/memory/sub/b.md", note("Below", memories.User, "text"))
	b.write("bob/memory/b.md", note("Other", memories.User, "text"))
	b.scanAll()
	b.stop()
	for _, dir := range []string{"ada/memory/sub", "bob"} {
		dir := b.path(dir)
		if err := os.Chmod(dir, 0); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.Chmod(dir, 0o755) }) //nolint:errcheck // so that it can be removed
	}
	if _, err := os.ReadDir(b.path("bob")); err == nil {
		t.Skip("this user may read everything")
	}
	b.start()
	var paths []string
	for _, p := range b.engine.ScanProblems(b.Context()) {
		paths = append(paths, p.Path)
		if p.Owner == "" || p.Reason != "permission denied" {
			t.Errorf("%+v", p)
		}
	}
	if want := b.path("bob") + " " + b.path("ada/memory/sub"); strings.Join(paths, " ") != want {
		t.Errorf("unreadable are %q, want %q", paths, want)
	}
	if !strings.Contains(b.statusOf("ada").ScanProblem, "permission denied") || engine.RunsAs() == "" {
		t.Errorf("ada: %q", b.statusOf("ada").ScanProblem)
	}
	if !b.hasNamed("ada", "Below") {
		t.Error("a memory ended with the permission to read it")
	}
	if err := os.Chmod(b.path("ada/memory/sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	b.scan("ada")
	if problem := b.statusOf("ada").ScanProblem; problem != "" {
		t.Errorf("ada can be read again: %s", problem)
	}
}

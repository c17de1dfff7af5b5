package sync_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"memoir/internal/agents"
	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/postgres"
	"memoir/internal/postgres/pgtest"
	"memoir/internal/records"
	engine "memoir/internal/sync"
	"memoir/internal/waittest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// bench is a running engine over a database and an agents directory of its own.
type bench struct {
	*testing.T
	dir     string // of the agents
	url     string
	store   *postgres.Store
	engine  *engine.Engine
	options engine.Options
}

func setup(t *testing.T, prepare ...func(dir string)) *bench {
	t.Helper()
	b := &bench{T: t, dir: t.TempDir(), url: pgtest.New(t)}
	b.options = optionsFor(b.dir)
	// Shown if the test fails.
	b.options.Log = slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	for _, p := range prepare {
		p(b.dir)
	}
	b.start()
	return b
}

// optionsFor returns the settings of an engine that scans at once after an event in the directory.
func optionsFor(dir string) engine.Options {
	return engine.Options{
		Places: agents.Settings{AgentsDir: dir}, Debounce: 20 * time.Millisecond, Rescan: time.Hour,
		ClaudeMDLimit: 40_000, Log: slog.New(slog.DiscardHandler),
	}
}

func (b *bench) start() {
	b.Helper()
	store, err := postgres.Open(b.Context(), b.url)
	if err != nil {
		b.Fatal(err)
	}
	b.startOver(store)
	waittest.For(b, "the first scan", b.engine.Ready)
}

// startOver starts an engine over a store, and does not wait for it.
func (b *bench) startOver(store *postgres.Store) {
	b.Helper()
	engine, err := engine.Start(store, b.options)
	if err != nil {
		b.Fatal(err)
	}
	b.store, b.engine = store, engine
	b.Cleanup(b.stop)
}

func (b *bench) stop() {
	if b.engine == nil {
		return
	}
	if err := b.engine.Close(); err != nil {
		b.Error(err)
	}
	b.store.Close()
	b.engine = nil
}

func (b *bench) restart() {
	b.Helper()
	b.stop()
	b.start()
}

// execute runs a statement past Memoir.
func (b *bench) execute(statement string) {
	b.Helper()
	conn, err := pgx.Connect(b.Context(), b.url)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close(b.Context()) //nolint:errcheck // the database goes with the test
	if _, err := conn.Exec(b.Context(), statement); err != nil {
		b.Fatal(err)
	}
}

func (b *bench) path(name string) string { return filepath.Join(b.dir, filepath.FromSlash(name)) }

func (b *bench) write(name, text string) {
	b.Helper()
	if err := os.MkdirAll(filepath.Dir(b.path(name)), 0o755); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(b.path(name), []byte(text), 0o644); err != nil {
		b.Fatal(err)
	}
}

// writeMany writes the files from.md up to, but not including, to.md, each a memory named "Note N".
func (b *bench) writeMany(dir string, from, to int) {
	b.Helper()
	for i := from; i < to; i++ {
		b.write(fmt.Sprintf("%s/%d.md", dir, i), note(fmt.Sprint("Note ", i), memories.User, "one"))
	}
}

func (b *bench) read(name string) string {
	b.Helper()
	raw, err := os.ReadFile(b.path(name))
	if err != nil && !os.IsNotExist(err) {
		b.Fatal(err)
	}
	return string(raw)
}

func (b *bench) remove(name string) {
	b.Helper()
	memoirtest.Remove(b, b.path(name))
}

func (b *bench) scan(slug string) engine.ScanResult {
	b.Helper()
	scan, err := b.engine.Scan(b.Context(), slug)
	if err != nil {
		b.Fatal(err)
	}
	return scan
}

// list returns the agent's memories of one state by name; the empty state is all but the deleted
// ones.
func (b *bench) list(slug string, state memories.State) map[string]memories.Memory {
	b.Helper()
	agent, err := b.store.Agent(context.Background(), slug)
	if err != nil {
		return nil
	}
	page, err := b.store.Memories(context.Background(), agent, memories.Filter{State: state}, memories.PageRequest{Limit: records.MaxLimit})
	if err != nil {
		b.Fatal(err)
	}
	found := map[string]memories.Memory{}
	for _, m := range page.Memories {
		found[m.Name] = m
	}
	return found
}

func (b *bench) memory(slug, name string) memories.Memory {
	b.Helper()
	m, ok := b.list(slug, "")[name]
	if !ok {
		b.Fatalf("%s has no memory %q", slug, name)
	}
	return m
}

func note(name string, t memories.Type, body string) string {
	return "---\nname: " + name + "\ndescription: About " + name + "\ntype: " + string(t) + "\n---\n\n" + body + "\n"
}

func TestScan_NewFile(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("ada/memory/tabs.md", note("Tabs", memories.Feedback, "Use tabs."))
	waittest.For(b, "the memory", func() bool { _, ok := b.list("ada", "")["Tabs"]; return ok })
	m := b.memory("ada", "Tabs")
	if m.Body != "Use tabs." || m.Type != memories.Feedback || m.State != memories.Active || m.Path != "memory/tabs.md" {
		t.Errorf("read %+v", m)
	}
	waittest.For(b, "CLAUDE.md", func() bool { return strings.Contains(b.read("ada/CLAUDE.md"), "### Tabs\n\nUse tabs.\n") })

	b.write("ada/memory/MEMORY.md", "- [Tabs](tabs.md) — how to indent\n- [Other](other.md) — stays\n")
	b.scan("ada")
	result, err := b.engine.Delete(t.Context(), "ada", m.ID, engine.ETag(m))
	if err != nil {
		t.Fatal(err)
	}
	if result.Memory.State != memories.Deleted || b.read("ada/memory/tabs.md") != "" {
		t.Errorf("after the deletion: %+v", result.Memory)
	}
	if got := b.read("ada/memory/MEMORY.md"); got != "- [Other](other.md) — stays\n" {
		t.Errorf("index after the deletion: %q", got)
	}
	if strings.Contains(b.read("ada/CLAUDE.md"), "Use tabs.") {
		t.Error("CLAUDE.md still has the memory")
	}

	b.write("ada/memory/tabs.md", note("Tabs", memories.Feedback, "Use tabs."))
	b.scan("ada")
	if len(b.list("ada", "")) != 0 {
		t.Error("a deleted content came back by itself")
	}
	b.remove("ada/memory/tabs.md")
	b.scan("ada")
	if _, err := b.engine.Restore(t.Context(), "ada", m.ID, ""); err != nil {
		t.Fatal(err)
	}
	if got := b.read("ada/memory/tabs.md"); got != note("Tabs", memories.Feedback, "Use tabs.") {
		t.Errorf("restored file: %q", got)
	}
	if got := b.read("ada/memory/MEMORY.md"); got != "- [Tabs](tabs.md) — how to indent\n- [Other](other.md) — stays\n" {
		t.Errorf("index after the restore: %q", got)
	}
	if !strings.Contains(b.read("ada/CLAUDE.md"), "Use tabs.") {
		t.Error("CLAUDE.md lacks the restored memory")
	}
}

package sync_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"memoir/internal/agents"
	"memoir/internal/memories"
	engine "memoir/internal/sync"
	"memoir/internal/sync/events"
	"memoir/internal/waittest"
)

func (b *bench) rebuild(slug string) engine.IndexChange {
	b.Helper()
	change, err := b.engine.RepairIndex(b.Context(), slug, "")
	if err != nil {
		b.Fatal(err)
	}
	return change
}

func TestRebuildIndex_Layouts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.stop()
	for _, dir := range []string{"hive/ada/memory", "claude/projects/-x/memory", "by-hand"} {
		b.write(dir+"/a.md", note("Alpha", memories.Feedback, "one"))
		b.write(dir+"/team/b.md", note("Beta", memories.User, "two"))
	}
	b.options.Places = agents.Settings{AgentsDir: b.path("hive"), ClaudeDir: b.path("claude"), MemoryDirs: []agents.NamedDir{{Slug: "hand", Path: b.path("by-hand")}}}
	b.start()
	rows, err := b.store.Agents(t.Context())
	if err != nil || len(rows) != 3 {
		t.Fatalf("%d agents, %v", len(rows), err)
	}
	const want = "- [Alpha](a.md) — About Alpha\n- [Beta](team/b.md) — About Beta\n"
	for _, row := range rows {
		before, err := b.engine.Index(t.Context(), row.Slug)
		if err != nil || before.Present || len(before.Findings) != 2 {
			t.Errorf("%s: before there is %+v (%v)", row.Slug, before, err)
		}
		b.rebuild(row.Slug)
		rel, err := filepath.Rel(b.dir, filepath.Join(row.Dir, before.Path))
		if err != nil {
			t.Fatal(err)
		}
		if got := b.read(rel); got != want {
			t.Errorf("%s has %q", rel, got)
		}
		after, err := b.engine.Index(t.Context(), row.Slug)
		if err != nil || !after.Present || len(after.Findings) > 0 {
			t.Errorf("%s: after it there is %+v (%v)", row.Slug, after, err)
		}
		if again := b.rebuild(row.Slug); string(again.Before) != want || string(again.After) != want {
			t.Errorf("%s: a second time it becomes %q", row.Slug, again.After)
		}
	}
}

func TestRebuildIndex_ChangedIndex(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("ada/memory/a.md", note("Alpha", memories.Feedback, "one"))
	b.write("ada/memory/MEMORY.md", "- [Gone](gone.md)\n")
	b.scanAll()
	seen, err := b.engine.PreviewIndex(t.Context(), "ada")
	if err != nil {
		t.Fatal(err)
	}
	b.stopWatching()
	for _, change := range []func(){
		func() { b.write("ada/memory/MEMORY.md", "- [Gone](gone.md)\n\n") },
		func() { b.write("ada/memory/MEMORY.md", "- [Gone](gone.md)\n"); b.write("ada/memory/gone.md", "x") },
	} {
		change()
		before := b.read("ada/memory/MEMORY.md")
		if _, err := b.engine.RepairIndex(t.Context(), "ada", seen.ETag()); !errors.Is(err, memories.ErrChanged) {
			t.Errorf("it answers %v", err)
		}
		if b.read("ada/memory/MEMORY.md") != before {
			t.Error("it was written")
		}
	}
	b.remove("ada/memory/gone.md")
	if _, err := b.engine.RepairIndex(t.Context(), "ada", seen.ETag()); err != nil {
		t.Error(err)
	}
	if got := b.read("ada/memory/MEMORY.md"); got != "- [Alpha](a.md) — About Alpha\n" {
		t.Errorf("it says %q", got)
	}
}

func TestRebuildIndex_KeepsUnknownLines(t *testing.T) {
	t.Parallel()
	b := setup(t)
	index := "- [Script](../tools/run.sh)\n- [Above](../../shared.md)\n- [Root](/etc/hostname.md)\n"
	for i := range 12 {
		b.write(fmt.Sprintf("ada/memory/m%d.md", i), note(fmt.Sprintf("M%d", i), memories.Project, "x"))
		index += fmt.Sprintf("- [M%d](m%d.md)\n", i, i)
	}
	b.write("ada/tools/run.sh", "x")
	b.write("ada/memory/MEMORY.md", index)
	b.scanAll()
	b.stopWatching() // so that one look sees all of them gone
	for i := range 12 {
		b.remove(fmt.Sprintf("ada/memory/m%d.md", i))
	}
	b.scan("ada")
	b.isIn("ada", "M3", memories.Missing)
	if change := b.rebuild("ada"); string(change.After) != index {
		t.Errorf("of the lines of missing memories stays %q", change.After)
	}
	b.remove("ada/memory")
	b.scan("ada")
	_, err := b.engine.RepairIndex(t.Context(), "ada", "")
	if err != nil || b.read("ada/memory/MEMORY.md") != "" {
		t.Errorf("without the directory there is %q (%v)", b.read("ada/memory/MEMORY.md"), err)
	}
}

func TestIndex_LinkToOutside(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("ada/memory/a.md", note("Alpha", memories.Feedback, "one"))
	b.write("secret.md", "not for anybody\n")
	if err := os.Symlink("../../secret.md", b.path("ada/memory/MEMORY.md")); err != nil {
		t.Fatal(err)
	}
	b.scanAll()
	_, err := b.engine.Index(t.Context(), "ada")
	b.isConflict(err, "memory/MEMORY.md cannot be read")
	_, err = b.engine.RepairIndex(t.Context(), "ada", "")
	b.isConflict(err, "memory/MEMORY.md cannot be read")
	if b.read("secret.md") != "not for anybody\n" {
		t.Error("it was written through the link")
	}
}

func TestIndex_ChangeSendsEvent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("ada/memory/a.md", note("Alpha", memories.Feedback, "one"))
	b.scanAll()
	hear := b.engine.Hub().Subscribe()
	defer hear.Close()
	b.write("ada/memory/MEMORY.md", "- [A](a.md)\n")
	select {
	case event := <-hear.Events:
		if want := (events.Event{Agent: "ada", Kind: events.Scanned}); event != want {
			t.Errorf("it is %+v, want %+v", event, want)
		}
	case <-time.After(waittest.Patience()):
		t.Error("nothing was heard")
	}
}

package sync_test

import (
	"os"
	"testing"
	"time"

	"memoir/internal/memories"
	engine "memoir/internal/sync"
	"memoir/internal/waittest"
)

// An os.Root refuses every absolute link, also one that stays inside.

func TestScan_EmptyFileBehindAbsoluteLink(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.writeAged("ada/notes/text.md", "", time.Hour)
	b.link("ada/memory/text.md", b.path("ada/notes/text.md"))
	waittest.For(b, "the memory", func() bool { return len(b.list("ada", memories.NeedsAttention)) == 1 })
}

func TestSave_DirectoryBehindAbsoluteLink(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("ada/notes/tabs.md", note("Tabs", memories.Feedback, "Use tabs."))
	b.link("ada/memory", b.path("ada/notes"))
	b.scanAll()
	b.scan("ada")
	b.isIn("ada", "Tabs", memories.Active)
	b.save(engine.Draft{Name: "Spaces", Type: memories.Feedback, Body: "Use spaces."})
	if b.read("ada/notes/feedback_spaces.md") == "" {
		t.Error("the memory was not written")
	}
	b.save(engine.Draft{Name: "Spaces!", Type: memories.Feedback, Body: "Its name makes the same path."})
	b.write("ada/notes/MEMORY.md", "- [Tabs](tabs.md)\n")
	tabs := b.delete("ada", "Tabs")
	if got := b.read("ada/notes/MEMORY.md"); got != "" {
		t.Errorf("after the deletion MEMORY.md says %q", got)
	}
	b.restore("ada", tabs)
	if got := b.read("ada/notes/MEMORY.md") + b.read("ada/notes/tabs.md"); got != "- [Tabs](tabs.md)\n"+note("Tabs", memories.Feedback, "Use tabs.") {
		t.Errorf("after the restore there is %q", got)
	}
	b.remove("ada/notes/tabs.md")
	waittest.For(b, "the trash", func() bool { _, ok := b.list("ada", memories.Deleted)["Tabs"]; return ok })
}

func TestVerify_FileBehindAbsoluteLink(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.writeAged("ada/notes/text.md", note("Tabs", memories.Feedback, "Use tabs."), long)
	b.link("ada/memory/tabs.md", b.path("ada/notes/text.md"))
	b.scan("ada")
	if m := b.verify("Tabs"); time.Since(m.ModifiedAt) > long/2 {
		t.Errorf("it is of %v", m.ModifiedAt)
	}
}

func TestScan_RemovalBehindAbsoluteLink(t *testing.T) {
	t.Parallel()
	for what, act := range map[string]func(b *bench, release, comeBack func()){
		"as it is":             func(b *bench, _, _ func()) { b.remove("ada/notes/x.md") },
		"while memory is away": func(b *bench, release, comeBack func()) { release(); b.remove("ada/notes/x.md"); comeBack() },
		"after it was away": func(b *bench, release, comeBack func()) {
			release()
			b.scan("ada")
			comeBack()
			b.scan("ada")
			b.remove("ada/notes/x.md")
		},
		"with another one in its place": func(b *bench, release, _ func()) {
			release()
			b.write("ada/memory/b.md", note("B", memories.Feedback, "b"))
			b.link("ada/memory/linked", b.path("ada/notes"))
			waittest.For(b, "it to be seen", func() bool { return b.hasNamed("ada", "B") })
			b.scan("ada") // of all of it: what is not in another directory has not left this one
			b.remove("ada/notes/x.md")
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			b := withAda(t)
			b.write("ada/notes/x.md", note("X", memories.Feedback, "x"))
			b.link("ada/memory/linked", b.path("ada/notes"))
			waittest.For(b, "the memory", func() bool { return b.hasNamed("ada", "X") })
			move := func(from, to string) func() {
				return func() {
					if err := os.Rename(b.path(from), b.path(to)); err != nil {
						t.Fatal(err)
					}
				}
			}
			act(b, move("ada/memory", ".aside"), move(".aside", "ada/memory"))
			waittest.For(b, "the removal", func() bool { return !b.hasNamed("ada", "X") })
		})
	}
}

package sync_test

import (
	"testing"
	"time"

	"memoir/internal/memories"
	"memoir/internal/sync"
)

// An os.Root refuses every absolute link, also one that stays inside.

func TestAnEmptyFileBehindAnAbsoluteLinkArrives(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.writeAged("ada/notes/text.txt", "", time.Hour)
	b.link("ada/memory/text.md", b.path("ada/notes/text.txt"))
	b.until("the memory", func() bool { return len(b.list("ada", memories.NeedsAttention)) == 1 })
}

func TestAMemoryDirectoryBehindAnAbsoluteLinkIsWrittenTo(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("ada/notes/tabs.md", note("Tabs", memories.Feedback, "Use tabs."))
	b.link("ada/memory", b.path("ada/notes"))
	b.scanAll()
	b.scan("ada")
	b.isIn("ada", "Tabs", memories.Active)
	b.save(sync.Draft{Name: "Spaces", Type: memories.Feedback, Body: "Use spaces."})
	if b.read("ada/notes/feedback_spaces.md") == "" {
		t.Error("the memory was not written")
	}
	b.save(sync.Draft{Name: "Spaces!", Type: memories.Feedback, Body: "Its name makes the same path."})
	b.write("ada/notes/MEMORY.md", "- [Tabs](tabs.md)\n")
	tabs := b.delete("ada", "Tabs")
	if got := b.read("ada/notes/MEMORY.md"); got != "" {
		t.Errorf("after the deletion MEMORY.md says %q", got)
	}
	b.restore("ada", tabs)
	if got := b.read("ada/notes/MEMORY.md") + b.read("ada/notes/tabs.md"); got != "- [Tabs](tabs.md)\n"+note("Tabs", memories.Feedback, "Use tabs.") {
		t.Errorf("after the restore there is %q", got)
	}
}

func TestAMemoryBehindAnAbsoluteLinkIsStillTrue(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.writeAged("ada/notes/text.txt", note("Tabs", memories.Feedback, "Use tabs."), long)
	b.link("ada/memory/tabs.md", b.path("ada/notes/text.txt"))
	b.scan("ada")
	if m := b.verify("Tabs"); time.Since(m.ModifiedAt) > long/2 {
		t.Errorf("it is of %v", m.ModifiedAt)
	}
}

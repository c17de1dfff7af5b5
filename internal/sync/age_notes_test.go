package sync_test

import (
	"strings"
	"testing"
	"time"

	"memoir/internal/memories"
	"memoir/internal/waittest"
)

func TestAgeNotes_StaleMemories(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	day := 24 * time.Hour
	b.writeAged("ada/memory/old.md", note("Old", memories.Project, "old text"), 5*day)
	b.writeAged("ada/memory/new.md", note("New", memories.Project, "new text"), time.Hour)
	b.scan("ada")
	if text := b.read("ada/CLAUDE.md"); strings.Contains(text, "> Saved on") {
		t.Errorf("without the option it says\n%s", text)
	}

	b.options.AgeNotes = true
	b.restart()
	want := "### Old\n\n> Saved on " + time.Now().Add(-5*day).UTC().Format(time.DateOnly) + ", so code may have changed since: verify against it before asserting as fact.\n\nold text\n"
	waittest.For(b, "the note", func() bool { return strings.Contains(b.read("ada/CLAUDE.md"), want) })
	text := b.read("ada/CLAUDE.md")
	if strings.Count(text, "> Saved on") != 1 || !strings.Contains(text, "### New\n\nnew text\n") {
		t.Errorf("it says\n%s", text)
	}
	preview, err := b.engine.Preview(t.Context(), "ada", "")
	if err != nil || string(preview.Text) != text {
		t.Errorf("the preview says (%v)\n%s", err, preview.Text)
	}
	b.verify("Old")
	if text := b.read("ada/CLAUDE.md"); strings.Contains(text, "> Saved on") {
		t.Errorf("after it was said to be still true it says\n%s", text)
	}
}

func TestAgeNotes_BecomesStale(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.options.AgeNotes = true
	b.restart()
	b.writeAged("ada/memory/a.md", note("Deploy", memories.Project, "text"), 48*time.Hour-3*time.Second)
	b.scan("ada")
	b.stopWatching()
	waittest.For(b, "the note", func() bool {
		b.scan("ada")
		return strings.Contains(b.read("ada/CLAUDE.md"), "### Deploy\n\n> Saved on ")
	})
}

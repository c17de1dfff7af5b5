package sync_test

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/memories/frontmatter"
	engine "memoir/internal/sync"
	"memoir/internal/sync/events"
)

func (b *bench) proposed(name string) []engine.Flawed {
	b.Helper()
	flawed, err := b.engine.ProposeFixes(b.Context(), "ada", b.memory("ada", name).ID)
	if err != nil {
		b.Fatal(err)
	}
	return flawed
}

func (b *bench) fix(name, path, fix string) memories.Memory {
	b.Helper()
	m := b.memory("ada", name)
	result, err := b.engine.Fix(b.Context(), "ada", m.ID, engine.ETag(m), path, fix)
	if err != nil {
		b.Fatalf("fix %s of %s: %v", fix, name, err)
	}
	return result.Memory
}

func offered(flawed engine.Flawed, fix string) bool {
	return slices.ContainsFunc(flawed.Fixes, func(f frontmatter.Fix) bool { return f.ID == fix })
}

func TestFix_KeepsAge(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.writeAged("ada/memory/feedback_tabs.md", "Use tabs.\n", 30*24*time.Hour)
	b.scan("ada")
	before := b.memory("ada", "feedback_tabs")
	flawed := b.proposed("feedback_tabs")
	if before.State != memories.NeedsAttention || len(flawed) != 1 || !offered(flawed[0], "type:feedback") || b.read("ada/memory/feedback_tabs.md") != "Use tabs.\n" {
		t.Fatalf("proposed %+v for %+v", flawed, before)
	}
	after := b.fix("feedback_tabs", "memory/feedback_tabs.md", "type:feedback")
	if after.ID != before.ID || after.State != memories.Active || after.Type != memories.Feedback || !onlyNoDescription(after) {
		t.Errorf("fixed to %+v", after)
	}
	if !after.ModifiedAt.Equal(before.ModifiedAt) {
		t.Errorf("its age counts from %v now, not %v", after.ModifiedAt, before.ModifiedAt)
	}
	if got := b.read("ada/memory/feedback_tabs.md"); got != "---\nname: feedback_tabs\ntype: feedback\n---\n\nUse tabs.\n" {
		t.Errorf("the file is %q", got)
	}
	if !strings.Contains(b.read("ada/CLAUDE.md"), "### feedback_tabs\n\nUse tabs.\n") {
		t.Error("CLAUDE.md lacks it")
	}
	undone, err := b.engine.UndoFix(t.Context(), "ada", after.ID, engine.ETag(after), after.Path, before.Hash)
	if err != nil || undone.Memory.State != memories.NeedsAttention || b.read("ada/memory/feedback_tabs.md") != "Use tabs.\n" {
		t.Errorf("undone to %+v, %v", undone.Memory, err)
	}
}

func TestFix_SessionFile(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.write(inSession(sessionA, "x.md"), "---\nname: Tabs\ntype: habit\nsource: chat\n---\n\nUse tabs.\n")
	b.scan("ada")
	path := strings.TrimPrefix(inSession(sessionA, "x.md"), "ada/")
	m := b.fix("Tabs", path, "type:user")
	if m.Path != path || m.Session != sessionA || len(m.Files) != 1 || m.Type != memories.User {
		t.Errorf("fixed to %+v", m)
	}
	if got := b.read("ada/" + path); got != "---\nname: Tabs\ntype: user\nsource: chat\n---\n\nUse tabs.\n" {
		t.Errorf("the file is %q", got)
	}
}

func TestFix_OlderFile(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.writeAged(inSession(sessionA, "x.md"), "---\nname: Tabs\ntype: user\ndescription: a: b\n---\n\nold\n", time.Hour)
	b.write("ada/memory/x.md", note("Tabs", memories.User, "new"))
	b.scan("ada")
	path := strings.TrimPrefix(inSession(sessionA, "x.md"), "ada/")
	if m := b.fix("Tabs", path, "yaml"); m.Body != "new" || m.Path != "memory/x.md" {
		t.Errorf("fixed to %+v", m)
	}
	if got := b.read("ada/" + path); !strings.Contains(got, "description: 'a: b'\n") {
		t.Errorf("the file is %q", got)
	}
	b.scan("ada")
	b.hasBody("ada", "Tabs", "new")
}

func TestFix_OtherSpelling(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.write("ada/memory/x.md", "---\nname: Tabs\ntype: user\ndescription: a: b\n---\n\nB\n")
	b.scan("ada")
	subscription := b.engine.Hub().Subscribe()
	defer subscription.Close()
	m := b.fix("Tabs", "memory/x.md", "yaml")
	if len(m.Problems) > 0 || len(b.revisions("ada", m)) != 1 {
		t.Errorf("fixed to %+v with %d revisions", m, len(b.revisions("ada", m)))
	}
	b.heard(subscription, events.Event{Agent: "ada", Kind: events.Saved, Name: "Tabs"})
	_, err := b.engine.UndoFix(t.Context(), "ada", m.ID, "", "memory/x.md", files.Hash([]byte("elsewhere")))
	b.isConflict(err, "no longer stored")
}

func TestFix_DuplicateName(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.writeAged("ada/memory/old.md", note("Tabs", memories.User, "old"), time.Hour)
	b.write("ada/memory/new.md", note("Tabs", memories.User, "new"))
	b.scan("ada")
	flawed := b.proposed("Tabs")
	if len(flawed) != 2 || offered(flawed[0], "rename") || !offered(flawed[1], "rename") {
		t.Fatalf("proposed %+v", flawed)
	}
	renamed := b.fix("Tabs", "memory/old.md", "rename")
	if renamed.Name != "old" || renamed.Body != "old" || renamed.Path != "memory/old.md" {
		t.Errorf("renamed to %+v", renamed)
	}
	if kept := b.memory("ada", "Tabs"); kept.Body != "new" || len(kept.Problems) > 0 || len(kept.Files) != 1 {
		t.Errorf("the other is %+v", kept)
	}
}

func TestFix_ChangedMemory(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.write("ada/memory/x.md", "A thought.\n")
	b.scan("ada")
	m := b.memory("ada", "x")
	fix := func(etag, path, fix string) error {
		_, err := b.engine.Fix(t.Context(), "ada", m.ID, etag, path, fix)
		return err
	}
	if err := fix(`"stale"`, "memory/x.md", "type:user"); !errors.Is(err, memories.ErrChanged) {
		t.Errorf("a stale ETag is answered with %v", err)
	}
	var invalid *memories.InvalidError
	if err := fix("", "memory/y.md", "type:user"); !errors.As(err, &invalid) || invalid.Field != "path" {
		t.Errorf("another file is answered with %v", err)
	}
	if err := fix("", "memory/x.md", "yaml"); !errors.As(err, &invalid) || invalid.Field != "fix" {
		t.Errorf("a fix that is not offered is answered with %v", err)
	}
	b.stopWatching()
	b.write("ada/memory/x.md", "Another thought.\n")
	b.isConflict(fix("", "memory/x.md", "type:user"), "has changed on disk")
	if got := b.read("ada/memory/x.md"); got != "Another thought.\n" {
		t.Errorf("the file is %q", got)
	}
	if err := os.Remove(b.path("ada/memory/x.md")); err != nil {
		t.Fatal(err)
	}
	b.isConflict(fix("", "memory/x.md", "type:user"), "not found")
}

func TestFix_UnreadableFile(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.write("aside.md", strings.Repeat("x", memories.MaxFileSize+1)) // its beginning would be a memory
	b.rename("aside.md", "ada/memory/big.md")
	b.scan("ada")
	flawed := b.proposed("big")
	if len(flawed) != 1 || len(flawed[0].Fixes) > 0 || flawed[0].Problems[0].Code != memories.CodeTooLarge || flawed[0].Raw != nil {
		t.Errorf("proposed %+v", flawed)
	}
	var invalid *memories.InvalidError
	if _, err := b.engine.Fix(t.Context(), "ada", b.memory("ada", "big").ID, "", "memory/big.md", "type:user"); !errors.As(err, &invalid) {
		t.Errorf("a fix of it is answered with %v", err)
	}
}

func TestRemoveBlocked_File(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.write("ada/memory/x.md", note("Tabs", memories.User, "B"))
	b.scan("ada")
	b.delete("ada", "Tabs")
	b.write("ada/memory/back.md", note("Tabs", memories.User, "B"))
	b.write("ada/memory/MEMORY.md", "- [Tabs](back.md)\n- [Other](other.md)\n")
	b.scan("ada")
	blocked := b.blocked("ada")
	removed, err := b.engine.RemoveBlocked(t.Context(), "ada", blocked[0].ID)
	if err != nil || removed.Body != "B" || len(b.blocked("ada")) != 0 || b.read("ada/memory/back.md") != "" {
		t.Errorf("removed %+v, %v; still blocked %v", removed, err, b.blocked("ada"))
	}
	if got := b.read("ada/memory/MEMORY.md"); got != "- [Other](other.md)\n" {
		t.Errorf("the index is %q", got)
	}
	if _, err := b.engine.RemoveBlocked(t.Context(), "ada", blocked[0].ID); !errors.Is(err, memories.ErrNotFound) {
		t.Errorf("a second removal is answered with %v", err)
	}
	b.isIn("ada", "Tabs", memories.Deleted)
	b.scan("ada")
	b.isIn("ada", "Tabs", memories.Deleted)
}

func TestRemoveBlocked_ChangedFile(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.write("ada/memory/x.md", note("Tabs", memories.User, "B"))
	b.scan("ada")
	b.delete("ada", "Tabs")
	b.write("ada/memory/x.md", note("Tabs", memories.User, "B"))
	b.scan("ada")
	b.stopWatching()
	b.write("ada/memory/x.md", note("Tabs", memories.User, "learned anew"))
	_, err := b.engine.RemoveBlocked(t.Context(), "ada", b.blocked("ada")[0].ID)
	b.isConflict(err, "has changed on disk")
	if b.read("ada/memory/x.md") == "" {
		t.Error("the file is gone")
	}
}

func TestRemoveBlocked_KeepsNewMemory(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.write("ada/memory/x.md", note("Tabs", memories.User, "B"))
	b.scan("ada")
	b.delete("ada", "Tabs")
	b.write(inSession(sessionA, "x.md"), note("Tabs", memories.User, "anew"))
	b.scan("ada")
	b.write("ada/memory/x.md", note("Tabs", memories.User, "B"))
	b.scan("ada")
	b.remove("ada/sessions")
	b.scan("ada")
	if _, err := b.engine.RemoveBlocked(t.Context(), "ada", b.blocked("ada")[0].ID); err != nil {
		t.Fatal(err)
	}
	b.scan("ada")
	b.isIn("ada", "Tabs", memories.Active)
	b.hasBody("ada", "Tabs", "anew")
}

package sync_test

import (
	"errors"
	"strings"
	"testing"

	"memoir/internal/memories"
	"memoir/internal/memories/frontmatter"
	engine "memoir/internal/sync"
)

func (b *bench) save(draft engine.Draft) engine.Result {
	b.Helper()
	result, err := b.engine.Save(b.Context(), "ada", draft)
	if err != nil {
		b.Fatalf("save %s: %v", draft.Name, err)
	}
	return result
}

func pointer[T any](v T) *T { return &v }

// withAda is an agent with an empty memory directory.
func withAda(t *testing.T) *bench {
	t.Helper()
	b := setup(t)
	b.write("ada/memory/MEMORY.md", "")
	b.scanAll()
	return b
}

func TestSave_WritesPrimaryAndClaudeMD(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	result := b.save(engine.Draft{Name: "Use tabs: always", Type: memories.Feedback, Description: "how to indent", Body: "Use tabs.\n\n**Why:** width."})
	m := result.Memory
	if !result.Created || m.Path != "memory/feedback_use_tabs_always.md" || m.Body != "Use tabs.\n\n**Why:** width." || m.State != memories.Active {
		t.Errorf("saved as %+v", m)
	}
	if file := frontmatter.Parse([]byte(b.read("ada/"+m.Path)), "x"); file.Name != "Use tabs: always" || len(file.Problems) > 0 {
		t.Errorf("the file reads as %+v", file)
	}
	if !strings.Contains(b.read("ada/CLAUDE.md"), "### Use tabs: always\n\nUse tabs.\n") {
		t.Error("CLAUDE.md lacks the saved memory")
	}
}

func TestCreate_NameTaken(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	first := b.save(engine.Draft{Name: "Tabs", Type: memories.Feedback, Body: "one"}).Memory
	again := engine.Draft{Name: " Tabs", Type: memories.Feedback, Body: "two"}
	_, err := b.engine.Create(b.Context(), "ada", again)
	var taken *memories.NameTakenError
	var conflict *memories.ConflictError
	if !errors.As(err, &taken) || taken.ID != first.ID || !errors.As(err, &conflict) || conflict.Reason != err.Error() {
		t.Errorf("created over a living memory: %v", err)
	}
	if got := b.read("ada/" + first.Path); !strings.Contains(got, "one") {
		t.Errorf("the file says %q", got)
	}
	if _, err := b.engine.Delete(b.Context(), "ada", first.ID, ""); err != nil {
		t.Fatal(err)
	}
	if result, err := b.engine.Create(b.Context(), "ada", again); err != nil || !result.Created || result.Memory.Body != "two" {
		t.Errorf("created in place of a deleted one: %+v, %v", result, err)
	}
}

func TestSave_KeepsPath(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	first := b.save(engine.Draft{Name: "Tabs", Type: memories.Feedback, Body: "one"}).Memory
	second := b.save(engine.Draft{Name: "Tabs", Type: memories.Reference, Body: "two"})
	if second.Created || second.Memory.ID != first.ID || second.Memory.Path != first.Path || second.Memory.Type != memories.Reference {
		t.Errorf("saved again as %+v", second)
	}
	if revisions := b.revisions("ada", second.Memory); len(revisions) != 2 {
		t.Errorf("%d revisions", len(revisions))
	}
}

func TestSave_PathTaken(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.save(engine.Draft{Name: "Tabs!", Type: memories.Feedback})
	if m := b.save(engine.Draft{Name: "Tabs?", Type: memories.Feedback}).Memory; m.Path != "memory/feedback_tabs_2.md" {
		t.Errorf("the second is at %s", m.Path)
	}
}

func TestSave_SessionMemoryGetsPrimary(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.write(inSession(sessionA, "x.md"), "---\nname: Tabs\ntype: feedback\nsource: chat\n---\nold\n")
	b.scan("ada")
	m := b.save(engine.Draft{Name: "Tabs", Type: memories.Feedback, Body: "new"}).Memory
	if m.Path != "memory/feedback_tabs.md" || m.Body != "new" || len(m.Files) != 2 {
		t.Errorf("saved as %+v", m)
	}
	if !strings.Contains(b.read("ada/memory/feedback_tabs.md"), "source: chat\n") {
		t.Error("an unknown key was lost")
	}
}

func TestSave_DeletedContent(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	draft := engine.Draft{Name: "Tabs", Type: memories.Feedback, Body: "one"}
	first := b.save(draft).Memory
	b.delete("ada", "Tabs")
	again := b.save(draft)
	if !again.Created || again.Memory.ID != first.ID || again.Memory.State != memories.Active || again.Memory.Path != first.Path {
		t.Errorf("revived as %+v", again)
	}
	b.restart()
	b.isIn("ada", "Tabs", memories.Active)
}

func TestPatch_KeepsUnknownKeys(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.write("ada/memory/x.md", "---\nzeta: 1 # a comment\nname: Tabs\nmetadata:\n  type: feedback\n  originSessionId: 12\n---\nold\n")
	b.scan("ada")
	m := b.memory("ada", "Tabs")
	result, err := b.engine.Patch(t.Context(), "ada", m.ID, engine.ETag(m), engine.Patch{Body: pointer("new")})
	if err != nil {
		t.Fatal(err)
	}
	if got := b.read("ada/memory/x.md"); got != "---\nzeta: 1 # a comment\nname: Tabs\nmetadata:\n  type: feedback\n  originSessionId: 12\n---\n\nnew\n" {
		t.Errorf("the file is now %q", got)
	}
	if result.Memory.Body != "new" || result.Memory.ID != m.ID {
		t.Errorf("patched to %+v", result.Memory)
	}
}

func TestPatch_ChangedMemory(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	m := b.save(engine.Draft{Name: "Tabs", Type: memories.Feedback, Body: "one"}).Memory
	b.save(engine.Draft{Name: "Tabs", Type: memories.Feedback, Body: "two"})
	if _, err := b.engine.Patch(t.Context(), "ada", m.ID, engine.ETag(m), engine.Patch{Body: pointer("three")}); !errors.Is(err, memories.ErrChanged) {
		t.Errorf("a stale patch is answered with %v", err)
	}
	b.stopWatching()
	b.write("ada/"+m.Path, note("Tabs", memories.Feedback, "by the agent"))
	_, err := b.engine.Patch(t.Context(), "ada", m.ID, "", engine.Patch{Body: pointer("three")})
	b.isConflict(err, "has changed on disk")
	if !strings.Contains(b.read("ada/"+m.Path), "by the agent") {
		t.Error("the agent's content was overwritten unseen")
	}
}

// onlyNoDescription reports whether the missing description is the only problem of a memory.
func onlyNoDescription(m memories.Memory) bool {
	return len(m.Problems) == 1 && m.Problems[0].Code == memories.CodeNoDescription
}

func TestPatch_SetsType(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.write("ada/memory/loose.md", "Just a thought.\n")
	b.scan("ada")
	m := b.memory("ada", "loose")
	if m.State != memories.NeedsAttention {
		t.Fatalf("it is %s", m.State)
	}
	result, err := b.engine.Patch(t.Context(), "ada", m.ID, "", engine.Patch{Type: pointer(memories.User)})
	if err != nil || result.Memory.State != memories.Active || result.Memory.Body != "Just a thought." || !onlyNoDescription(result.Memory) {
		t.Errorf("fixed to %+v, %v", result.Memory, err)
	}
}

func TestSave_UnreadableFile(t *testing.T) {
	t.Parallel()
	for what, broken := range map[string]string{
		"an alias bomb": "---\nname: Tabs\ntype: user\n" + aliasBomb() + "---\nPrecious.\n",
		"too large":     note("Tabs", memories.User, strings.Repeat("Precious. ", memories.MaxFileSize/10)),
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.write("ada/memory/mine.md", note("Tabs", memories.User, "one"))
			b.scanAll()
			b.write("ada/memory/mine.md", broken)
			b.scan("ada")
			b.isIn("ada", "mine", memories.NeedsAttention)
			if _, err := b.engine.Patch(t.Context(), "ada", b.memory("ada", "Tabs").ID, "", engine.Patch{Body: pointer("two")}); err != nil {
				t.Fatal(err)
			}
			if b.read("ada/memory/mine.md") != broken {
				t.Error("the file that could not be read was written over")
			}
			b.isIn("ada", "mine", memories.NeedsAttention)
			b.hasBody("ada", "Tabs", "two")
			b.write("ada/memory/mine.md", note("Tabs", memories.User, "mended"))
			b.scan("ada")
			b.hasBody("ada", "Tabs", "mended")
		})
	}
}

func TestPatch_RenameWritesAnotherFile(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.write("ada/memory/x.md", "---\nname: Tabs\ntype: feedback\nzeta: 1\n---\ntext\n")
	b.write("ada/memory/MEMORY.md", "- [Tabs](x.md) — indent\n")
	b.scan("ada")
	old := b.memory("ada", "Tabs")
	result, err := b.engine.Patch(t.Context(), "ada", old.ID, "", engine.Patch{Name: pointer("Spaces")})
	if err != nil {
		t.Fatal(err)
	}
	m := result.Memory
	if m.Name != "Spaces" || m.ID != old.ID || m.Body != "text" || m.Path != "memory/feedback_spaces.md" || !strings.Contains(b.read("ada/"+m.Path), "zeta: 1\n") {
		t.Errorf("renamed to %+v", m)
	}
	if trash := b.list("ada", memories.Deleted); len(trash) != 0 {
		t.Errorf("in the trash are %v", trash)
	}
	if index := b.read("ada/memory/MEMORY.md"); b.read("ada/memory/x.md") != "" || index != "- [Spaces](feedback_spaces.md) — indent\n" {
		t.Errorf("the old file is still there, or the index is %q", index)
	}
	b.save(engine.Draft{Name: "Taken", Type: memories.User})
	_, err = b.engine.Patch(t.Context(), "ada", m.ID, "", engine.Patch{Name: pointer("Taken")})
	b.isConflict(err, "already")
}

func TestSave_InvalidFields(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	for _, c := range []struct {
		field string
		draft engine.Draft
	}{
		{"name", engine.Draft{Name: "  ", Type: memories.User}},
		{"name", engine.Draft{Name: "two\nlines", Type: memories.User}},
		{"name", engine.Draft{Name: "nul\x00", Type: memories.User}},
		{"name", engine.Draft{Name: strings.Repeat("n", 300), Type: memories.User}},
		{"type", engine.Draft{Name: "x"}},
		{"type", engine.Draft{Name: "x", Type: "nonsense"}},
		{"description", engine.Draft{Name: "x", Type: memories.User, Description: "\x00"}},
		{"body", engine.Draft{Name: "x", Type: memories.User, Body: "\x00"}},
		{"body", engine.Draft{Name: "x", Type: memories.User, Body: "\xff"}},
		{"body", engine.Draft{Name: "x", Type: memories.User, Body: strings.Repeat("b", 1<<20+1)}},
		{"body", engine.Draft{Name: "x", Type: memories.User, Body: strings.Repeat("b", 1<<20)}},
	} {
		_, err := b.engine.Save(t.Context(), "ada", c.draft)
		var invalid *memories.InvalidError
		if !errors.As(err, &invalid) || invalid.Field != c.field {
			t.Errorf("name %.10q, type %q: got %v, want field %s named", c.draft.Name, c.draft.Type, err, c.field)
		}
	}
	if len(b.list("ada", "")) != 0 {
		t.Error("something was saved")
	}
}

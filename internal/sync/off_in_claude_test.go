package sync_test

import (
	"errors"
	"testing"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	engine "memoir/internal/sync"
)

// TestEngine_OffInClaude shows that nothing new is written for an agent while Claude Code's
// settings switch its memory off. A deletion and its undo stay possible.
func TestEngine_OffInClaude(t *testing.T) {
	t.Parallel()
	const slug, dir = "-work", "projects/-work/memory/"
	m := memoirtest.StartClaude(t, memoirtest.Files{
		dir + "tabs.md": note("Tabs", memories.Feedback, "Use tabs."), dir + "MEMORY.md": "- [Gone](gone.md) — gone\n",
	})
	tabs := m.Memory(slug, "Tabs")
	draft := memories.Draft{Name: "New", Type: memories.User, Description: "New.", Body: "New."}
	description := "About tabs."
	writes := map[string]func() error{
		"save":   func() error { _, err := m.Engine.Save(t.Context(), slug, draft); return err },
		"create": func() error { _, err := m.Engine.Create(t.Context(), slug, draft); return err },
		"patch": func() error {
			_, err := m.Engine.Patch(t.Context(), slug, tabs.ID, "", memories.Patch{Description: &description})
			return err
		},
		"rebuild the index": func() error { _, err := m.Engine.RepairIndex(t.Context(), slug, ""); return err },
		"create a file":     func() error { return m.Engine.CreateFile(t.Context(), slug, "another.md", []byte("New.\n")) },
		"append to a log": func() error {
			_, err := m.Engine.AppendLog(t.Context(), slug, engine.LogEntry{Text: "New."})
			return err
		},
	}
	m.Write("settings.json", `{"autoMemoryEnabled": false}`)
	before := [2]string{m.Read(dir + "tabs.md"), m.Read(dir + "MEMORY.md")}
	for name, write := range writes {
		var conflict *memories.ConflictError
		if err := write(); !errors.As(err, &conflict) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := [2]string{m.Read(dir + "tabs.md"), m.Read(dir + "MEMORY.md")}; got != before {
		t.Errorf("the files are %q", got)
	}
	if _, err := m.Engine.Delete(t.Context(), slug, tabs.ID, ""); err != nil || m.Read(dir+"tabs.md") != "" {
		t.Errorf("a deletion: %v", err)
	}
	if _, err := m.Engine.Restore(t.Context(), slug, tabs.ID, ""); err != nil || m.Read(dir+"tabs.md") == "" {
		t.Errorf("its undo: %v", err)
	}
	m.Remove("settings.json")
	for _, name := range []string{"create", "patch", "rebuild the index", "create a file", "append to a log"} {
		if err := writes[name](); err != nil {
			t.Errorf("switched on again, %s: %v", name, err)
		}
	}
}

package sync_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"memoir/internal/agents"
	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	engine "memoir/internal/sync"
)

// setMode sets permissions regardless of the umask.
func setMode(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func wantConflict(t *testing.T, what string, err error) {
	t.Helper()
	var conflict *memories.ConflictError
	if !errors.As(err, &conflict) || !strings.Contains(conflict.Reason, "all users may write") {
		t.Errorf("%s: error = %v, want a conflict about permissions", what, err)
	}
}

func TestOwnership_AgentOpenToAll(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "agents")
	note := memoirtest.Note("Tabs", memories.Feedback, "Use tabs.")
	for _, sub := range []string{"", "ada", "ada/memory"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(dir, "ada/memory/tabs.md")
	if err := os.WriteFile(file, []byte(note), 0o644); err != nil {
		t.Fatal(err)
	}
	setMode(t, filepath.Join(dir, "ada"), 0o777)
	m := memoirtest.StartIn(t, agents.Settings{AgentsDir: dir})
	m.Scan("ada")

	found := m.Memory("ada", "Tabs")
	if found.State != memories.Active || found.Body != "Use tabs." {
		t.Errorf("the memory is %+v", found)
	}
	if _, err := os.Stat(filepath.Join(dir, "ada/CLAUDE.md")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("CLAUDE.md: error = %v, want none", err)
	}
	problem := func() string {
		agent, err := m.Store.Agent(t.Context(), "ada")
		if err != nil {
			t.Fatal(err)
		}
		return agent.ClaudeMD.Problem
	}
	if got := problem(); !strings.Contains(got, "all users may write to "+filepath.Join(dir, "ada")) {
		t.Errorf("claude_md.problem = %q", got)
	}
	if flagged := m.Memory("ada", "memory"); len(flagged.Problems) != 1 || flagged.Problems[0].Code != memories.CodeOpenToAll {
		t.Errorf("the directory is flagged with %+v", flagged.Problems)
	}
	_, err := m.Engine.Delete(t.Context(), "ada", found.ID, "")
	wantConflict(t, "a deletion", err)
	_, err = m.Engine.Save(t.Context(), "ada", engine.Draft{Name: "New", Type: memories.User, Body: "x"})
	wantConflict(t, "a save", err)
	wantConflict(t, "a new file", m.Engine.CreateFile(t.Context(), "ada", "new.md", []byte(note)))
	wantConflict(t, "a removal", m.Engine.RemoveFile(t.Context(), "ada", "tabs.md"))
	if raw, err := os.ReadFile(file); err != nil || string(raw) != note {
		t.Errorf("the file says %q (%v)", raw, err)
	}
	if m.Memory("ada", "Tabs").State != memories.Active {
		t.Error("a refused deletion has ended the memory")
	}

	setMode(t, filepath.Join(dir, "ada"), 0o755)
	m.Scan("ada")
	if got := problem(); got != "" {
		t.Errorf("after chmod: claude_md.problem = %q", got)
	}
	if raw, err := os.ReadFile(filepath.Join(dir, "ada/CLAUDE.md")); err != nil || !strings.Contains(string(raw), "Use tabs.") {
		t.Errorf("after chmod: CLAUDE.md = %q (%v)", raw, err)
	}
	if _, err := m.Engine.Delete(t.Context(), "ada", found.ID, ""); err != nil {
		t.Errorf("after chmod: Delete() error = %v", err)
	}
}

// A session's file in such a directory stays, and does not keep the memory alive.
func TestOwnership_SessionOpenToAll(t *testing.T) {
	t.Parallel()
	const file = "ada/sessions/u-c-1/memory/tabs.md"
	m := memoirtest.Start(t, memoirtest.Files{
		"ada/memory/other.md": memoirtest.Note("Other", memories.User, "x"),
		file:                  memoirtest.Note("Tabs", memories.Feedback, "Use tabs."),
	})
	setMode(t, m.Path("ada/sessions/u-c-1/memory"), 0o777)
	m.Scan("ada")
	result, err := m.Engine.Delete(t.Context(), "ada", m.Memory("ada", "Tabs").ID, "")
	if err != nil {
		t.Fatalf("Delete() error = %v", err)
	}
	if result.Memory.State != memories.Deleted || len(result.Memory.Problems) != 1 || result.Memory.Problems[0].Code != memories.CodeNotRemoved {
		t.Errorf("the memory is %s with %+v", result.Memory.State, result.Memory.Problems)
	}
	if strings.Contains(m.Read("ada/CLAUDE.md"), "Use tabs.") {
		t.Error("CLAUDE.md still has the memory")
	}
	m.Read(file)
	setMode(t, m.Path("ada/sessions/u-c-1/memory"), 0o755)
	m.Scan("ada")
	if _, err := os.Stat(m.Path(file)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("after chmod the file is still there (%v)", err)
	}
}

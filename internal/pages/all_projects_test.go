package pages_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"memoir/internal/agents"
	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/recall"
	"memoir/web/templates/address"
)

// TestTransfer_ForAllProjects moves a memory of one project of Claude Code to all agents, without a
// setting: another project recalls it, and a hive agent has it in its CLAUDE.md. Undo takes it back.
func TestTransfer_ForAllProjects(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put := func(path, text string) {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put("claude/projects/-src-shop/memory/deploy.md", memoirtest.Note("deploy-window", memories.Project, "Deploys to production happen on Tuesday morning."))
	put("claude/projects/-src-shop/memory/MEMORY.md", "- [Deploy window](deploy.md) — when to deploy\n")
	put("claude/projects/-src-blog/memory/theme.md", memoirtest.Note("theme", memories.Project, "The theme is dark."))
	put("agents/ada/memory/tabs.md", memoirtest.Note("Tabs", memories.Feedback, "Use tabs."))
	team := filepath.Join(dir, "claude", "shared-memory")
	m := memoirtest.StartIn(t, agents.Settings{
		AgentsDir: filepath.Join(dir, "agents"), ClaudeDir: filepath.Join(dir, "claude"), TeamDir: team, IsOwnTeamDir: true,
	})
	s := serveMemoir(t, m, setting{})
	recalled := func(slug string) string {
		t.Helper()
		found, err := m.Recaller.Recall(t.Context(), recall.Request{Agent: slug, Query: "when may I deploy to production?", ReadOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		var texts strings.Builder
		for _, r := range found.Memories {
			texts.WriteString(r.Text)
		}
		return texts.String()
	}
	if !strings.Contains(recalled("-src-shop"), "Tuesday") {
		t.Fatalf("its own project recalls %q", recalled("-src-shop"))
	}
	if _, err := os.Lstat(team); !os.IsNotExist(err) || strings.Contains(recalled("-src-blog"), "Tuesday") {
		t.Fatalf("before the move: %v", err)
	}

	page := s.get(t, address.MemoryPath("-src-shop", m.Memory("-src-shop", "deploy-window").ID))
	moved := s.submit(t, page, "For all projects deploy-window")
	moved.expect(http.StatusOK, "Moved deploy-window to all agents")
	if !strings.Contains(recalled("-src-blog"), "Tuesday") {
		t.Errorf("the other project recalls %q", recalled("-src-blog"))
	}
	if got := m.Read("ada/CLAUDE.md"); !strings.Contains(got, "### deploy-window (team)\n\nDeploys to production") {
		t.Errorf("CLAUDE.md of ada is %q", got)
	}
	if index, err := os.ReadFile(filepath.Join(dir, "claude/projects/-src-shop/memory/MEMORY.md")); err != nil || strings.Contains(string(index), "Deploy window") {
		t.Errorf("the old index is %q, %v", index, err)
	}

	s.submit(t, moved, "Undo the move of deploy-window").expect(http.StatusOK, "Moved deploy-window to private memory")
	if strings.Contains(recalled("-src-blog"), "Tuesday") || strings.Contains(m.Read("ada/CLAUDE.md"), "deploy-window") {
		t.Errorf("after the undo the other project recalls %q, and CLAUDE.md is %q", recalled("-src-blog"), m.Read("ada/CLAUDE.md"))
	}
	if index, err := os.ReadFile(filepath.Join(dir, "claude/projects/-src-shop/memory/MEMORY.md")); err != nil || !strings.Contains(string(index), "Deploy window") {
		t.Errorf("the index is %q, %v", index, err)
	}
}

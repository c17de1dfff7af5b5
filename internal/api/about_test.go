package api_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"memoir/internal/agents"
	"memoir/internal/api"
	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

const aboutKeys = "memory scope project seen_by committed claude_dir claude_dir_links claude_on claude_on_links"

func TestPatchAgent_SwitchesMemory(t *testing.T) {
	t.Parallel()
	s := setup(t, memoirtest.Files{"ada/memory/tabs.md": memoirtest.Note("Tabs", memories.Feedback, "Use tabs.")})
	const ada = "/api/v1/agents/ada"
	about := s.ok(200, "GET", ada+"/about", nil)
	if about.keys() != sorted(aboutKeys) || about["memory"] != "on" || about["claude_on"] != nil || len(about.list("claude_on_links")) != 0 {
		t.Errorf("about %v", about)
	}
	if off := s.ok(200, "PATCH", ada, map[string]any{"memory": "off"}); off["memory"] != "off" {
		t.Errorf("switched off: %v", off)
	}
	if text := s.Read("ada/CLAUDE.md"); strings.Contains(text, "# Memory System") || !strings.Contains(text, "Use tabs.") {
		t.Errorf("CLAUDE.md says\n%s", text)
	}
	for _, wrong := range []any{map[string]any{}, map[string]any{"memory": "perhaps"}, map[string]any{"memory": nil}, map[string]any{"memory": true}} {
		s.problem(s.call("PATCH", ada, wrong), 422)
	}
	s.problem(s.call("PATCH", "/api/v1/agents/nobody", map[string]any{"memory": "off"}), 404)
	s.problem(s.call("GET", "/api/v1/agents/nobody/about", nil), 404)
	s.ok(200, "PATCH", ada, map[string]any{"memory": "on"})
	if !strings.Contains(s.Read("ada/CLAUDE.md"), "# Memory System") {
		t.Error("switched on, CLAUDE.md does not ask to save")
	}
}

func TestAbout_ClaudeSettings(t *testing.T) {
	t.Parallel()
	env := map[string]string{"CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1"}
	m := memoirtest.StartIn(t, agents.Settings{
		ClaudeDir: claudeWith(t, "agent-memory/reviewer/tabs.md", memoirtest.Note("Tabs", memories.Feedback, "Use tabs.")),
		Env:       func(name string) (string, bool) { v, found := env[name]; return v, found },
	})
	s := serve(t, m, api.Options{})
	about := s.ok(200, "GET", "/api/v1/agents/reviewer/about", nil)
	if about["scope"] != "user" || about["seen_by"] != "Only you, in all your projects on this machine." || about["claude_on"] != false {
		t.Errorf("about %v", about)
	}
	if first := about.list("claude_on_links")[0]; first["name"] != "CLAUDE_CODE_DISABLE_AUTO_MEMORY" || first["says"] != "1" || first["holds"] != true || first["problem"] != nil {
		t.Errorf("the first link: %v", first)
	}
}

// claudeWith returns a new Claude Code directory that contains one file with the given name and
// text.
func claudeWith(t *testing.T, name, text string) string {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

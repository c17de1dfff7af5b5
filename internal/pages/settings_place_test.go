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
)

func TestSettings_SwitchesMemory(t *testing.T) {
	t.Parallel()
	s := serve(t, memoirtest.Files{"ada/memory/tabs.md": memoirtest.Note("Tabs", memories.Feedback, "Use tabs.")})
	s.get(t, adaSettings).expect(http.StatusOK, "CLAUDE.md asks the agent to save", "Kind Agent")
	p := open(t, startBrowser(t), s, adaSettings, person{})
	p.live()
	p.mark()
	p.do(click("Turn off"))
	p.shows("Memory off")
	p.shows("Existing memories stay.")
	if text := s.Read("ada/CLAUDE.md"); strings.Contains(text, "# Memory System") || !strings.Contains(text, "Use tabs.") {
		t.Errorf("CLAUDE.md says\n%s", text)
	}
	p.isMarked()
	p.do(click("Turn on"))
	p.hides("Memory off")
	if text := s.Read("ada/CLAUDE.md"); !strings.Contains(text, "# Memory System") {
		t.Errorf("CLAUDE.md says\n%s", text)
	}
	p.fits()
}

func TestSettings_ShowsPlaceAndReasons(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	app := filepath.Join(dir, "app")
	slug := memoirtest.ClaudeProject(app)
	put("claude/projects/"+slug+"/1.jsonl", `{"cwd":"`+app+`"}`+"\n")
	put("claude/projects/"+slug+"/memory/tabs.md", memoirtest.Note("Tabs", memories.Feedback, "Use tabs."))
	put("app/.claude/agents/reviewer.md", "---\nname: reviewer\nmemory: project\n---\n")
	put("app/.claude/settings.json", `{"autoMemoryDirectory": "/etc/stolen", "autoMemoryEnabled": false}`)
	put("app/.claude/settings.local.json", `{"autoMemoryDirectory": "/elsewhere/memory"}`)
	s := serveMemoir(t, memoirtest.StartIn(t, agents.Settings{ClaudeDir: filepath.Join(dir, "claude")}), setting{})
	s.get(t, "/agents/"+slug+"/settings").expect(http.StatusOK,
		"Only you, on this machine.", "Claude Code now uses /elsewhere/memory", "It does not load this directory.",
		"Not used: this file is committed with the project.", "Claude Code’s memory is off.", "app/.claude/settings.json")
	s.get(t, "/agents/app-reviewer/settings").expect(http.StatusOK,
		"Custom agent of Claude Code, shared with the project", "Everyone who clones the repository, unless it ignores the directory.")
}

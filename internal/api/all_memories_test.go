package api_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"memoir/internal/agents"
	"memoir/internal/api"
	"memoir/internal/memoirtest"
)

func TestAllMemories_Filters(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for path, text := range map[string]string{
		"agents/ada/memory/tabs.md":         "---\nname: Tabs\ndescription: tabs in Go\ntype: feedback\n---\n\nUse tabs.\n",
		"agents/bob/memory/tea.md":          "---\nname: Tea\ntype: user\n---\n\nGreen tea.\n",
		"gemini/tmp/shop/memory/release.md": "# Order of the deploys\n\n1. schema\n",
		"codex/memories/MEMORY.md":          "# Task Group: shop\nscope: how releases are cut\n\n- tag first\n",
		"openclaw/workspace/MEMORY.md":      "## coffee\n\nBlack.\n",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, path)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, path), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	m := memoirtest.StartIn(t, agents.Settings{AgentsDir: filepath.Join(dir, "agents"), GeminiDir: filepath.Join(dir, "gemini"), CodexDir: filepath.Join(dir, "codex"), OpenClawDir: filepath.Join(dir, "openclaw")})
	s := serve(t, m, api.Options{})
	for query, want := range map[string]string{
		"sort=name":               "Tabs Tea coffee release shop",
		"layout=hive&sort=name":   "Tabs Tea",
		"layout=codex":            "shop",
		"layout=letta":            "",
		"agent=bob":               "Tea",
		"agent=nobody":            "",
		"type=project&sort=name":  "coffee release shop",
		"q=deploys":               "release",
		"q=green&layout=gemini":   "",
		"name=Tabs":               "Tabs",
		"state=deleted":           "",
		"sort=age&stale=true":     "",
		"q=grean&near=true":       "Tea",
		"agent=ada&layout=gemini": "",
	} {
		list := s.ok(200, "GET", "/api/v1/memories?"+query, nil)
		if got := names(list.list("memories"), "name"); got != want || list["total"] != float64(len(strings.Fields(want))) {
			t.Errorf("%s lists %q of %v, want %q", query, got, list["total"], want)
		}
	}
	first := s.ok(200, "GET", "/api/v1/memories?sort=name&limit=3", nil)
	rest := s.ok(200, "GET", "/api/v1/memories?sort=name&limit=3&cursor="+first.string("next_cursor"), nil)
	if got := names(append(first.list("memories"), rest.list("memories")...), "name"); got != "Tabs Tea coffee release shop" || rest["next_cursor"] != nil {
		t.Errorf("the two pages have %q", got)
	}
	for _, query := range []string{"layout=emacs", "session=x", "as_of=2026-01-01T00:00:00Z", "type=x", "q=%00", "name=", "cursor=x", "layout=hive&sort=name&cursor=" + first.string("next_cursor")} {
		s.problem(s.call("GET", "/api/v1/memories?"+query, nil), 422)
	}

	coffee := s.ok(200, "GET", "/api/v1/memories?name=coffee", nil).list("memories")[0]
	agent := "/api/v1/agents/" + coffee.string("agent")
	at := agent + "/memories/" + coffee.string("id")
	for _, refused := range []reply{
		s.call("DELETE", at, nil), s.call("PATCH", at, object{"body": "x"}), s.call("POST", at+"/verify", nil),
		s.call("POST", agent+"/memories", object{"name": "x", "type": "project"}),
	} {
		if p := s.problem(refused, 409); !strings.Contains(p.string("detail"), "Copy the memory to another agent") {
			t.Errorf("a change of a memory of OpenClaw gives %v", p)
		}
	}
	copied := s.call("POST", at+"/copy", object{"to": "private", "agent": "ada"})
	if c := s.object(copied); copied.status != 201 || c["agent"] != "ada" || c["path"] != "memory/project_coffee.md" {
		t.Errorf("the copy is %d %v", copied.status, c)
	}
	s.problem(s.call("POST", "/api/v1/agents/ada/memories/"+s.object(copied).string("id")+"/copy", object{"to": "private", "agent": coffee.string("agent")}), 409)
	if got := s.ok(200, "GET", "/api/v1/agents/codex", nil); got["layout"] != "codex" {
		t.Errorf("the agent is %v", got)
	}
}

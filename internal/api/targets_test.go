package api_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"memoir/internal/api"
	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

func TestTargets_Choose(t *testing.T) {
	t.Parallel()
	s := setup(t, tabs)
	const at = "/api/v1/agents/ada/targets"
	list := s.ok(200, "GET", at, nil)
	dir := list.string("dir")
	var names, files []string
	for _, target := range list.list("targets") {
		names = append(names, target.string("target"))
		files = append(files, target.string("file"))
		if target["on"] != false || target["problem"] != nil || target["published_at"] != nil || target["path"] != filepath.Join(dir, target.string("file")) {
			t.Errorf("a target that is off is %v", target)
		}
	}
	if got := strings.Join(names, " ") + " " + strings.Join(files, " "); got != "agents gemini copilot cursor AGENTS.md GEMINI.md .github/copilot-instructions.md .cursor/rules/memoir.mdc" {
		t.Errorf("the targets are %s", got)
	}

	chosen := s.ok(200, "PUT", at, object{"targets": []string{"gemini"}}).list("targets")[1]
	raw, err := os.ReadFile(filepath.Join(dir, "GEMINI.md"))
	if err != nil || !strings.Contains(string(raw), "### Tabs") {
		t.Errorf("GEMINI.md is %q, %v", raw, err)
	}
	if chosen["on"] != true || chosen["bytes"] != float64(len(raw)) || chosen["published_at"] == nil {
		t.Errorf("the target is %v", chosen)
	}
	if p := s.problem(s.call("PUT", at, object{"targets": []string{"claude"}}), 422); !strings.Contains(p.string("detail"), "agents, gemini, copilot, cursor") {
		t.Errorf("an unknown target gives %v", p)
	}
	s.problem(s.call("PUT", at, object{}), 422)
	s.problem(s.call("GET", at+"?all=1", nil), 422)
	s.problem(s.call("GET", "/api/v1/agents/nobody/targets", nil), 404)
	s.ok(200, "PUT", at, object{"targets": []string{}})
	if _, err := os.Lstat(filepath.Join(dir, "GEMINI.md")); !os.IsNotExist(err) {
		t.Errorf("GEMINI.md: %v", err)
	}
}

func TestTargets_SharedAgent(t *testing.T) {
	t.Parallel()
	m, _ := memoirtest.StartSharing(t, tabs, map[string]string{"wiki.md": memoirtest.Note("Wiki", memories.Reference, "wiki.example")})
	s := serve(t, m, api.Options{})
	const at = "/api/v1/agents/team/targets"
	list := s.ok(200, "GET", at, nil)
	if list["dir"] != nil || list.list("targets")[0]["path"] != nil {
		t.Errorf("the targets are %v", list)
	}
	s.problem(s.call("PUT", at, object{"targets": []string{"agents"}}), 409)
}

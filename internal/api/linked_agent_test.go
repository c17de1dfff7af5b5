package api_test

import (
	"os"
	"strings"
	"testing"

	"memoir/internal/api"
	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

func TestAgent_Linked(t *testing.T) {
	t.Parallel()
	s := serveClaude(t, memoirtest.Files{
		"projects/old/memory/tabs.md": memoirtest.Note("Tabs", memories.Feedback, "Use tabs."),
		"projects/new/memory/tabs.md": memoirtest.Note("Tabs", memories.Feedback, "Use tabs."),
	})
	const old = "/api/v1/agents/old"
	if agent := s.ok(200, "GET", old, nil); agent["joined_to"] != nil {
		t.Errorf("before the link: %v", agent)
	}
	dir := s.Path("projects/old/memory")
	if err := os.Rename(dir, dir+".mine"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../new/memory", dir); err != nil {
		t.Fatal(err)
	}
	s.ok(200, "POST", "/api/v1/scan", nil)
	if agent := s.ok(200, "GET", old, nil); agent["joined_to"] != "new" {
		t.Errorf("with the link: %v", agent)
	}
	for _, q := range []string{"tabs", "tabz"} {
		if found := s.ok(200, "GET", "/api/v1/search?near=true&q="+q, nil); found["total"] != 1.0 || names(found.list("memories"), "agent") != "new" {
			t.Errorf("a search of all agents for %s finds %v", q, found)
		}
	}
	p := s.problem(s.call("POST", old+"/memories", object{"name": "New", "type": "user"}), 409)
	if !strings.Contains(p.string("detail"), "old is joined to new") {
		t.Errorf("saved in the linked agent: %v", p)
	}
	s.problem(s.call("DELETE", old, nil), 409)
}

// serveClaude returns a server for a Claude Code directory with these files.
func serveClaude(t *testing.T, files memoirtest.Files) *server {
	t.Helper()
	return serve(t, memoirtest.StartClaude(t, files), api.Options{})
}

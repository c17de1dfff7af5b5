package api_test

import (
	"os"
	"strings"
	"testing"

	"memoir/internal/api"
	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

func TestTwoAgentsAreJoinedAndPartedByAScript(t *testing.T) {
	t.Parallel()
	s := serveClaude(t, memoirtest.Files{
		"projects/old/memory/tabs.md": memoirtest.Note("Tabs", memories.Feedback, "Use tabs."),
		"projects/new/memory/wiki.md": memoirtest.Note("Wiki", memories.Reference, "wiki.example"),
	})
	const old = "/api/v1/agents/old"
	for into, status := range map[string]int{"old": 422, "nobody": 422, "no\x00body": 422, "": 422} {
		s.problem(s.call("POST", old+"/join", object{"into": into}), status)
	}
	s.problem(s.call("POST", "/api/v1/agents/nobody/join", object{"into": "new"}), 404)
	s.problem(s.call("POST", old+"/part", nil), 409)
	foreseen := s.ok(200, "POST", old+"/join?dry_run=true", object{"into": "new"})
	if foreseen["done"] != false || foreseen.keys() != sorted("agent into done files index left aside") || len(foreseen.list("files")) != 1 {
		t.Errorf("foreseen %v", foreseen)
	}
	if agent := s.ok(200, "GET", old, nil); agent["joined_to"] != nil {
		t.Errorf("after a dry run: %v", agent)
	}
	joined := s.ok(200, "POST", old+"/join", object{"into": "new"})
	if f := joined.list("files")[0]; joined["done"] != true || f["path"] != "tabs.md" || f["to"] != "tabs.md" || f["name"] != "Tabs" || f["outcome"] != "new" {
		t.Errorf("joined %v", joined)
	}
	if agent := s.ok(200, "GET", old, nil); agent["joined_to"] != "new" {
		t.Errorf("joined: %v", agent)
	}
	if target, err := os.Readlink(s.Path("projects/old/memory")); target != "../new/memory" {
		t.Errorf("a link to %q, %v", target, err)
	}
	if list := s.ok(200, "GET", "/api/v1/agents/new/memories?sort=name", nil); names(list.list("memories"), "name") != "Tabs Wiki" {
		t.Errorf("the other has %v", list)
	}
	for _, q := range []string{"tabs", "tabz"} { // what the joined one had stands for itself no more
		if found := s.ok(200, "GET", "/api/v1/search?near=true&q="+q, nil); found["total"] != 1.0 || names(found.list("memories"), "agent") != "new" {
			t.Errorf("a search of all agents for %s finds %v", q, found)
		}
	}
	p := s.problem(s.call("POST", old+"/memories", object{"name": "New", "type": "user"}), 409)
	if !strings.Contains(p.string("detail"), "old is joined to new") {
		t.Errorf("saved in the one that is joined: %v", p)
	}
	s.problem(s.call("POST", old+"/join", object{"into": "new"}), 409)
	s.problem(s.call("POST", "/api/v1/agents/new/join", object{"into": "old"}), 409)
	s.problem(s.call("DELETE", old, nil), 409)
	if agent := s.ok(200, "POST", old+"/part", nil); agent["joined_to"] != nil {
		t.Errorf("parted: %v", agent)
	}
	if list := s.ok(200, "GET", old+"/memories?sort=name", nil); names(list.list("memories"), "name") != "Tabs Wiki" {
		t.Errorf("parted, it has %v", list)
	}
	if list := s.ok(200, "GET", old+"/activity?kind=parted", nil).list("activity"); len(list) != 1 || list[0]["name"] != "new" || list[0]["actor"] != "script" {
		t.Errorf("the journal says %v", list)
	}
}

func TestAnAgentOfTheHiveIsNotJoined(t *testing.T) {
	t.Parallel()
	s := setup(t, memoirtest.Files{
		"ada/memory/tabs.md": memoirtest.Note("Tabs", memories.Feedback, "Use tabs."),
		"bob/memory/tabs.md": memoirtest.Note("Tabs", memories.Feedback, "Use tabs."),
	})
	p := s.problem(s.call("POST", "/api/v1/agents/ada/join", object{"into": "bob"}), 409)
	if !strings.Contains(p.string("detail"), "a CLAUDE.md and sessions of its own") {
		t.Errorf("refused with %v", p)
	}
}

// serveClaude serves a Memoir over a directory of Claude Code.
func serveClaude(t *testing.T, files memoirtest.Files) *server {
	t.Helper()
	return serve(t, memoirtest.StartClaude(t, files), api.Options{})
}

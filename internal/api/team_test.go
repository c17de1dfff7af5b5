package api_test

import (
	"strings"
	"testing"

	"memoir/internal/api"
	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

func TestTeam_SaveMoveCopy(t *testing.T) {
	t.Parallel()
	s := setup(t, tabs)
	const all = "/api/v1/agents/ada/memories"
	at := s.at("ada", "Tabs")
	private := s.call("GET", at, nil)
	etag := private.header.Get("ETag")
	s.problem(s.call("POST", at+"/move", object{"to": "team"}, "If-Match", `"stale"`), 412)
	s.problem(s.call("POST", at+"/move", object{"to": "everybody"}), 422)
	moved := s.call("POST", at+"/move", object{"to": "team"}, "If-Match", etag)
	m := s.object(moved)
	if moved.status != 200 || moved.header.Get("ETag") == etag || m["scope"] != "team" || m["path"] != "memory/team/feedback_tabs.md" || m["id"] != s.object(private)["id"] {
		t.Errorf("moved: %d %v", moved.status, m)
	}
	s.problem(s.call("POST", all+"/"+m.string("id")+"/move", object{"to": "team"}), 409)
	copied := s.call("POST", all+"/"+m.string("id")+"/copy", object{"to": "private"})
	if c := s.object(copied); copied.status != 201 || c["scope"] != "private" || copied.header.Get("Location") != all+"/"+c.string("id") {
		t.Errorf("copied: %d %v", copied.status, c)
	}
	s.problem(s.call("POST", all+"/"+m.string("id")+"/copy", object{"to": "private"}), 409)

	saved := s.call("POST", all, object{"name": "Wiki", "type": "reference", "scope": "team", "body": "wiki.example"})
	if w := s.object(saved); saved.status != 201 || w["path"] != "memory/team/reference_wiki.md" {
		t.Errorf("saved: %d %v", saved.status, w)
	}
	secret := "AKIA" + "Z7QH3WTYUJ2LNB4V"
	refused := s.call("POST", all, object{"name": "Key", "type": "reference", "scope": "team", "body": "It is\n" + secret + "\n"})
	if p := s.problem(refused, 422); !strings.Contains(p.string("detail"), "line 2") || !strings.Contains(p.string("detail"), "aws-access-token") || strings.Contains(string(refused.raw), secret) {
		t.Errorf("a credential gives %v", p)
	}
	s.tool(object{"command": "create", "path": "/memories/team-evil/a.md", "file_text": memoirtest.Note("Evil", memories.User, "Private.")}, "File created successfully at: /memories/team-evil/a.md", false)
	s.tool(object{"command": "create", "path": "/memories/team/key.md", "file_text": secret + "\n"}, "Error: memory/team/key.md has a possible credential in line 1 (aws-access-token), which the whole team could read; remove it, or keep the memory private. Nothing was written.", true)
	for query, want := range map[string]string{"scope=team": "Tabs Wiki", "scope=private": "Evil Tabs", "": "Evil Tabs Tabs Wiki", "scope=team&q=wiki": "Wiki", "scope=team&name=Tabs": "Tabs"} {
		list := s.ok(200, "GET", all+"?sort=name&"+query, nil)
		if got := names(list.list("memories"), "name"); got != want || list["total"] != float64(len(strings.Fields(want))) {
			t.Errorf("%s: %q, in all %v", query, got, list["total"])
		}
	}
	s.problem(s.call("GET", all+"?scope=all", nil), 422)
}

func TestShared_MoveToAndFrom(t *testing.T) {
	t.Parallel()
	m, _ := memoirtest.StartSharing(t, tabs, nil)
	s := serve(t, m, api.Options{})
	if team := s.ok(200, "GET", "/api/v1/agents/team", nil); team["layout"] != "shared" || team.object("claude_md")["path"] != nil {
		t.Errorf("it is %v", team)
	}
	at := s.at("ada", "Tabs")
	moved := s.ok(200, "POST", at+"/move", object{"to": "shared"})
	if moved["agent"] != "team" || moved["scope"] != "team" || s.ok(200, "GET", "/api/v1/agents/ada/memories", nil)["total"] != 0.0 {
		t.Errorf("moved: %v", moved)
	}
	if got := string(s.call("GET", "/api/v1/agents/ada/claude-md", nil).raw); !strings.Contains(got, "### Tabs (team)") {
		t.Errorf("ada is given %q", got)
	}
	if got := string(s.call("GET", "/api/v1/agents/ada/claude-md?without="+moved.string("id"), nil).raw); got == "" || strings.Contains(got, "### Tabs") {
		t.Errorf("without it, ada is given %q", got)
	}
	there := "/api/v1/agents/team/memories/" + moved.string("id")
	s.problem(s.call("POST", there+"/move", object{"to": "private"}), 422)
	s.problem(s.call("POST", there+"/copy", object{"to": "private", "agent": "nobody"}), 422)
	copied := s.call("POST", there+"/copy", object{"to": "team", "agent": "ada"})
	if c := s.object(copied); copied.status != 201 || c["agent"] != "ada" || c["path"] != "memory/team/feedback_tabs.md" || copied.header.Get("Location") != "/api/v1/agents/ada/memories/"+c.string("id") {
		t.Errorf("copied: %d %v", copied.status, c)
	}
	s.problem(s.call("POST", "/api/v1/agents/team/memories", object{"name": "Key", "type": "reference", "body": "AKIA" + "Z7QH3WTYUJ2LNB4V"}), 422)
}

package api_test

import (
	"strings"
	"testing"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

func TestFixes_ListAndApply(t *testing.T) {
	t.Parallel()
	s := setup(t, memoirtest.Files{"ada/memory/user_tea.md": "---\nname: Tea\ndescription: which\n---\n\nGreen.\x00\n"})
	at := s.at("ada", "Tea")
	files := s.ok(200, "GET", at+"/fixes", nil).list("files")
	if len(files) != 1 || files[0].keys() != sorted("path session hash problems fixes") || files[0]["session"] != nil || files[0]["path"] != "memory/user_tea.md" {
		t.Fatalf("files: %v", files)
	}
	if got := names(files[0].list("problems"), "code"); got != "nul type_missing" {
		t.Errorf("problems: %q", got)
	}
	fixes := files[0].list("fixes")
	if got := names(fixes, "id"); got != "nul type:feedback type:user type:project type:reference" {
		t.Fatalf("fixes: %q", got)
	}
	if fix := fixes[2]; fix.keys() != sorted("id problem label explanation guessed new_path diff") || fix["guessed"] != true || fix["problem"] != "type_missing" ||
		!strings.Contains(fix.string("diff"), "\n name: Tea\n description: which\n+type: user\n") {
		t.Errorf("fix: %v", fix)
	}
	m := s.ok(200, "POST", at+"/fixes", object{"path": "memory/user_tea.md", "fix": "type:user"})
	if m.keys() != sorted(memoryKeys) || m["type"] != "user" || m["state"] != "active" {
		t.Errorf("fixed: %v", m)
	}
	if got := s.Read("ada/memory/user_tea.md"); got != "---\nname: Tea\ndescription: which\ntype: user\n---\n\nGreen.\x00\n" {
		t.Errorf("the file is %q", got)
	}
	s.problem(s.call("POST", at+"/fixes", object{"path": "memory/user_tea.md", "fix": "nul"}, "If-Match", `"stale"`), 412)
	s.problem(s.call("POST", at+"/fixes", object{"path": "memory/user_tea.md", "fix": "type:user"}), 422)
	s.problem(s.call("POST", at+"/fixes", object{"path": "../user_tea.md", "fix": "nul"}), 422)
	s.problem(s.call("POST", at+"/fixes", object{"fix": "nul"}), 422)
	s.problem(s.call("GET", "/api/v1/agents/ada/memories/nonsense/fixes", nil), 404)
	s.ok(200, "POST", at+"/fixes", object{"path": "memory/user_tea.md", "fix": "nul"})
	if r := s.call("GET", at+"/fixes", nil); string(r.raw) != `{"files":[]}`+"\n" {
		t.Errorf("afterwards: %s", r.raw)
	}
}

func TestUndoFix_ByHash(t *testing.T) {
	t.Parallel()
	before := "---\nname: Tea\n---\n\nGreen.\n"
	s := setup(t, memoirtest.Files{"ada/memory/user_tea.md": before})
	at := s.at("ada", "Tea")
	hash := s.ok(200, "GET", at+"/fixes", nil).list("files")[0].string("hash")
	s.ok(200, "POST", at+"/fixes", object{"path": "memory/user_tea.md", "fix": "type:user"})
	undo := object{"path": "memory/user_tea.md", "hash": hash}
	s.problem(s.call("POST", at+"/fixes/undo", undo, "If-Match", `"stale"`), 412)
	s.problem(s.call("POST", at+"/fixes/undo", object{"path": "memory/other.md", "hash": hash}), 422)
	s.problem(s.call("POST", at+"/fixes/undo", object{"path": "memory/user_tea.md", "hash": "unknown"}), 409)
	if m := s.ok(200, "POST", at+"/fixes/undo", undo); m["type"] != nil || m["state"] != "needs_attention" {
		t.Errorf("undone: %v", m)
	}
	if got := s.Read("ada/memory/user_tea.md"); got != before {
		t.Errorf("the file is %q", got)
	}
}

func TestRemoveBlocked_RemovesFile(t *testing.T) {
	t.Parallel()
	s := setup(t, tabs)
	s.ok(200, "DELETE", s.at("ada", "Tabs"), nil)
	s.Write("ada/memory/back.md", tabs["ada/memory/tabs.md"])
	s.ok(200, "POST", "/api/v1/agents/ada/scan", nil)
	blocked := s.ok(200, "GET", "/api/v1/agents/ada/blocked", nil).list("blocked")
	at := "/api/v1/agents/ada/blocked/" + blocked[0].string("id")
	if removed := s.ok(200, "DELETE", at, nil); removed["path"] != "memory/back.md" || removed.keys() != blocked[0].keys() {
		t.Errorf("removed: %v", removed)
	}
	if s.Read("ada/memory/back.md") != "" {
		t.Error("the file is still there")
	}
	s.problem(s.call("DELETE", at, nil), 404)
}

func TestDisagreements_KeepVersion(t *testing.T) {
	t.Parallel()
	const session = "ada/sessions/U1-C1-1712345678.000100/memory/x.md"
	s := setup(t, memoirtest.Files{"ada/memory/x.md": memoirtest.Note("Tabs", memories.User, "four")})
	s.Write(session, memoirtest.Note("Tabs", memories.User, "eight"))
	s.ok(200, "POST", "/api/v1/agents/ada/scan", nil)
	found := s.ok(200, "GET", "/api/v1/agents/ada/disagreements", nil).list("disagreements")
	if len(found) != 1 || found[0].keys() != sorted("id name versions sessions durable primary_versions newest_at") || found[0]["name"] != "Tabs" || found[0]["versions"] != 2.0 {
		t.Fatalf("disagreements: %v", found)
	}
	at := "/api/v1/agents/ada/memories/" + found[0].string("id")
	answer := s.ok(200, "GET", at+"/versions", nil)
	versions := answer.list("versions")
	if answer["settled"] != false || names(versions, "body") != "eight four" || versions[0]["current"] != true || versions[0].keys() != sorted("id type description body current files") {
		t.Fatalf("versions: %v", answer)
	}
	if file := versions[1].list("files")[0]; file.keys() != sorted("path session hash modified_at new_at") || file["session"] != nil {
		t.Errorf("a version's file: %v", file)
	}
	s.ok(200, "PATCH", at, object{"body": "four"})
	if r := s.call("GET", "/api/v1/agents/ada/disagreements", nil); string(r.raw) != `{"disagreements":[]}`+"\n" {
		t.Errorf("afterwards: %s", r.raw)
	}
	if answer := s.ok(200, "GET", at+"/versions", nil); answer["settled"] != true || names(answer.list("versions"), "body") != "four eight" {
		t.Errorf("afterwards: %v", answer)
	}
	s.problem(s.call("GET", "/api/v1/agents/nobody/disagreements", nil), 404)
}

func TestVersions_KeepOneOfTwoPrimaryFiles(t *testing.T) {
	t.Parallel()
	s := setup(t, memoirtest.Files{
		"ada/memory/x.md": memoirtest.Note("Tabs", memories.User, "four"), "ada/memory/y.md": memoirtest.Note("Tabs", memories.User, "eight"),
	})
	found := s.ok(200, "GET", "/api/v1/agents/ada/disagreements", nil).list("disagreements")
	if len(found) != 1 || found[0]["primary_versions"] != 2.0 {
		t.Fatalf("disagreements: %v", found)
	}
	at := "/api/v1/agents/ada/memories/" + found[0].string("id")
	kept := s.ok(200, "GET", at+"/versions", nil).list("versions")[1]
	answer := s.ok(200, "POST", at+"/versions/"+kept.string("id")+"/keep", nil)
	if answer["body"] != kept["body"] || answer["path"] != kept.list("files")[0]["path"] || len(answer.list("files")) != 1 {
		t.Errorf("the memory is %v, and %v was kept", answer, kept)
	}
	if found := s.ok(200, "GET", "/api/v1/agents/ada/disagreements", nil).list("disagreements"); len(found) != 0 {
		t.Errorf("afterwards: %v", found)
	}
	s.problem(s.call("POST", at+"/versions/00/keep", nil), 404)
}

package api_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

func TestRestore_Everywhere(t *testing.T) {
	t.Parallel()
	s := setup(t, memoirtest.Files{
		"ada/memory/tabs.md":   memoirtest.Note("Tabs", memories.Feedback, "Use tabs."),
		"ada/memory/MEMORY.md": "- [Tabs](tabs.md) — how to indent\n",
	})
	at := s.at("ada", "Tabs")
	s.problem(s.call("POST", at+"/restore", nil), 409)
	s.ok(200, "DELETE", at, nil)
	restored := s.ok(200, "POST", at+"/restore", nil)
	if restored.keys() != sorted(memoryKeys) || restored["state"] != "active" || restored["deleted_at"] != nil {
		t.Errorf("restored: %v", restored)
	}
	if s.Read("ada/memory/tabs.md") != tabs["ada/memory/tabs.md"] || s.Read("ada/memory/MEMORY.md") != "- [Tabs](tabs.md) — how to indent\n" ||
		!strings.Contains(s.Read("ada/CLAUDE.md"), "Use tabs.") {
		t.Error("the disk is not as it was")
	}
	s.problem(s.call("POST", at+"/restore", nil), 409)
}

func TestRestore_Missing(t *testing.T) {
	t.Parallel()
	files := memoirtest.Files{"ada/memory/stays.md": memoirtest.Note("Stays", memories.User, "Here.")}
	for i := range 12 {
		files[fmt.Sprintf("ada/memory/m%d.md", i)] = memoirtest.Note(fmt.Sprint("M", i), memories.User, "One of many.")
	}
	s := setup(t, files)
	// The directory is replaced by renames, so that no scan finds only part of the files removed.
	s.Write("ada/other/stays.md", files["ada/memory/stays.md"])
	for _, move := range [][2]string{{"ada/memory", "ada/aside"}, {"ada/other", "ada/memory"}} {
		if err := os.Rename(s.Path(move[0]), s.Path(move[1])); err != nil {
			t.Fatal(err)
		}
	}
	s.Scan("ada")
	if list := s.ok(200, "GET", "/api/v1/agents/ada/memories?state=missing", nil); list["total"] != 12.0 {
		t.Fatalf("missing: %v", list["total"])
	}
	if got := s.ok(200, "GET", "/api/v1/agents/ada", nil).object("counts")["missing"]; got != 12.0 {
		t.Errorf("missing: %v", got)
	}
	if m := s.ok(200, "POST", s.at("ada", "M3")+"/restore", nil); m["state"] != "active" || s.Read("ada/memory/m3.md") == "" {
		t.Errorf("written back: %v", m)
	}
	if m := s.ok(200, "DELETE", s.at("ada", "M4"), nil); m["state"] != "deleted" {
		t.Errorf("deleted: %v", m)
	}
}

func TestBlocked_ListAndAllow(t *testing.T) {
	t.Parallel()
	s := setup(t, tabs)
	if r := s.call("GET", "/api/v1/agents/ada/blocked", nil); string(r.raw) != `{"blocked":[],"next_cursor":null}`+"\n" {
		t.Errorf("nothing blocked: %s", r.raw)
	}
	s.ok(200, "DELETE", s.at("ada", "Tabs"), nil)
	s.Write("ada/memory/back.md", tabs["ada/memory/tabs.md"])
	s.ok(200, "POST", "/api/v1/agents/ada/scan", nil)
	blocked := s.ok(200, "GET", "/api/v1/agents/ada/blocked", nil).list("blocked")
	if len(blocked) != 1 || blocked[0].keys() != sorted("id name type description body path session hash seen_at") {
		t.Fatalf("blocked: %v", blocked)
	}
	if b := blocked[0]; b["name"] != "Tabs" || b["type"] != "feedback" || b["body"] != "Use tabs." || b["path"] != "memory/back.md" || b["session"] != nil {
		t.Errorf("blocked: %v", b)
	}
	now := time.Now()
	if err := os.Chtimes(s.Path("ada/memory/back.md"), now, now); err != nil {
		t.Fatal(err)
	}
	s.ok(200, "POST", "/api/v1/agents/ada/scan", nil)
	if again := s.ok(200, "GET", "/api/v1/agents/ada/blocked", nil).list("blocked"); len(again) != 1 || again[0]["id"] != blocked[0]["id"] {
		t.Fatalf("another look gave what is blocked another id: %v", again)
	}
	allow := "/api/v1/agents/ada/blocked/" + blocked[0].string("id") + "/allow"
	if m := s.ok(200, "POST", allow, nil); m.keys() != sorted(memoryKeys) || m["state"] != "active" || m["path"] != "memory/back.md" {
		t.Errorf("allowed: %v", m)
	}
	s.problem(s.call("POST", allow, nil), 404)
}

func TestRevisions_NewestFirst(t *testing.T) {
	t.Parallel()
	s := setup(t, tabs)
	at := s.at("ada", "Tabs")
	s.ok(200, "PATCH", at, object{"body": "Two.", "description": nil})
	s.ok(200, "PATCH", at, object{"body": "Three."})
	revisions := s.ok(200, "GET", at+"/revisions", nil).list("revisions")
	if got := names(revisions, "body"); got != "Three. Two. Use tabs." {
		t.Fatalf("history: %q", got)
	}
	if r := revisions[0]; r.keys() != sorted("hash type description body path session seen_at") || r["description"] != nil ||
		r["type"] != "feedback" || r["path"] != "memory/tabs.md" || r["hash"] != s.ok(200, "GET", at, nil)["hash"] {
		t.Errorf("the newest: %v", r)
	}
}

func TestRevisions_Pages(t *testing.T) {
	t.Parallel()
	s := setup(t, tabs)
	at := s.at("ada", "Tabs")
	for _, body := range []string{"two", "three", "four"} {
		s.ok(200, "PATCH", at, object{"body": body})
	}
	bodies, cursor := "", ""
	for range 4 {
		page := s.ok(200, "GET", at+"/revisions?limit=2&cursor="+cursor, nil)
		bodies += names(page.list("revisions"), "body") + "; "
		if cursor = page.string("next_cursor"); cursor == "" {
			break
		}
	}
	if bodies != "four three; two Use tabs.; " {
		t.Errorf("the pages have %q", bodies)
	}
	third := s.ok(200, "GET", at+"/revisions", nil).list("revisions")[1]
	if list := s.ok(200, "GET", at+"/revisions?limit=1&cursor="+third.string("hash"), nil).list("revisions"); names(list, "body") != "three" {
		t.Errorf("from a hash on: %v", list)
	}
	for _, query := range []string{"cursor=nonsense", "cursor=%00", "cursor=%ff", "limit=0", "limit=501"} {
		s.problem(s.call("GET", at+"/revisions?"+query, nil), 422)
	}
}

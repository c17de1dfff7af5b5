package api_test

import (
	"os"
	"path/filepath"
	"testing"

	"memoir/internal/agents"
	"memoir/internal/api"
	"memoir/internal/memoirtest"
)

func TestNotes_Pending(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	memory := filepath.Join(dir, "memories", "MEMORY.md")
	if err := os.MkdirAll(filepath.Dir(memory), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(memory, []byte("# Task Group: shop\nscope: how releases are cut\n\n- tag first\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	s := serve(t, memoirtest.StartIn(t, agents.Settings{CodexDir: dir}), api.Options{})
	all := "/api/v1/agents/codex/memories"
	pending := func(step string, m object, want any) {
		t.Helper()
		if m["pending"] != want {
			t.Errorf("%s: pending is %v, want %v: %v", step, m["pending"], want, m)
		}
	}
	saved := s.ok(201, "POST", all, object{"name": "freeze", "type": "project", "body": "No releases in May."})
	pending("saved", saved, "save")
	pending("listed", s.ok(200, "GET", all+"?q=freeze", nil).list("memories")[0], "save")
	s.ok(200, "DELETE", all+"/"+saved.string("id"), nil)
	pending("not yet read", s.ok(200, "GET", all+"/"+saved.string("id"), nil), nil)

	shop := all + "/" + s.ok(200, "GET", all+"?q=tag", nil).list("memories")[0].string("id")
	before := s.ok(200, "GET", shop, nil)
	pending("as Codex wrote it", before, nil)
	pending("edited", s.ok(200, "PATCH", shop, object{"body": "Tag last."}), "save")
	pending("deleted", s.ok(200, "DELETE", shop, nil), "deletion")
	pending("still here", s.ok(200, "GET", shop, nil), "deletion")
	pending("restored", s.ok(200, "POST", shop+"/restore", nil), nil)
	if got := s.ok(200, "GET", shop, nil); got["body"] != before["body"] {
		t.Errorf("restored, it says %q", got["body"])
	}
	s.problem(s.call("POST", shop+"/move", object{"to": "team"}), 409)
}

package api_test

import (
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"memoir/internal/api"
	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/verification"
)

func TestCitations_ListAndCheck(t *testing.T) {
	t.Parallel()
	project := t.TempDir()
	if err := os.MkdirAll(filepath.Join(project, "web"), 0o755); err != nil {
		t.Fatal(err)
	}
	line, err := json.Marshal(map[string]string{"cwd": project})
	if err != nil {
		t.Fatal(err)
	}
	slug := memoirtest.ClaudeProject(project)
	m := memoirtest.StartClaude(t, memoirtest.Files{
		"projects/" + slug + "/1.jsonl": string(line) + "\n", "projects/" + slug + "/memory/MEMORY.md": "",
		"projects/" + slug + "/memory/app.md": memoirtest.Note("App", memories.Project, "It is in `web/old.ts`; see `lib/x.ts` and [[App]]."),
	})
	checker := verification.Start(m.Engine, m.Store, verification.Options{Settle: time.Hour, Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(checker.Close)
	s := serve(t, m, api.Options{Checker: checker})
	path := "/api/v1/agents/" + slug + "/memories/" + s.Memory(slug, "App").ID + "/citations"
	if r := s.call("GET", path, nil); r.status != 200 || string(r.raw) != `{"project":null,"checked_at":null,"citations":[]}`+"\n" {
		t.Errorf("before it was checked: %d %s", r.status, r.raw)
	}
	for range 2 {
		s.ok(200, "POST", path, nil)
		answered := s.ok(200, "GET", path, nil)
		if answered["project"] != project || answered["checked_at"] == nil {
			t.Errorf("it is %v", answered)
		}
		found := answered.list("citations")
		if len(found) != 3 || found[0]["status"] != "gone" || found[0]["kind"] != "path" || found[0]["text"] != "web/old.ts" ||
			found[0]["message"] != "`web/old.ts` is no longer in the project." || found[1]["status"] != "unknown" ||
			found[2]["status"] != "found" || found[2]["kind"] != "link" || found[2]["message"] != nil {
			t.Errorf("the citations are %v", found)
		}
	}
	listed := s.ok(200, "GET", "/api/v1/agents/"+slug+"/citations", nil)
	if doubtful := listed.list("memories"); len(doubtful) != 1 || doubtful[0]["name"] != "App" || len(object(doubtful[0]).list("gone")) != 1 || listed["total"] != 1.0 {
		t.Errorf("to review are %v", listed)
	}
	if err := os.WriteFile(filepath.Join(project, "web/old.ts"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if found := s.ok(200, "POST", path, nil).list("citations"); len(found) != 3 || found[0]["status"] != "found" {
		t.Errorf("with the file back they are %v", found)
	}
	if r := s.call("GET", "/api/v1/agents/"+slug+"/citations", nil); string(r.raw) != `{"memories":[],"total":0,"wanted":[]}`+"\n" {
		t.Errorf("to review are %s", r.raw)
	}
	for _, wrong := range []string{"nonsense", "0198c0de-0000-7000-8000-000000000000"} {
		s.problem(s.call("GET", "/api/v1/agents/"+slug+"/memories/"+wrong+"/citations", nil), 404)
		s.problem(s.call("POST", "/api/v1/agents/"+slug+"/memories/"+wrong+"/citations", nil), 404)
	}
	s.problem(s.call("GET", "/api/v1/agents/nobody/citations", nil), 404)
}

func TestCitations_WithoutProject(t *testing.T) {
	t.Parallel()
	s := setup(t, memoirtest.Files{"ada/memory/app.md": memoirtest.Note("App", memories.Project, "It is in `web/old.ts`.")})
	path := "/api/v1/agents/ada/memories/" + s.Memory("ada", "App").ID + "/citations"
	for _, method := range []string{"GET", "POST"} {
		if r := s.call(method, path, nil); r.status != 200 || string(r.raw) != `{"project":null,"checked_at":null,"citations":[]}`+"\n" {
			t.Errorf("%s: %d %s", method, r.status, r.raw)
		}
	}
}

package api_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/waittest"
)

const memoryKeys = `id agent name scope type description body asked_as state problems pending path line session files hash size claude_md_chars
	claude_md index use age_days stale created_at updated_at deleted_at deleted_by`

var tabs = memoirtest.Files{"ada/memory/tabs.md": memoirtest.Note("Tabs", memories.Feedback, "Use tabs.")}

// at returns the API path of the memory with this name.
func (s *server) at(slug, name string) string {
	s.Helper()
	return "/api/v1/agents/" + slug + "/memories/" + s.Memory(slug, name).ID
}

func TestGetMemory_EveryField(t *testing.T) {
	t.Parallel()
	s := setup(t, memoirtest.Files{
		"ada/memory/tabs.md":                           memoirtest.Note("Tabs", memories.Feedback, "Use tabs."),
		"ada/sessions/u1-c1-1700000000/memory/bare.md": "",
	})
	old := time.Now().Add(-75 * time.Hour)
	if err := os.Chtimes(s.Path("ada/sessions/u1-c1-1700000000/memory/bare.md"), old, old); err != nil {
		t.Fatal(err)
	}
	s.Scan("ada")

	m := s.ok(200, "GET", s.at("ada", "Tabs"), nil)
	if m.keys() != sorted(memoryKeys) {
		t.Errorf("fields of a memory: %s", m.keys())
	}
	for field, want := range map[string]any{
		"agent": "ada", "name": "Tabs", "type": "feedback", "description": "About Tabs", "body": "Use tabs.",
		"state": "active", "path": "memory/tabs.md", "session": nil, "age_days": 0.0, "stale": false, "claude_md": nil,
		"deleted_at": nil, "size": float64(len(tabs["ada/memory/tabs.md"])),
	} {
		if m[field] != want {
			t.Errorf("%s is %v, want %v", field, m[field], want)
		}
	}
	if len(m.list("problems")) != 0 || m["claude_md_chars"].(float64) <= 0 {
		t.Errorf("memory: %v", m)
	}
	files := m.list("files")
	if len(files) != 1 || files[0].keys() != sorted("path session hash modified_at") || files[0]["path"] != "memory/tabs.md" ||
		files[0]["session"] != nil || files[0]["hash"] != m["hash"] {
		t.Errorf("files: %v", files)
	}
	for _, field := range []string{"created_at", "updated_at"} {
		if at, err := time.Parse(time.RFC3339, m.string(field)); err != nil || at.Location() != time.UTC {
			t.Errorf("%s is %v", field, m[field])
		}
	}

	bare := s.ok(200, "GET", s.at("ada", "bare"), nil)
	for field, want := range map[string]any{
		"type": nil, "description": nil, "body": nil, "state": "needs_attention", "session": "u1-c1-1700000000",
		"age_days": 3.0, "stale": true,
	} {
		if bare[field] != want {
			t.Errorf("bare: %s is %v, want %v", field, bare[field], want)
		}
	}
	if problems := bare.list("problems"); len(problems) == 0 || problems[0].keys() != "code message" {
		t.Errorf("bare: problems %v", problems)
	}
}

func TestSave_WritesBeforeAnswer(t *testing.T) {
	t.Parallel()
	s := setup(t, tabs)
	r := s.call("POST", "/api/v1/agents/ada/memories",
		object{"name": "Where the docs live", "type": "reference", "description": "The wiki", "body": "At docs.example."})
	if r.status != 201 {
		t.Fatalf("status %d: %s", r.status, r.raw)
	}
	m := s.object(r)
	if m.keys() != sorted(memoryKeys) || m["path"] != "memory/reference_where_the_docs_live.md" || m["claude_md"] != nil {
		t.Errorf("saved: %v", m)
	}
	if got, want := r.header.Get("Location"), "/api/v1/agents/ada/memories/"+m.string("id"); got != want {
		t.Errorf("location %q, want %q", got, want)
	}
	if got := s.call("GET", r.header.Get("Location"), nil); got.header.Get("ETag") != r.header.Get("ETag") || got.status != 200 {
		t.Errorf("the new memory, read: %d %v", got.status, got.header)
	}
	if !strings.Contains(s.Read("ada/memory/reference_where_the_docs_live.md"), "At docs.example.") ||
		!strings.Contains(s.Read("ada/CLAUDE.md"), "At docs.example.") {
		t.Error("the disk does not have the memory")
	}

	again := s.ok(200, "POST", "/api/v1/agents/ada/memories", object{"name": "Where the docs live", "type": "reference", "body": "Moved."})
	if again["id"] != m["id"] || again["body"] != "Moved." || again["description"] != nil {
		t.Errorf("saved again: %v", again)
	}
}

func TestSave_DeletedName(t *testing.T) {
	t.Parallel()
	s := setup(t, tabs)
	s.ok(200, "DELETE", s.at("ada", "Tabs"), nil)
	m := s.ok(201, "POST", "/api/v1/agents/ada/memories", object{"name": "Tabs", "type": "feedback", "description": "About Tabs", "body": "Use tabs."})
	if m["state"] != "active" || !strings.Contains(s.Read("ada/CLAUDE.md"), "Use tabs.") {
		t.Errorf("revived: %v", m)
	}
}

func TestPatch_OnlyNamedFields(t *testing.T) {
	t.Parallel()
	s := setup(t, tabs)
	at := s.at("ada", "Tabs")
	m := s.ok(200, "PATCH", at, object{"body": "Use two spaces."})
	if m["body"] != "Use two spaces." || m["description"] != "About Tabs" || m["type"] != "feedback" || m["path"] != "memory/tabs.md" {
		t.Errorf("after a patch of the body: %v", m)
	}
	for _, empty := range []any{nil, ""} {
		s.ok(200, "PATCH", at, object{"description": "There is one."})
		if m := s.ok(200, "PATCH", at, object{"description": empty}); m["description"] != nil || m["body"] != "Use two spaces." {
			t.Errorf("after a patch of the description with %v: %v", empty, m)
		}
	}
	if m := s.ok(200, "PATCH", at, object{"type": "user"}); m["type"] != "user" || m["path"] != "memory/tabs.md" {
		t.Errorf("after a patch of the type: %v", m)
	}
	if m := s.ok(200, "PATCH", at, object{"body": nil}); m["body"] != nil {
		t.Errorf("after a patch of the body with null: %v", m)
	}
	before := s.Read("ada/memory/tabs.md")
	s.ok(200, "PATCH", at, object{})
	if after := s.Read("ada/memory/tabs.md"); after != before {
		t.Errorf("an empty patch changed the file:\n%s\nto\n%s", before, after)
	}
}

func TestPatch_NeedsAttention(t *testing.T) {
	t.Parallel()
	s := setup(t, memoirtest.Files{"ada/memory/odd.md": "Just a text."})
	m := s.ok(200, "PATCH", s.at("ada", "odd"), object{"type": "project"})
	if m["state"] != "active" || m["type"] != "project" || m["body"] != "Just a text." {
		t.Errorf("fixed: %v", m)
	}
}

func TestPatch_NameKeepsTheMemory(t *testing.T) {
	t.Parallel()
	s := setup(t, memoirtest.Files{
		"ada/memory/tabs.md":  memoirtest.Note("Tabs", memories.Feedback, "Use tabs."),
		"ada/memory/other.md": memoirtest.Note("Other", memories.Feedback, "Something."),
	})
	at := s.at("ada", "Tabs")
	s.problem(s.call("PATCH", at, object{"name": "Other"}), 409)
	renamed := s.call("PATCH", at, object{"name": "Indentation"})
	m := s.object(renamed)
	if renamed.status != 200 || m["name"] != "Indentation" || m["body"] != "Use tabs." || m["state"] != "active" {
		t.Fatalf("renamed: %s", renamed.raw)
	}
	if got := s.call("GET", "/api/v1/agents/ada/memories/"+m.string("id"), nil).header.Get("ETag"); got != renamed.header.Get("ETag") {
		t.Errorf("the entity tag is not the new memory's")
	}
	if same := s.ok(200, "GET", at, nil); same["id"] != m["id"] || same["name"] != "Indentation" {
		t.Errorf("the renamed memory: %v", same)
	}
	if trash := s.ok(200, "GET", "/api/v1/agents/ada/memories?state=deleted", nil); trash["total"] != 0.0 {
		t.Errorf("the trash: %v", trash)
	}
	s.ok(200, "DELETE", at, nil)
	s.problem(s.call("PATCH", at, object{"body": "In the trash."}), 409)
}

func TestDelete_BeforeAnswer(t *testing.T) {
	t.Parallel()
	s := setup(t, memoirtest.Files{
		"ada/memory/tabs.md":                           memoirtest.Note("Tabs", memories.Feedback, "Use tabs."),
		"ada/sessions/u1-c1-1700000000/memory/tabs.md": memoirtest.Note("Tabs", memories.Feedback, "Use tabs."),
		"ada/memory/MEMORY.md":                         "- [Tabs](tabs.md) — how to indent\n",
	})
	at := s.at("ada", "Tabs")
	deleted := s.ok(200, "DELETE", at, nil)
	if deleted.keys() != sorted(memoryKeys) || deleted["state"] != "deleted" || deleted["deleted_at"] == nil || len(deleted.list("files")) != 0 {
		t.Errorf("deleted: %v", deleted)
	}
	for _, file := range []string{"ada/memory/tabs.md", "ada/sessions/u1-c1-1700000000/memory/tabs.md", "ada/memory/MEMORY.md"} {
		if s.Read(file) != "" {
			t.Errorf("%s is left: %q", file, s.Read(file))
		}
	}
	if strings.Contains(s.Read("ada/CLAUDE.md"), "Use tabs.") {
		t.Error("CLAUDE.md still has the memory")
	}
	if again := s.ok(200, "DELETE", at, nil); again["deleted_at"] != deleted["deleted_at"] || again["id"] != deleted["id"] {
		t.Errorf("deleted again: %v", again)
	}
	if read := s.ok(200, "GET", at, nil); read["state"] != "deleted" {
		t.Errorf("a deleted memory, read: %v", read)
	}

	if purged := s.ok(200, "DELETE", at+"?purge=true", nil); purged["state"] != "deleted" {
		t.Errorf("purged: %v", purged)
	}
	for _, method := range []string{"GET", "DELETE"} {
		s.problem(s.call(method, at, nil), 404)
	}
}

func TestSave_ClaudeMDProblem(t *testing.T) {
	t.Parallel()
	s := setup(t, memoirtest.Files{
		"ada/memory/tabs.md": memoirtest.Note("Tabs", memories.Feedback, "Use tabs."),
		"ada/CLAUDE.md":      "<!-- memoir:end -->\n",
	})
	at := s.at("ada", "Tabs")
	for _, r := range []object{
		s.ok(200, "PATCH", at, object{"body": "Use spaces."}), s.ok(200, "DELETE", at, nil), s.ok(200, "POST", at+"/restore", nil),
		s.ok(201, "POST", "/api/v1/agents/ada/memories", object{"name": "New", "type": "user"}),
	} {
		claudeMD, ok := r["claude_md"].(map[string]any)
		if !ok || object(claudeMD).keys() != "problem" || !strings.Contains(object(claudeMD).string("problem"), "CLAUDE.md") {
			t.Errorf("%s says %v of CLAUDE.md", r["name"], r["claude_md"])
		}
	}
	if agent := s.ok(200, "GET", "/api/v1/agents/ada", nil); agent.object("claude_md")["problem"] == nil {
		t.Errorf("the agent does not say so: %v", agent)
	}
	if s.Read("ada/CLAUDE.md") != "<!-- memoir:end -->\n" {
		t.Errorf("a damaged CLAUDE.md was written: %q", s.Read("ada/CLAUDE.md"))
	}
}

func TestSave_ChangedFile(t *testing.T) {
	t.Parallel()
	s := setup(t, memoirtest.Files{"ada/memory/tabs.md": memoirtest.Note("Tabs", memories.Feedback, "Use tabs.")})
	at := s.at("ada", "Tabs")
	// The watcher soon scans each change. The test repeats change and call until a call runs before
	// the scan.
	for _, method := range []string{"DELETE", "PATCH"} {
		n := 0
		waittest.For(s, "a conflict", func() bool {
			n++
			changed := memoirtest.Note("Tabs", memories.Feedback, method+strings.Repeat(".", n))
			s.Write("ada/memory/tabs.md", changed)
			r := s.call(method, at, object{"body": "Mine."})
			if r.status == 409 {
				s.problem(r, 409)
				if got := s.Read("ada/memory/tabs.md"); got != changed {
					t.Errorf("a conflict changed the file: %q", got)
				}
				return true
			}
			// The call ran after the scan and succeeded. Save the memory again for the next
			// attempt.
			if r := s.call("POST", "/api/v1/agents/ada/memories", object{"name": "Tabs", "type": "feedback", "body": method}); r.status != 201 && r.status != 200 {
				t.Errorf("saving it again answers %d", r.status)
			}
			return false
		})
	}
}

func TestSave_IfNoneMatch(t *testing.T) {
	t.Parallel()
	s := setup(t, tabs)
	draft := object{"name": "Tabs", "type": "user", "body": "Use spaces."}
	s.problem(s.call("POST", "/api/v1/agents/ada/memories", draft, "If-None-Match", "*"), 412)
	if got := s.Read("ada/memory/tabs.md"); got != tabs["ada/memory/tabs.md"] {
		t.Errorf("the file says %q", got)
	}
	s.problem(s.call("POST", "/api/v1/agents/ada/memories", draft, "If-None-Match", `"tag"`), 422)
	draft["name"] = "Spaces"
	s.ok(201, "POST", "/api/v1/agents/ada/memories", draft, "If-None-Match", "*")
}

func TestSave_IfMatch(t *testing.T) {
	t.Parallel()
	s := setup(t, tabs)
	const at = "/api/v1/agents/ada/memories"
	draft := object{"name": "Tabs", "type": "user", "body": "Use spaces."}
	s.problem(s.call("POST", at, draft, "If-Match", `"stale"`), 412)
	s.problem(s.call("POST", at, draft, "If-Match", ","), 412)
	s.problem(s.call("POST", at, draft, "If-Match", "*", "If-None-Match", "*"), 412)
	if got := s.Read("ada/memory/tabs.md"); got != tabs["ada/memory/tabs.md"] {
		t.Errorf("the file says %q", got)
	}
	etag := s.call("GET", s.at("ada", "Tabs"), nil).header.Get("ETag")
	s.ok(200, "POST", at, draft, "If-Match", `"stale", `+etag)
	s.problem(s.call("POST", at, draft, "If-Match", etag), 412)
	s.ok(200, "POST", at, draft, "If-Match", "*")
	draft["name"] = "Spaces"
	s.problem(s.call("POST", at, draft, "If-Match", "*"), 412)
}

func TestSave_NoDescription(t *testing.T) {
	t.Parallel()
	s := setup(t, tabs)
	draft := object{"name": "Spaces", "type": "user", "body": "Use spaces."}
	m := s.ok(201, "POST", "/api/v1/agents/ada/memories", draft)
	if got := names(m.list("problems"), "code"); got != "no_description" || m["state"] != "active" {
		t.Errorf("state %v, problems %q", m["state"], got)
	}
	if got := s.Read("ada/CLAUDE.md"); !strings.Contains(got, "### Spaces\n\nUse spaces.\n") {
		t.Errorf("CLAUDE.md is\n%s", got)
	}
	draft["description"] = "how to indent"
	if m := s.ok(200, "POST", "/api/v1/agents/ada/memories", draft); len(m.list("problems")) > 0 {
		t.Errorf("problems %v", m["problems"])
	}
}

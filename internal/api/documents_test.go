package api_test

import (
	"os"
	"strings"
	"testing"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

func TestGetClaudeMD_EqualsDisk(t *testing.T) {
	t.Parallel()
	s := setup(t, memoirtest.Files{
		"ada/memory/tabs.md": memoirtest.Note("Tabs", memories.Feedback, "Use tabs."),
		"ada/memory/me.md":   memoirtest.Note("Me", memories.User, "A person."),
		"ada/CLAUDE.md":      "# Mine\n",
	})
	whole := s.call("GET", "/api/v1/agents/ada/claude-md", nil)
	if whole.status != 200 || whole.header.Get("Content-Type") != "text/markdown; charset=utf-8" || string(whole.raw) != s.Read("ada/CLAUDE.md") {
		t.Errorf("status %d, media type %q:\n%s", whole.status, whole.header.Get("Content-Type"), whole.raw)
	}
	without := string(s.call("GET", "/api/v1/agents/ada/claude-md?without="+s.Memory("ada", "Tabs").ID, nil).raw)
	if strings.Contains(without, "Use tabs.") || !strings.Contains(without, "A person.") || !strings.Contains(without, "# Mine") {
		t.Errorf("without Tabs:\n%s", without)
	}
	if !strings.Contains(s.Read("ada/CLAUDE.md"), "Use tabs.") {
		t.Error("the preview was written")
	}
}

func TestGetIndex_LoadedPart(t *testing.T) {
	t.Parallel()
	s := setup(t, memoirtest.Files{
		"ada/memory/tabs.md":   memoirtest.Note("Tabs", memories.Feedback, "Use tabs."),
		"ada/memory/memory.MD": "---\nx: y\n---\n\n- [Tabs](tabs.md) — how to indent\n",
		"bob/memory/a.md":      memoirtest.Note("A", memories.Feedback, "Alpha."),
		"cas/memory/MEMORY.md": strings.Repeat("- entry\n", 300),
		"dan/memory/a.md":      memoirtest.Note("A", memories.Feedback, "Alpha."),
	})
	index := func(slug string) reply { return s.call("GET", "/api/v1/agents/"+slug+"/index", nil) }
	if r := index("ada"); r.status != 200 || r.header.Get("Content-Type") != "text/markdown; charset=utf-8" || string(r.raw) != "- [Tabs](tabs.md) — how to indent" {
		t.Errorf("ada: %d %q", r.status, r.raw)
	}
	if r := index("bob"); r.status != 200 || len(r.raw) != 0 || r.header.Get("Content-Type") != "text/markdown; charset=utf-8" {
		t.Errorf("bob, who has none: %d %q", r.status, r.raw)
	}
	if r := index("cas"); strings.Count(string(r.raw), "- entry\n") != 200 || !strings.Contains(string(r.raw), "WARNING: MEMORY.md is 300 lines (limit: 200)") {
		t.Errorf("cas: %d %q", r.status, r.raw)
	}
	s.Write("secret", "not for anybody")
	if err := os.Symlink(s.Path("secret"), s.Path("dan/memory/MEMORY.md")); err != nil {
		t.Fatal(err)
	}
	r := index("dan")
	if s.problem(r, 409); strings.Contains(string(r.raw), "not for anybody") {
		t.Errorf("a link out of the directory was followed: %s", r.raw)
	}
	s.Remove("bob")
	s.ok(200, "POST", "/api/v1/scan", nil)
	if r := index("bob"); r.status != 200 || len(r.raw) != 0 {
		t.Errorf("bob, whose directory is gone: %d %q", r.status, r.raw)
	}
}

func TestGetRaw_FileBytes(t *testing.T) {
	t.Parallel()
	odd := "\xef\xbb\xbf---\r\nname: Tea\r\ntype: user\r\n---\r\n\r\nGreen \xff.\r\n"
	s := setup(t, memoirtest.Files{"ada/memory/tea.md": odd, "ada/memory/huge.md": strings.Repeat("x", memories.MaxFileSize+1)})
	raw := s.call("GET", s.at("ada", "Tea")+"/raw", nil)
	if raw.status != 200 || string(raw.raw) != odd || raw.header.Get("Content-Type") != "application/octet-stream" {
		t.Errorf("status %d, media type %q: %q", raw.status, raw.header.Get("Content-Type"), raw.raw)
	}
	if p := s.problem(s.call("GET", s.at("ada", "huge")+"/raw", nil), 404); !strings.Contains(p.string("detail"), "too large") {
		t.Errorf("a file that was not read: %v", p)
	}
	s.problem(s.call("GET", "/api/v1/agents/ada/memories/nonsense/raw", nil), 404)
}

func TestClaudeMDParts_JoinToWhole(t *testing.T) {
	t.Parallel()
	s := setup(t, memoirtest.Files{
		"ada/memory/tabs.md": memoirtest.Note("Tabs", memories.Feedback, "Use tabs."),
		"ada/CLAUDE.md":      "# Mine\n",
	})
	parts := s.ok(200, "GET", "/api/v1/agents/ada/claude-md/parts", nil)
	if parts.keys() != sorted("before parts after on_disk problem") || parts["on_disk"] != nil || parts["problem"] != nil {
		t.Errorf("parts: %v", parts)
	}
	whole, ofMemories := parts.string("before"), ""
	for _, part := range parts.list("parts") {
		whole += part.string("text")
		if part["memory_id"] != nil {
			ofMemories += part.string("name") + " " + part.string("type") + " " + part.string("text")
		}
	}
	if whole += parts.string("after"); whole != s.Read("ada/CLAUDE.md") {
		t.Errorf("together they are:\n%s", whole)
	}
	if !strings.HasPrefix(ofMemories, "Tabs feedback \n### Tabs\n\nUse tabs.") {
		t.Errorf("of memories: %q", ofMemories)
	}
	damaged := "<!-- memoir:end -->\nMine.\n"
	s.Write("ada/CLAUDE.md", damaged)
	parts = s.ok(200, "GET", "/api/v1/agents/ada/claude-md/parts", nil)
	if parts["on_disk"] != damaged || parts["problem"] == nil {
		t.Errorf("damaged: %v", parts)
	}
}

package api_test

import (
	"strings"
	"testing"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

func TestLintIndex_ByLine(t *testing.T) {
	t.Parallel()
	s := setup(t, memoirtest.Files{
		"ada/memory/tabs.md":   memoirtest.Note("Tabs", memories.Feedback, "Use tabs."),
		"ada/memory/me.md":     memoirtest.Note("Me", memories.User, "A person."),
		"ada/memory/MEMORY.md": "# Index\n- [Tabs](tabs.md)\n- [Gone](gone.md)\n" + strings.Repeat("filler\n", 198),
		"bob/memory/a.md":      memoirtest.Note("A", memories.Feedback, "Alpha."),
	})
	lint := s.ok(200, "GET", "/api/v1/agents/ada/index/lint", nil)
	if want := sorted("path present lines lines_seen line_cap units unit_cap warning findings"); lint.keys() != want {
		t.Errorf("it has %s, want %s", lint.keys(), want)
	}
	if lint.string("path") != "memory/MEMORY.md" || lint["present"] != true || lint["lines"] != 201.0 || lint["lines_seen"] != 200.0 ||
		lint["line_cap"] != 200.0 || lint["unit_cap"] != 25_000.0 || !strings.Contains(lint.string("warning"), "201 lines (limit: 200)") {
		t.Errorf("it says %v", lint)
	}
	findings := lint.list("findings")
	if got := names(findings, "code"); got != "dead_link past_caps unlisted" {
		t.Errorf("it found %s", got)
	}
	if findings[0]["line"] != 3.0 || findings[0].string("file") != "gone.md" || findings[1]["file"] != nil || findings[2]["line"] != nil {
		t.Errorf("it found %v", findings)
	}
	none := s.ok(200, "GET", "/api/v1/agents/bob/index/lint", nil)
	if none["present"] != false || none["warning"] != nil || none["lines"] != 0.0 || names(none.list("findings"), "file") != "a.md" {
		t.Errorf("of none it says %v", none)
	}
	s.problem(s.call("GET", "/api/v1/agents/nobody/index/lint", nil), 404)
}

func TestRebuildIndex_DryRun(t *testing.T) {
	t.Parallel()
	s := setup(t, memoirtest.Files{
		"ada/memory/tabs.md": memoirtest.Note("Tabs", memories.Feedback, "Use tabs."),
	})
	const index = "ada/memory/MEMORY.md"
	const path = "/api/v1/agents/ada/index"
	dry := s.call("POST", path+"?dry_run=true", nil)
	shown := s.object(dry)
	if want := sorted("path changed written before after diff topics"); dry.status != 200 || shown.keys() != want {
		t.Errorf("%d: it has %s, want %s", dry.status, shown.keys(), want)
	}
	if shown["changed"] != true || shown["written"] != false || shown["before"] != nil || shown.string("after") != "- [Tabs](tabs.md) — About Tabs\n" ||
		!strings.Contains(shown.string("diff"), "\n+- [Tabs](tabs.md)") {
		t.Errorf("the dry run says %v", shown)
	}
	if s.Read(index) != "" {
		t.Fatal("the dry run wrote it")
	}

	s.Write(index, "# Mine\n")
	s.problem(s.call("POST", path, nil, "If-Match", dry.header.Get("ETag")), 412)
	if s.Read(index) != "# Mine\n" {
		t.Fatal("what was refused was written")
	}

	dry = s.call("POST", path+"?dry_run=true", nil)
	done := s.ok(200, "POST", path, nil, "If-Match", dry.header.Get("ETag"))
	if done["written"] != true || done.string("before") != "# Mine\n" || s.Read(index) != done.string("after") || done.string("after") != s.object(dry).string("after") {
		t.Errorf("written is %q, answered %v", s.Read(index), done)
	}
	again := s.ok(200, "POST", path, nil)
	if again["changed"] != false || again["written"] != false || again["diff"] != nil {
		t.Errorf("a second time: %v", again)
	}
	s.problem(s.call("POST", "/api/v1/agents/nobody/index", nil), 404)
}

func TestPreviewDeletion_OneMemory(t *testing.T) {
	t.Parallel()
	s := setup(t, memoirtest.Files{
		"ada/memory/tabs.md":   memoirtest.Note("Tabs", memories.Feedback, "Use tabs."),
		"ada/memory/MEMORY.md": "# Index\n- [Tabs](tabs.md)\n",
	})
	path := "/api/v1/agents/ada/memories/" + s.Memory("ada", "Tabs").ID
	d := s.ok(200, "GET", path+"/deletion", nil)
	if got := names(d.list("files"), "path"); got != "memory/tabs.md" {
		t.Errorf("the files are %s", got)
	}
	index := d.list("indexes")[0]
	if lines := index["lines"].([]any); index.string("path") != "memory/MEMORY.md" || len(lines) != 1 || lines[0] != "- [Tabs](tabs.md)" || !strings.Contains(index.string("diff"), "\n-- [Tabs](tabs.md)\n") {
		t.Errorf("the indexes are %v", d.list("indexes"))
	}
	claude := d.object("claude_md")
	before, after := claude["chars_before"].(float64), claude["chars_after"].(float64)
	if int(before) != len([]rune(s.Read("ada/CLAUDE.md"))) || after >= before || claude["tokens_before"] != float64((int(before)+3)/4) || !strings.Contains(claude.string("diff"), "\n-### Tabs\n") {
		t.Errorf("of CLAUDE.md it says %v", claude)
	}
	s.ok(200, "DELETE", path, nil)
	if got := len([]rune(s.Read("ada/CLAUDE.md"))); got != int(after) {
		t.Errorf("it has %d characters now, and %v were said", got, after)
	}
	gone := s.ok(200, "GET", path+"/deletion", nil)
	if len(gone.list("files")) != 0 || gone.object("claude_md")["diff"] != nil {
		t.Errorf("of what is deleted it says %v", gone)
	}
	s.problem(s.call("GET", "/api/v1/agents/ada/memories/nonsense/deletion", nil), 404)
}

func TestPreviewDeletion_Several(t *testing.T) {
	t.Parallel()
	s := setup(t, memoirtest.Files{
		"ada/memory/tabs.md":   memoirtest.Note("Tabs", memories.Feedback, "Use tabs."),
		"ada/memory/me.md":     memoirtest.Note("Me", memories.User, "A person."),
		"ada/memory/stays.md":  memoirtest.Note("Stays", memories.User, "Here."),
		"ada/memory/MEMORY.md": "- [Tabs](tabs.md)\n- [Me](me.md)\n",
	})
	tabs, me := s.Memory("ada", "Tabs").ID, s.Memory("ada", "Me").ID
	const path = "/api/v1/agents/ada/memories:deletion"
	d := s.ok(200, "POST", path, object{"delete": []string{tabs, me}})
	if names(d.list("memories"), "name") != "Me Tabs" || names(d.list("files"), "path") != "memory/me.md memory/tabs.md" || len(d.list("indexes")) != 1 {
		t.Errorf("it says %v", d)
	}
	if text := d.object("claude_md").string("diff"); !strings.Contains(text, "\n-### Tabs\n") || !strings.Contains(text, "\n-### Me\n") {
		t.Errorf("of CLAUDE.md it says %s", text)
	}
	if s.Read("ada/memory/tabs.md") == "" || s.Memory("ada", "Tabs").State != memories.Active {
		t.Error("it was deleted")
	}
	if d := s.ok(200, "POST", path, object{"delete": []string{}}); len(d.list("memories")) != 0 || d.object("claude_md")["diff"] != nil {
		t.Errorf("of none it says %v", d)
	}
	s.problem(s.call("POST", path, object{"delete": []string{tabs, "nonsense"}}), 404)
	s.problem(s.call("POST", path, object{}), 422)
}

func TestClaudeMDCosts_AddUp(t *testing.T) {
	t.Parallel()
	s := setup(t, memoirtest.Files{
		"ada/memory/long.md": memoirtest.Note("Long", memories.Feedback, strings.Repeat("word ", 8_000)),
		"ada/memory/me.md":   memoirtest.Note("Me", memories.User, "A person."),
		"ada/CLAUDE.md":      "# Mine é\n",
	})
	costs := s.ok(200, "GET", "/api/v1/agents/ada/claude-md/costs", nil)
	if want := sorted("chars tokens limit handwritten standing memories published problem"); costs.keys() != want {
		t.Errorf("it has %s, want %s", costs.keys(), want)
	}
	sum := costs["handwritten"].(float64) + costs["standing"].(float64)
	for _, m := range costs.list("memories") {
		sum += m["chars"].(float64)
	}
	if sum != costs["chars"] || int(sum) != len([]rune(s.Read("ada/CLAUDE.md"))) {
		t.Errorf("the parts have %v characters of %v", sum, costs["chars"])
	}
	list := costs.list("memories")
	if names(list, "name") != "Long Me" || list[0]["listed"] != true || list[1]["listed"] != true || list[0].string("type") != "feedback" ||
		costs["limit"] != float64(memoirtest.ClaudeMDLimit) || costs["published"] != true || costs["problem"] != nil {
		t.Errorf("it says %v", costs)
	}
}

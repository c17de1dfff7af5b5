package api_test

import (
	"fmt"
	"strings"
	"testing"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/memories/memorymd"
)

// handwritten are lines of an index that no operation may change.
var handwritten = []string{"# My index  ", "* see **[the rule](tabs.md)**: by hand", "| [T](tabs.md) | x |", "Prose about tabs.md.", "- [docs](https://example.com/a.md)"}

// TestIndex_EveryDoor writes memories through each door of the API. After each, the index lists
// every file and has no dead link, and handwritten lines are the same bytes.
func TestIndex_EveryDoor(t *testing.T) {
	t.Parallel()
	s := setup(t, memoirtest.Files{
		"ada/memory/tabs.md":   memoirtest.Note("Tabs", memories.Feedback, "Use tabs."),
		"ada/memory/MEMORY.md": strings.Join(handwritten, "\n") + "\n\n- Node 22 only, 24 breaks the canvas module\n",
	})
	const at = "/api/v1/agents/ada"
	expect := func(door string) {
		t.Helper()
		s.ExpectIndexTrue("ada", door, handwritten...)
	}
	isLoaded := func(door string, m object) {
		t.Helper()
		if got := fmt.Sprint(m["index"]); got != "map[listed:true loaded:true]" {
			t.Errorf("%s answers index %s", door, got)
		}
		expect(door)
	}
	create := func(name string) object {
		t.Helper()
		return s.ok(201, "POST", at+"/memories", object{"name": name, "type": "project", "description": "about " + name, "body": "Text of " + name + "."})
	}
	one := create("One")
	isLoaded("create", one)
	path := s.at("ada", "One")
	isLoaded("a new description", s.ok(200, "PATCH", path, object{"description": "described anew"}))
	s.ExpectIndexTrue("ada", "a new description", "- [One](project_one.md) — described anew")
	isLoaded("a new name", s.ok(200, "PATCH", path, object{"name": "Uno"}))
	s.ExpectIndexTrue("ada", "a new name", "- [Uno](project_uno.md) — described anew")
	isLoaded("save again", s.ok(200, "POST", at+"/memories", object{"name": "Uno", "type": "user", "description": "third", "body": "x"}))
	isLoaded("move to the team", s.ok(200, "POST", path+"/move", object{"to": "team"}))
	s.ExpectIndexTrue("ada", "move to the team", "- [Uno](team/user_uno.md) — third")
	isLoaded("copy to private", s.ok(201, "POST", path+"/copy", object{"to": "private"}))
	s.ok(200, "DELETE", path, nil)
	expect("delete")
	isLoaded("restore", s.ok(200, "POST", path+"/restore", nil))
	two := create("Two")
	s.ok(200, "POST", at+"/memories:batch", object{"delete": []any{two["id"], one["id"]}})
	expect("delete several")
	s.ok(200, "POST", at+"/memories:batch", object{"restore": []any{two["id"], one["id"]}})
	expect("restore several")
	s.ok(200, "DELETE", s.at("ada", "Two"), nil)
	isLoaded("save a deleted one", create("Two"))
	s.ok(200, "POST", s.at("ada", "Two")+"/verify", nil)
	expect("verify")

	fact := s.ok(200, "GET", "/api/v1/search?q=canvas", nil).list("memories")[0]
	isLoaded("make a memory of a fact", s.ok(201, "POST", at+"/index/facts/"+fact.string("id")+"/adopt", object{}))

	s.tool(object{"command": "create", "path": "/memories/style/spaces.md", "file_text": memoirtest.Note("Spaces", memories.User, "Two spaces.")}, "File created successfully at: /memories/style/spaces.md", false)
	expect("memory tool: create")
	s.tool(object{"command": "str_replace", "path": "/memories/style/spaces.md", "old_str": "Two", "new_str": "Four"}, "The memory file has been edited.", false)
	expect("memory tool: edit")
	s.tool(object{"command": "rename", "old_path": "/memories/style", "new_path": "/memories/format"}, "Successfully renamed /memories/style to /memories/format", false)
	s.ExpectIndexTrue("ada", "memory tool: rename", append(handwritten, "- [Spaces](format/spaces.md) — About Spaces")...)
	s.tool(object{"command": "delete", "path": "/memories/format"}, "Successfully deleted /memories/format", false)
	expect("memory tool: delete")
}

func TestIndex_CreatedForFirstMemory(t *testing.T) {
	t.Parallel()
	s := setup(t, memoirtest.Files{"ada/sessions/u1-c1-1700000000/memory/x.md": memoirtest.Note("X", memories.User, "x")})
	s.ok(201, "POST", "/api/v1/agents/ada/memories", object{"name": "First", "type": "user", "description": "the first", "body": "x"})
	if got := s.Read("ada/memory/MEMORY.md"); got != "- [First](user_first.md) — the first\n" {
		t.Errorf("the index is %q", got)
	}
}

func TestIndex_PastLimit(t *testing.T) {
	t.Parallel()
	files := memoirtest.Files{}
	var index strings.Builder
	for i := range memorymd.IndexLineCap + 10 {
		file := fmt.Sprintf("note_%03d.md", i)
		files["ada/memory/"+file] = memoirtest.Note(fmt.Sprintf("Note %03d", i), memories.Reference, "x")
		fmt.Fprintf(&index, "- [Note %03d](%s)\n", i, file)
	}
	files["ada/memory/MEMORY.md"] = index.String()
	s := setup(t, files)
	m := s.ok(201, "POST", "/api/v1/agents/ada/memories", object{"name": "Late", "type": "user", "body": "x"})
	if got := fmt.Sprint(m["index"]); got != "map[listed:true loaded:false]" {
		t.Errorf("past the limit a save answers index %s", got)
	}
	s.ExpectIndexTrue("ada", "past the limit")
	dry := s.ok(200, "POST", "/api/v1/agents/ada/index?dry_run=true", nil)
	if topics := dry.list("topics"); len(topics) != 1 || topics[0]["path"] != "memory/reference/MEMORY.md" || topics[0]["before"] != nil {
		t.Errorf("topics of the repair: %v", dry["topics"])
	}
	s.ok(200, "POST", "/api/v1/agents/ada/index", nil)
	s.ExpectIndexTrue("ada", "repair", "- [Late](user_late.md)")
	lint := s.ok(200, "GET", "/api/v1/agents/ada/index/lint", nil)
	if lint["warning"] != nil {
		t.Errorf("after the repair: %v", lint["warning"])
	}
	if late := s.ok(200, "GET", s.at("ada", "Late"), nil); fmt.Sprint(late["index"]) != "map[listed:true loaded:true]" {
		t.Errorf("after the repair the late memory has index %v", late["index"])
	}
	if note := s.ok(200, "GET", s.at("ada", "Note 001"), nil); fmt.Sprint(note["index"]) != "map[listed:true loaded:false]" {
		t.Errorf("a memory in a topic has index %v", note["index"])
	}
	more := s.ok(201, "POST", "/api/v1/agents/ada/memories", object{"name": "More", "type": "reference", "description": "one more", "body": "x"})
	if fmt.Sprint(more["index"]) != "map[listed:true loaded:false]" || !strings.HasSuffix(s.Read("ada/memory/reference/MEMORY.md"), "- [More](../reference_more.md) — one more\n") {
		t.Errorf("a further reference has index %v; the topic ends %.80q", more["index"], s.Read("ada/memory/reference/MEMORY.md"))
	}
	s.ok(200, "DELETE", s.at("ada", "Note 001"), nil)
	if strings.Contains(s.Read("ada/memory/reference/MEMORY.md"), "note_001") {
		t.Error("the topic still lists a deleted memory")
	}
	s.ExpectIndexTrue("ada", "delete from a topic")
	if again := s.ok(200, "POST", "/api/v1/agents/ada/index", nil); again["changed"] != false {
		t.Errorf("a second repair changes %v", again["diff"])
	}
}

// TestSave_ClaudeProject checks that new files of a project of Claude Code are what that client
// writes, and that the name as given finds the memory again.
func TestSave_ClaudeProject(t *testing.T) {
	t.Parallel()
	s := serveClaude(t, memoirtest.Files{
		"projects/shop/memory/MEMORY.md":  "# Shop\n- [Old Style](old.md)\n- [[old-two]]\n",
		"projects/shop/memory/old.md":     "---\nname: Old Style\ndescription: before\ntype: user\n---\n\nx\n",
		"projects/shop/memory/old-two.md": "---\nname: old-two\ntype: user\n---\n\nx\n",
	})
	const at = "/api/v1/agents/shop"
	m := s.ok(201, "POST", at+"/memories", object{"name": "Über: use PNPM!", "type": "feedback", "description": "pnpm only", "body": "Never npm."})
	if m["name"] != "uber-use-pnpm" || m["path"] != "uber-use-pnpm.md" || m["type"] != "feedback" {
		t.Errorf("saved as %v in %v, of type %v", m["name"], m["path"], m["type"])
	}
	const want = "---\nname: uber-use-pnpm\ndescription: pnpm only\nmetadata:\n  node_type: memory\n  type: feedback\n---\n\nNever npm.\n"
	if got := s.Read("projects/shop/memory/uber-use-pnpm.md"); got != want {
		t.Errorf("the file is %q, want %q", got, want)
	}
	s.ExpectIndexTrue("shop", "save", "# Shop")
	if got := s.Read("projects/shop/memory/MEMORY.md"); !strings.HasSuffix(got, "\n- [Über: use PNPM!](uber-use-pnpm.md) — pnpm only\n") {
		t.Errorf("the index is %q", got)
	}
	again := s.ok(200, "POST", at+"/memories", object{"name": "Über: use PNPM!", "type": "feedback", "description": "pnpm 10 only", "body": "Never npm."})
	if again["id"] != m["id"] || !strings.HasSuffix(s.Read("projects/shop/memory/MEMORY.md"), "- [Über: use PNPM!](uber-use-pnpm.md) — pnpm 10 only\n") {
		t.Errorf("saved again as %v; the index is %q", again["name"], s.Read("projects/shop/memory/MEMORY.md"))
	}
	renamed := s.ok(200, "PATCH", at+"/memories/"+m.string("id"), object{"name": "Use pnpm 10"})
	if renamed["name"] != "use-pnpm-10" || renamed["path"] != "use-pnpm-10.md" {
		t.Errorf("renamed to %v in %v", renamed["name"], renamed["path"])
	}
	s.ExpectIndexTrue("shop", "rename", "- [Use pnpm 10](use-pnpm-10.md) — pnpm 10 only")
	kept := s.ok(200, "POST", at+"/memories", object{"name": "Old Style", "type": "user", "body": "y"})
	if kept["name"] != "Old Style" || kept["path"] != "old.md" {
		t.Errorf("a memory with an older name became %v in %v", kept["name"], kept["path"])
	}
}

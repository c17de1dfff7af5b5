package api_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"memoir/internal/api"
	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

const adaTool = "/api/v1/agents/ada/memory-tool"

// tool runs a command of ada's memory tool and returns its content. It checks the first line and
// is_error.
func (s *server) tool(input object, firstLine string, isError bool) string {
	s.Helper()
	result := s.ok(200, "POST", adaTool, input)
	line, _, _ := strings.Cut(result.string("content"), "\n")
	if result.keys() != "content is_error" || line != firstLine || result["is_error"] != isError {
		s.Errorf("%v answers %v, want %q (error: %t)", input, result, firstLine, isError)
	}
	return result.string("content")
}

// lastDone returns the newest entry of ada's journal.
func (s *server) lastDone() object {
	s.Helper()
	return s.ok(200, "GET", "/api/v1/agents/ada/activity?limit=1", nil).list("activity")[0]
}

func TestMemoryTool_Create(t *testing.T) {
	t.Parallel()
	s := setup(t, memoirtest.Files{"ada/memory/MEMORY.md": "# Index\n"})
	s.tool(object{"command": "create", "path": "/memories/style/tabs.md", "file_text": memoirtest.Note("Tabs", memories.Feedback, "Use tabs.")}, "File created successfully at: /memories/style/tabs.md", false)
	m := s.Memory("ada", "Tabs")
	if m.State != memories.Active || m.Type != memories.Feedback || m.Body != "Use tabs." || m.Path != "memory/style/tabs.md" {
		t.Errorf("the memory is %+v", m)
	}
	if !strings.Contains(s.Read("ada/CLAUDE.md"), "### Tabs\n\nUse tabs.\n") {
		t.Error("CLAUDE.md lacks it")
	}
	if last := s.lastDone(); last.string("kind") != "learned" || last.string("actor") != "script" || last.string("name") != "Tabs" {
		t.Errorf("the journal says %v", last)
	}

	s.tool(object{"command": "create", "path": "/memories/odd.md", "file_text": "No frontmatter.\n"}, "File created successfully at: /memories/odd.md", false)
	if m := s.Memory("ada", "odd"); m.State != memories.NeedsAttention {
		t.Errorf("a file without a type is %+v", m)
	}
	s.tool(object{"command": "create", "path": "/memories/plain.txt", "file_text": "Not Markdown.\n"}, "File created successfully at: /memories/plain.txt", false)
	if s.Read("ada/memory/plain.txt") != "Not Markdown.\n" {
		t.Error("a file that is no Markdown was not made")
	}
	listed := s.tool(object{"command": "view", "path": "/memories"}, "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:", false)
	if !strings.HasSuffix(listed, "\n64B\t/memories/MEMORY.md\n16B\t/memories/odd.md\n14B\t/memories/plain.txt\n69B\t/memories/style\n69B\t/memories/style/tabs.md") {
		t.Errorf("the listing is %q", listed)
	}
}

func TestMemoryTool_Edit(t *testing.T) {
	t.Parallel()
	s := setup(t, memoirtest.Files{
		"ada/memory/tabs.md":   memoirtest.Note("Tabs", memories.Feedback, "Use tabs."),
		"ada/memory/MEMORY.md": "- [Tabs](tabs.md)\n",
	})
	s.tool(object{"command": "str_replace", "path": "/memories/tabs.md", "old_str": "Use tabs.", "new_str": "Use both."}, "The memory file has been edited.", false)
	if m := s.Memory("ada", "Tabs"); m.Body != "Use both." || m.Path != "memory/tabs.md" {
		t.Errorf("after str_replace it is %+v", m)
	}
	if last := s.lastDone(); last.string("kind") != "changed" || last.string("actor") != "script" {
		t.Errorf("the journal says %v", last)
	}
	s.tool(object{"command": "insert", "path": "/memories/tabs.md", "insert_line": 7, "insert_text": "And mean it."}, "The file /memories/tabs.md has been edited.", false)
	if m := s.Memory("ada", "Tabs"); m.Body != "Use both.\nAnd mean it." {
		t.Errorf("after insert it says %q", m.Body)
	}
	if !strings.Contains(s.Read("ada/CLAUDE.md"), "### Tabs\n\nUse both.\nAnd mean it.\n") {
		t.Error("CLAUDE.md has not followed")
	}
	revisions := s.ok(200, "GET", s.at("ada", "Tabs")+"/revisions", nil).list("revisions")
	if got := names(revisions, "body"); !strings.Contains(got, "Use tabs.") || len(revisions) != 3 {
		t.Errorf("the history is %v", revisions)
	}
	s.tool(object{"command": "insert", "path": "/memories/MEMORY.md", "insert_line": 0, "insert_text": "# Index"}, "The file /memories/MEMORY.md has been edited.", false)
	s.tool(object{"command": "view", "path": "/memories/MEMORY.md"}, "Here's the content of /memories/MEMORY.md with line numbers:", false)
	if s.Read("ada/memory/MEMORY.md") != "# Index\n- [Tabs](tabs.md)\n" || s.ok(200, "GET", "/api/v1/agents/ada", nil).object("counts")["total"] != 1.0 {
		t.Errorf("the index says %q", s.Read("ada/memory/MEMORY.md"))
	}
}

func TestMemoryTool_Delete(t *testing.T) {
	t.Parallel()
	s := setup(t, memoirtest.Files{
		"ada/memory/tabs.md":       memoirtest.Note("Tabs", memories.Feedback, "Use tabs."),
		"ada/memory/sub/a.md":      memoirtest.Note("A", memories.User, "Alpha."),
		"ada/memory/sub/deep/b.md": memoirtest.Note("B", memories.User, "Beta."),
		"ada/memory/sub/c.png":     "No memory.",
		"ada/memory/stays.md":      memoirtest.Note("Stays", memories.User, "Here."),
	})
	s.tool(object{"command": "delete", "path": "/memories/tabs.md"}, "Successfully deleted /memories/tabs.md", false)
	s.tool(object{"command": "delete", "path": "/memories/sub"}, "Successfully deleted /memories/sub", false)
	for _, name := range []string{"Tabs", "A", "B"} {
		if m := s.Memory("ada", name); m.State != memories.Deleted {
			t.Errorf("%s is %s", name, m.State)
		}
	}
	if last := s.lastDone(); last.string("kind") != "deleted" || last.string("actor") != "script" {
		t.Errorf("the journal says %v", last)
	}
	if _, err := os.Stat(s.Path("ada/memory/sub")); !os.IsNotExist(err) {
		t.Errorf("the directory: %v", err)
	}
	if text := s.Read("ada/CLAUDE.md"); strings.Contains(text, "Use tabs.") || strings.Contains(text, "Alpha.") || !strings.Contains(text, "Here.") {
		t.Errorf("CLAUDE.md says %s", text)
	}
	s.ok(200, "POST", s.at("ada", "Tabs")+"/restore", nil)
	if s.Read("ada/memory/tabs.md") != memoirtest.Note("Tabs", memories.Feedback, "Use tabs.") {
		t.Error("it cannot be restored")
	}
	s.tool(object{"command": "delete", "path": "/memories/tabs.md"}, "Successfully deleted /memories/tabs.md", false)
	s.tool(object{"command": "create", "path": "/memories/tabs.md", "file_text": memoirtest.Note("Tabs", memories.Feedback, "Use tabs.")}, "File created successfully at: /memories/tabs.md", false)
	if m := s.Memory("ada", "Tabs"); m.State != memories.Active {
		t.Errorf("made anew it is %s", m.State)
	}
}

func TestMemoryTool_DeleteWikiLink(t *testing.T) {
	t.Parallel()
	s := setup(t, memoirtest.Files{
		"ada/memory/one.md":    memoirtest.Note("Alone", memories.Feedback, "x"),
		"ada/memory/two.md":    memoirtest.Note("Twice", memories.Feedback, "x"),
		"ada/memory/three.md":  memoirtest.Note("Twice", memories.Feedback, "y"),
		"ada/memory/MEMORY.md": "- [[Alone]]\n- [[Twice]]\n",
	})
	s.tool(object{"command": "delete", "path": "/memories/one.md"}, "Successfully deleted /memories/one.md", false)
	s.tool(object{"command": "delete", "path": "/memories/two.md"}, "Successfully deleted /memories/two.md", false)
	if got, want := s.Read("ada/memory/MEMORY.md"), "- [[Twice]]\n"; got != want {
		t.Errorf("MEMORY.md is %q, want %q", got, want)
	}
}

func TestMemoryTool_MassDelete(t *testing.T) {
	t.Parallel()
	files := memoirtest.Files{"ada/memory/stays.md": memoirtest.Note("Stays", memories.User, "Here.")}
	for n := range 12 {
		files[fmt.Sprintf("ada/memory/all/%d.md", n)] = memoirtest.Note(fmt.Sprintf("M%d", n), memories.User, "Text.")
	}
	s := setup(t, files)
	s.tool(object{"command": "delete", "path": "/memories/all"}, "Successfully deleted /memories/all", false)
	if counts := s.ok(200, "GET", "/api/v1/agents/ada", nil).object("counts"); counts["missing"] != 12.0 || counts["deleted"] != 0.0 {
		t.Errorf("the counts are %v", counts)
	}
}

func TestMemoryTool_BlockedContent(t *testing.T) {
	t.Parallel()
	s := setup(t, memoirtest.Files{"ada/memory/tabs.md": memoirtest.Note("Tabs", memories.Feedback, "Use tabs."), "ada/memory/stays.md": memoirtest.Note("Stays", memories.User, "Here.")})
	s.ok(200, "DELETE", s.at("ada", "Tabs"), nil)
	s.tool(object{"command": "create", "path": "/memories/again.md", "file_text": memoirtest.Note("Tabs", memories.Feedback, "Use tabs.")}, "File created successfully at: /memories/again.md", false)
	if m := s.Memory("ada", "Tabs"); m.State != memories.Deleted || len(s.ok(200, "GET", "/api/v1/agents/ada/blocked", nil).list("blocked")) != 1 {
		t.Errorf("it is %s, and not listed as kept out", m.State)
	}
}

func TestMemoryTool_Rename(t *testing.T) {
	t.Parallel()
	s := setup(t, memoirtest.Files{
		"ada/memory/tabs.md": memoirtest.Note("Tabs", memories.Feedback, "Use tabs."), "ada/memory/sub/a.md": memoirtest.Note("A", memories.User, "Alpha."),
	})
	id := s.Memory("ada", "Tabs").ID
	s.tool(object{"command": "rename", "old_path": "/memories/tabs.md", "new_path": "/memories/style/indent.md"}, "Successfully renamed /memories/tabs.md to /memories/style/indent.md", false)
	if m := s.Memory("ada", "Tabs"); m.ID != id || m.State != memories.Active || m.Path != "memory/style/indent.md" || len(m.Files) != 1 {
		t.Errorf("after the rename it is %+v", m)
	}
	s.tool(object{"command": "rename", "old_path": "/memories/sub", "new_path": "/memories/style/sub"}, "Successfully renamed /memories/sub to /memories/style/sub", false)
	if m := s.Memory("ada", "A"); m.State != memories.Active || m.Path != "memory/style/sub/a.md" {
		t.Errorf("after the rename of its directory it is %+v", m)
	}
	s.tool(object{"command": "rename", "old_path": "/memories/style", "new_path": "/memories/style/sub/style"}, "Error: The path /memories/style/sub/style does not exist. Please provide a valid path.", true)
	s.tool(object{"command": "rename", "old_path": "/memories/style/indent.md", "new_path": "/memories/style/sub"}, "Error: The destination /memories/style/sub already exists", true)
	s.tool(object{"command": "rename", "old_path": "/memories/tabs.md", "new_path": "/memories/a.md"}, "Error: The path /memories/tabs.md does not exist", true)
	if counts := s.ok(200, "GET", "/api/v1/agents/ada", nil).object("counts"); counts["total"] != 2.0 || counts["deleted"] != 0.0 {
		t.Errorf("the counts are %v", counts)
	}
}

func TestMemoryTool_StaysInDirectory(t *testing.T) {
	t.Parallel()
	s := setup(t, memoirtest.Files{
		"ada/memory/a.md": memoirtest.Note("A", memories.User, "Alpha."), "ada/memory/real/b.md": memoirtest.Note("B", memories.User, "Beta."),
		"ada/sessions/u-c-1/memory/s.md": memoirtest.Note("S", memories.User, "Sigma."), "ada/CLAUDE.md": "# Mine\n", "bob/memory/secret.md": memoirtest.Note("Secret", memories.User, "Of bob."),
		"ada/memory/.git/config": "[core]\n",
	})
	for link, target := range map[string]string{
		"out": "../../bob/memory", "absolute": s.Path("bob/memory"), "session": "../sessions/u-c-1/memory", "up": "..", "file.md": "../../bob/memory/secret.md",
		"claude.md": "../CLAUDE.md", "new.md": "../../bob/memory/new.md", "newer.md": "../sessions/u-c-1/memory/new.md", "loop": "loop", "hidden": ".git",
	} {
		if err := os.Symlink(target, s.Path("ada/memory/"+link)); err != nil {
			t.Fatal(err)
		}
	}
	claudeMD, secret := s.Read("ada/CLAUDE.md"), s.Read("bob/memory/secret.md")
	for _, name := range []string{
		"out/secret.md", "out/new.md", "out", "absolute/secret.md", "absolute/new.md", "session/s.md", "session/new.md", "session", "up/CLAUDE.md", "up/memory/a.md",
		"up/sessions/u-c-1/memory/s.md", "file.md", "claude.md", "new.md", "newer.md", "loop", "loop/a.md", "hidden/config", ".git/config", "../CLAUDE.md", "%2e%2e/CLAUDE.md", "．．/CLAUDE.md",
	} {
		path := "/memories/" + name
		s.tool(object{"command": "view", "path": path}, "The path "+path+" does not exist. Please provide a valid path.", true)
		s.tool(object{"command": "create", "path": path, "file_text": "x"}, "Error: The path "+path+" does not exist. Please provide a valid path.", true)
		s.tool(object{"command": "str_replace", "path": path, "old_str": "a", "new_str": "x"}, "Error: The path "+path+" does not exist. Please provide a valid path.", true)
		s.tool(object{"command": "insert", "path": path, "insert_line": 0, "insert_text": "x"}, "Error: The path "+path+" does not exist", true)
		s.tool(object{"command": "delete", "path": path}, "Error: The path "+path+" does not exist", true)
		s.tool(object{"command": "rename", "old_path": path, "new_path": "/memories/x.md"}, "Error: The path "+path+" does not exist", true)
		s.tool(object{"command": "rename", "old_path": "/memories/a.md", "new_path": path}, "Error: The path "+path+" does not exist. Please provide a valid path.", true)
	}
	if s.Read("ada/CLAUDE.md") != claudeMD || s.Read("bob/memory/secret.md") != secret || s.Read("ada/memory/.git/config") != "[core]\n" {
		t.Error("something outside was changed")
	}
	for dir, want := range map[string]string{"bob/memory": "secret.md", "ada/sessions/u-c-1/memory": "s.md"} {
		entries, err := os.ReadDir(s.Path(dir))
		if err != nil || len(entries) != 1 || entries[0].Name() != want {
			t.Errorf("%s has %v, %v", dir, entries, err)
		}
	}
	listed := s.tool(object{"command": "view", "path": "/memories"}, "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:", false)
	var shown []string
	for line := range strings.SplitSeq(listed, "\n") {
		if _, path, found := strings.Cut(line, "\t"); found {
			shown = append(shown, path)
		}
	}
	if !slices.Equal(shown, []string{"/memories", "/memories/a.md", "/memories/real", "/memories/real/b.md"}) {
		t.Errorf("the listing shows %q", shown)
	}
}

func TestMemoryTool_InnerLink(t *testing.T) {
	t.Parallel()
	s := setup(t, memoirtest.Files{"ada/notes/real/b.md": memoirtest.Note("B", memories.User, "Beta."), "ada/sessions/u-c-1/memory/s.md": memoirtest.Note("S", memories.User, "Sigma.")})
	for link, target := range map[string]string{"ada/notes/link": "real", "ada/notes/b.md": "real/b.md", "ada/memory": "notes"} {
		if err := os.Symlink(target, s.Path(link)); err != nil {
			t.Fatal(err)
		}
	}
	s.Scan("ada")
	s.tool(object{"command": "str_replace", "path": "/memories/b.md", "old_str": "Beta.", "new_str": "Bee."}, "The memory file has been edited.", false)
	if m := s.Memory("ada", "B"); m.Body != "Bee." || m.Path != "memory/real/b.md" {
		t.Errorf("the memory is %+v", m)
	}
	s.tool(object{"command": "create", "path": "/memories/link/c.md", "file_text": memoirtest.Note("C", memories.User, "Sea.")}, "File created successfully at: /memories/link/c.md", false)
	if m := s.Memory("ada", "C"); m.Path != "memory/real/c.md" {
		t.Errorf("what was made behind a link is %+v", m)
	}
	s.tool(object{"command": "create", "path": "/memories/link", "file_text": "x"}, "Error: File /memories/link already exists", true)
	s.tool(object{"command": "delete", "path": "/memories/b.md"}, "Successfully deleted /memories/b.md", false)
	if s.Memory("ada", "B").State != memories.Active {
		t.Error("with a link went what it leads to")
	}
	s.tool(object{"command": "delete", "path": "/memories/real"}, "Successfully deleted /memories/real", false)
	if s.Memory("ada", "B").State != memories.Deleted || s.Memory("ada", "C").State != memories.Deleted {
		t.Error("the directory is gone and its memories are not")
	}
}

func TestMemoryTool_HiddenFileStays(t *testing.T) {
	t.Parallel()
	s := setup(t, memoirtest.Files{"ada/memory/sub/a.md": memoirtest.Note("A", memories.User, "Alpha."), "ada/memory/sub/deep/.git/config": "[core]\n"})
	s.tool(object{"command": "delete", "path": "/memories/sub"}, "Error: memory/sub/deep/.git is hidden, and agents cannot remove hidden files. Nothing was removed. Remove it by hand, or keep memory/sub.", true)
	if s.Memory("ada", "A").State != memories.Active || s.Read("ada/memory/sub/a.md") == "" {
		t.Error("something was removed")
	}
}

func TestMemoryTool_InvalidFile(t *testing.T) {
	t.Parallel()
	s := setup(t, memoirtest.Files{"ada/memory/a.md": memoirtest.Note("A", memories.User, "Alpha.")})
	long := strings.Repeat("x", memories.MaxFileSize+1)
	s.tool(object{"command": "create", "path": "/memories/long.md", "file_text": long}, "Error: memory/long.md would be larger than 1 MiB, the limit of a memory. Nothing was written. Move details into a separate file.", true)
	s.tool(object{"command": "insert", "path": "/memories/a.md", "insert_line": 0, "insert_text": long}, "Error: memory/a.md would be larger than 1 MiB, the limit of a memory. Nothing was written. Move details into a separate file.", true)
	if s.Read("ada/memory/long.md") != "" || len(s.Read("ada/memory/a.md")) > 100 {
		t.Error("it was written")
	}
	s.Write("ada/memory/long.md", long)
	s.tool(object{"command": "view", "path": "/memories/long.md"}, "Error: memory/long.md is larger than 1 MiB, the limit of a memory. It is unchanged. Split it into smaller files.", true)
}

func TestMemoryTool_MakesDirectory(t *testing.T) {
	t.Parallel()
	s := setup(t, memoirtest.Files{"ada/sessions/u-c-1/memory/s.md": memoirtest.Note("S", memories.User, "Sigma.")})
	s.tool(object{"command": "view", "path": "/memories"}, "The path /memories does not exist. Please provide a valid path.", true)
	s.tool(object{"command": "create", "path": "/memories", "file_text": "x"}, "Error: File /memories already exists", true)
	s.tool(object{"command": "create", "path": "/memories/a.md", "file_text": memoirtest.Note("A", memories.User, "Alpha.")}, "File created successfully at: /memories/a.md", false)
	if m := s.Memory("ada", "A"); m.Path != "memory/a.md" {
		t.Errorf("it is %+v", m)
	}
}

func TestMemoryTool_TellsModelWhatIsWrong(t *testing.T) {
	t.Parallel()
	s := setup(t, tabs)
	for _, c := range []struct {
		input any
		want  string
	}{
		{object{}, "Error: Missing `command` parameter. It should be one of view, create, str_replace, insert, delete, rename."},
		{"[]", "Error: Missing `command` parameter. It should be one of view, create, str_replace, insert, delete, rename."},
		{"null", "Error: Missing `command` parameter. It should be one of view, create, str_replace, insert, delete, rename."},
		{object{"command": "undo_edit", "path": "/memories/a.md"}, "Error: Invalid `command` parameter: undo_edit. It should be one of view, create, str_replace, insert, delete, rename."},
		{object{"command": "view"}, "Error: Missing `path` parameter. The command view needs it."},
		{object{"command": "view", "path": 5}, "Error: Invalid `path` parameter. It should be text."},
		{object{"command": "view", "path": "/memories", "view_range": []int{1}}, "Error: Invalid `view_range` parameter. It should be two line numbers, the first and the last to show; -1 is the end of the file."},
		{object{"command": "insert", "path": "/memories/tabs.md", "insert_text": "x"}, "Error: Missing `insert_line` parameter. The command insert needs it."},
		{object{"command": "insert", "path": "/memories/tabs.md", "insert_line": 1.5, "insert_text": "x"}, "Error: Invalid `insert_line` parameter. It should be a line number."},
		{object{"command": "rename", "old_path": "/memories/tabs.md"}, "Error: Missing `new_path` parameter. The command rename needs it."},
		{object{"command": "create", "path": "/memories/1/2/3/4/deep.md", "file_text": "x"}, "Error: memory/1/2/3/4/deep.md would be more than 4 levels deep, where Memoir reads no files. Nothing was written. Choose a shorter path."},
		{object{"command": "rename", "old_path": "/memories/tabs.md", "new_path": "/memories/1/2/3/4/deep.md"}, "Error: memory/1/2/3/4/deep.md would be more than 4 levels deep, where Memoir reads no files. Nothing was written. Choose a shorter path."},
	} {
		if text, isText := c.input.(string); isText {
			c.input = json.RawMessage(text)
		}
		result := s.ok(200, "POST", adaTool, c.input)
		if result.keys() != "content is_error" || result["is_error"] != true || result.string("content") != c.want {
			t.Errorf("%v answers %v, want %q", c.input, result, c.want)
		}
	}
	if got := s.Read("ada/memory/tabs.md"); got != tabs["ada/memory/tabs.md"] {
		t.Errorf("the file was changed: %q", got)
	}
}

func TestMemoryTool_TakesNumbersAsText(t *testing.T) {
	t.Parallel()
	s := setup(t, memoirtest.Files{"ada/memory/a.md": "one\ntwo\nthree\n"})
	const head = "Here's the content of /memories/a.md with line numbers:"
	for _, lines := range []any{[]string{"2", "2"}, []any{2, "2"}, []float64{2, 2}, "[2, 2]", `["2","2"]`} {
		if got := s.tool(object{"command": "view", "path": "/memories/a.md", "view_range": lines}, head, false); got != head+"\n     2\ttwo" {
			t.Errorf("view_range %v shows %q", lines, got)
		}
	}
	for _, all := range []any{nil, "", []int{}, "[]"} {
		if got := s.tool(object{"command": "view", "path": "/memories/a.md", "view_range": all}, head, false); !strings.Contains(got, "three") {
			t.Errorf("view_range %v shows %q", all, got)
		}
	}
	s.tool(object{"command": "insert", "path": "/memories/a.md", "insert_line": "3", "insert_text": "four", "unknown": true}, "The file /memories/a.md has been edited.", false)
	s.tool(object{"command": "insert", "path": "/memories/a.md", "insert_line": " 0 ", "insert_text": "zero", "view_range": "nonsense"}, "The file /memories/a.md has been edited.", false)
	if got := s.Read("ada/memory/a.md"); got != "zero\none\ntwo\nthree\nfour\n" {
		t.Errorf("the file says %q", got)
	}
}

func TestMemoryTool_SaysWhenFileIsNoMemory(t *testing.T) {
	t.Parallel()
	s := setup(t, tabs)
	const note = "\nNote: this file is not a memory, because its name does not end in .md. Rename it to make it one."
	create := func(path string) string {
		t.Helper()
		return s.tool(object{"command": "create", "path": path, "file_text": memoirtest.Note("N"+path, memories.User, "x")}, "File created successfully at: "+path, false)
	}
	for path, want := range map[string]string{"/memories/progress.xml": note, "/memories/notes": note, "/memories/a.markdown": note, "/memories/b.MD": "", "/memories/1/2/3/c.md": ""} {
		if got := create(path); got != "File created successfully at: "+path+want {
			t.Errorf("create %s answers %q", path, got)
		}
	}
	move := func(from, to, want string) {
		t.Helper()
		if got := s.tool(object{"command": "rename", "old_path": from, "new_path": to}, "Successfully renamed "+from+" to "+to, false); got != "Successfully renamed "+from+" to "+to+want {
			t.Errorf("rename %s to %s answers %q", from, to, got)
		}
	}
	move("/memories/tabs.md", "/memories/tabs.txt", note)
	move("/memories/tabs.txt", "/memories/tabs.md", "")
	// A directory cannot move so deep that its files are not read. Logs may be deeper.
	s.tool(object{"command": "rename", "old_path": "/memories/1", "new_path": "/memories/a/1"}, "Error: memory/a/1 would hold files more than 4 levels deep, where Memoir reads none. Nothing was written. Choose a shorter path.", true)
	move("/memories/1/2", "/memories/a", "")
	create("/memories/logs/2026/11/21/x.md")
}

func TestMemoryTool_Failures(t *testing.T) {
	t.Parallel()
	own := ownPostgres(t)
	s := serve(t, memoirtest.StartAt(t, own.URL(), tabs), api.Options{})
	s.problem(s.call("POST", adaTool, "{"), 400)
	s.problem(s.call("GET", adaTool, nil), 405)
	for _, path := range []string{"/memories", "/memories/../a.md"} {
		s.problem(s.call("POST", "/api/v1/agents/nobody/memory-tool", object{"command": "view", "path": path}), 404)
	}
	s.tool(object{"command": "view", "path": "/memories/tabs.md", "view_range": nil, "file_text": nil}, "Here's the content of /memories/tabs.md with line numbers:", false)
	if err := own.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, input := range []object{{"command": "view", "path": "/memories"}, {"command": "delete", "path": "/memories/tabs.md"}} {
		if r := s.call("POST", adaTool, input); r.header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		} else {
			s.problem(r, 503)
		}
	}
	if s.Read("ada/memory/tabs.md") != tabs["ada/memory/tabs.md"] {
		t.Error("without Postgres the file was deleted")
	}
}

func TestMemoryTool_OtherServer(t *testing.T) {
	t.Parallel()
	s := setup(t, memoirtest.Files{"ada/memory/tabs.md": memoirtest.Note("Tabs", memories.Feedback, "Use tabs.")})
	// a second server of the same database, without agents
	other := serve(t, memoirtest.StartAt(t, s.URL, nil), api.Options{})
	other.tool(object{"command": "view", "path": "/memories/tabs.md", "view_range": []int{7, 7}}, "Here's the content of /memories/tabs.md with line numbers:", false)
	other.tool(object{"command": "view", "path": "/memories"}, "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:", false)
	other.tool(object{"command": "view", "path": "/memories/none.md"}, "The path /memories/none.md does not exist. Please provide a valid path.", true)
	other.tool(object{"command": "create", "path": "/memories/me.md", "file_text": memoirtest.Note("Me", memories.User, "A person.")}, "File created successfully at: /memories/me.md", false)
	other.tool(object{"command": "create", "path": "/memories/me.md", "file_text": "x"}, "Error: File /memories/me.md already exists", true)
	other.tool(object{"command": "create", "path": "/memories/me.md/x.md", "file_text": "x"}, "Error: The path /memories/me.md/x.md does not exist. Please provide a valid path.", true)
	other.tool(object{"command": "str_replace", "path": "/memories/me.md", "old_str": "A person.", "new_str": "Somebody."}, "The memory file has been edited.", false)
	other.tool(object{"command": "insert", "path": "/memories", "insert_line": 0, "insert_text": "x"}, "Error: The path /memories does not exist", true)
	other.tool(object{"command": "rename", "old_path": "/memories/me.md", "new_path": "/memories/you.md"}, "Successfully renamed /memories/me.md to /memories/you.md", false)
	other.tool(object{"command": "rename", "old_path": "/memories/me.md", "new_path": "/memories/him.md"}, "Error: The path /memories/me.md does not exist", true)
	other.tool(object{"command": "delete", "path": "/memories/me.md"}, "Error: The path /memories/me.md does not exist", true)
	other.tool(object{"command": "delete", "path": "/memories/tabs.md"}, "Successfully deleted /memories/tabs.md", false)
	if s.Memory("ada", "Me").Body != "Somebody." || s.Memory("ada", "Tabs").State != memories.Deleted || s.Read("ada/memory/you.md") == "" || strings.Contains(s.Read("ada/CLAUDE.md"), "Use tabs.") {
		t.Error("not all of it was carried out")
	}
	if last := s.lastDone(); last.string("actor") != "script" {
		t.Errorf("the journal says %v", last)
	}
}

func TestMemoryTool_KeepsHistory(t *testing.T) {
	t.Parallel()
	s := setup(t, memoirtest.Files{"ada/memory/tabs.md": memoirtest.Note("Tabs", memories.Feedback, "Use tabs.")})
	// The history must have this content, whether or not the watcher scans it before the command.
	s.Write("ada/memory/tabs.md", memoirtest.Note("Tabs", memories.Feedback, "Use spaces."))
	s.tool(object{"command": "str_replace", "path": "/memories/tabs.md", "old_str": "Use spaces.", "new_str": "Use both."}, "The memory file has been edited.", false)
	s.Write("ada/memory/tabs.md", memoirtest.Note("Tabs", memories.Feedback, "Use nothing."))
	s.tool(object{"command": "delete", "path": "/memories/tabs.md"}, "Successfully deleted /memories/tabs.md", false)
	revisions := s.ok(200, "GET", s.at("ada", "Tabs")+"/revisions", nil).list("revisions")
	if said := names(revisions, "body"); said != "Use nothing. Use both. Use spaces. Use tabs." {
		t.Errorf("the history is %q", said)
	}
	s.ok(200, "POST", s.at("ada", "Tabs")+"/restore", nil)
	if got := s.Read("ada/memory/tabs.md"); got != memoirtest.Note("Tabs", memories.Feedback, "Use nothing.") {
		t.Errorf("restored is %q", got)
	}
}

package hooks_test

import (
	"strings"
	"testing"
	"time"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

func TestHooks_CountUse(t *testing.T) {
	t.Parallel()
	project := t.TempDir()
	slug := memoirtest.ClaudeProject(project)
	dir := "projects/" + slug + "/memory/"
	m := memoirtest.StartClaude(t, memoirtest.Files{
		"projects/" + slug + "/1.jsonl": `{"cwd":"` + project + `"}` + "\n",
		dir + "MEMORY.md":               "- [Tabs](tabs.md)\n" + strings.Repeat("x\n", 200) + "- [Late](late.md)\n",
		dir + "tabs.md":                 memoirtest.Note("Tabs", memories.Feedback, "Use tabs."),
		dir + "late.md":                 memoirtest.Note("Late", memories.Feedback, "Past the limit."),
	})
	d := serve(t, m)
	use := func(name string) memories.Use {
		t.Helper()
		agent, err := m.Store.Agent(t.Context(), slug)
		if err != nil {
			t.Fatal(err)
		}
		found, err := m.Store.Memory(t.Context(), agent, m.Memory(slug, name).ID)
		if err != nil || found.Use == nil {
			t.Fatalf("use of %s: %+v, %v", name, found.Use, err)
		}
		return *found.Use
	}
	if got := use("Tabs"); got != (memories.Use{}) || !got.IsNever() {
		t.Errorf("before any hook the use is %+v", got)
	}
	start := map[string]any{"session_id": "s1", "cwd": project, "source": "startup"}
	d.call("session-start", start)
	d.call("session-start", start) // the same conversation counts once
	d.call("session-start", map[string]any{"session_id": "s2", "cwd": project, "source": "startup"})
	if tabs, late := use("Tabs"), use("Late"); tabs.Loads != 2 || tabs.LastLoadedAt == nil || !tabs.IsNever() || late.Loads != 0 {
		t.Errorf("loaded: %+v, and past the limit %+v", tabs, late)
	}
	read := func(file string) {
		t.Helper()
		d.call("post-tool-use", map[string]any{"session_id": "s1", "cwd": project, "tool_name": "Read", "tool_input": map[string]any{"file_path": file}})
	}
	read(m.Path(dir + "tabs.md"))
	read(m.Path(dir + "tabs.md"))
	read(m.Path(dir + "MEMORY.md"))
	read("/etc/passwd")
	if got := use("Tabs"); got.Reads != 2 || got.LastReadAt == nil || time.Since(*got.LastReadAt).Abs() > time.Hour || got.IsNever() {
		t.Errorf("read: %+v", got)
	}
}

package mcp_test

import (
	"strings"
	"testing"

	"memoir/internal/agents"
	"memoir/internal/memoirtest"
)

func TestSaveAndDelete_OfCodex(t *testing.T) {
	t.Parallel()
	files := &memoirtest.Memoir{TB: t, Dir: t.TempDir()}
	files.Write("memories/MEMORY.md", "# Task Group: shop\nscope: how releases are cut\n\n- tag first\n")
	d := serve(t, memoirtest.StartIn(t, agents.Settings{CodexDir: files.Dir}))
	c := d.connect(t, writer, "?agent=codex")
	var out struct {
		memory
		Pending, Warning string
		Removed          []string
	}
	said := c.call("save_memory", arguments{"name": "Freeze", "type": "project", "body": "No releases in May."}, &out)
	if out.Pending != "save" || out.Warning != "" || !strings.Contains(said, "pending until the agent's client has read the file") {
		t.Errorf("saved %+v: %s", out, said)
	}
	var list page
	if said := c.call("list_memories", arguments{}, &list); !strings.Contains(said, "save pending") {
		t.Errorf("the list says %q", said)
	}
	said = c.call("delete_memory", arguments{"name": "shop"}, &out)
	if out.Pending != "deletion" || out.State != "active" || len(out.Removed) > 0 || !strings.Contains(said, "A note asks the client of codex to forget the memory “shop”") {
		t.Errorf("deleted %+v: %s", out, said)
	}
}

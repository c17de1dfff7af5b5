package cli_test

import (
	"os"
	"path/filepath"
	"testing"

	"memoir/internal/memories"
)

func TestMemory_OfCodex(t *testing.T) {
	t.Parallel()
	term := setup(t)
	const memory = "# Task Group: shop\nscope: how releases are cut\n\n- tag first\n"
	term.put(".codex/memories/MEMORY.md", memory)
	term.put("agents/ada/memory/tabs.md", note("Tabs", memories.Feedback, "Use tabs."))
	notes := func() int {
		found, _ := filepath.Glob(filepath.Join(term.at(".codex/memories/extensions/ad_hoc/notes"), "*.md"))
		return len(found)
	}
	save := []string{"memory", "save", "Freeze", "--type", "project", "--body", "No releases in May.", "--agent", "codex"}

	term.memoir(save...).wants(1, "", "Only a running server adds notes for Codex")
	term.memoir("memory", "delete", "shop", "--agent", "codex").wants(1, "", "Only a running server adds notes for Codex")
	if _, err := os.Stat(term.at(".codex/memories/extensions")); !os.IsNotExist(err) {
		t.Fatalf("without a server, notes were written: %v", err)
	}

	term.serveMemoir()
	term.memoir(save...).wants(0, "pending until the agent's client has read it", "")
	term.memoir("memory", "show", "Freeze", "--agent", "codex").wants(0, "save", "")
	term.memoir("memory", "delete", "shop", "--agent", "codex").wants(0, "deletion of shop pending: a note asks", "")
	term.memoir("memory", "show", "shop", "--agent", "codex").wants(0, "deletion", "")
	term.memoir("memory", "delete", "Freeze", "--agent", "codex").wants(0, "deleted Freeze; it is in the trash", "")
	if got := term.read(".codex/memories/MEMORY.md"); got != memory || notes() != 1 {
		t.Errorf("%d notes beside %q", notes(), got)
	}
}

package sync_test

import (
	"os"
	"strings"
	"testing"

	"memoir/internal/memories"
	"memoir/internal/waittest"
)

const mine = "# Conventions\r\n\nUse make.\n"

// withAgentsMD returns a server with an agent that has a memory, an AGENTS.md and no CLAUDE.md.
func withAgentsMD(t *testing.T) *bench {
	t.Helper()
	b := setup(t)
	b.write("ada/AGENTS.md", mine)
	b.write("ada/memory/a.md", note("Tabs", memories.Feedback, "Use tabs."))
	b.scanAll()
	return b
}

func TestPublish_LoneAgentsMD(t *testing.T) {
	t.Parallel()
	b := withAgentsMD(t)
	if _, err := os.Lstat(b.path("ada/CLAUDE.md")); !os.IsNotExist(err) {
		t.Errorf("CLAUDE.md switches AGENTS.md off: %v", err)
	}
	if got := b.read("ada/AGENTS.md"); !strings.HasPrefix(got, mine+"\n<!-- memoir:begin -->\n") || !strings.Contains(got, "### Tabs\n\nUse tabs.\n") {
		t.Errorf("AGENTS.md is %q", got)
	}
	if got := b.agent("ada").ClaudeMD; got.Path != "AGENTS.md" || got.Problem != "" || got.PublishedAt.IsZero() {
		t.Errorf("the agent has %+v", got)
	}
	if p, err := b.engine.Preview(t.Context(), "ada", ""); err != nil || string(p.Text) != b.read("ada/AGENTS.md") {
		t.Errorf("the preview is %q, %v", p.Text, err)
	}
	result, err := b.engine.Delete(t.Context(), "ada", b.memory("ada", "Tabs").ID, "")
	if err != nil || result.ClaudeMDProblem != "" || strings.Contains(b.read("ada/AGENTS.md"), "Use tabs.") {
		t.Errorf("after a deletion, with %+v, %v, AGENTS.md is %q", result, err, b.read("ada/AGENTS.md"))
	}
}

func TestPublish_ClaudeMDAppears(t *testing.T) {
	t.Parallel()
	b := withAgentsMD(t)
	b.write("ada/CLAUDE.md", "# Claude\n")
	waittest.For(b, "the block to move", func() bool { return b.agent("ada").ClaudeMD.Path == "CLAUDE.md" })
	if got := b.read("ada/CLAUDE.md"); !strings.HasPrefix(got, "# Claude\n\n<!-- memoir:begin -->\n") || !strings.Contains(got, "Use tabs.") {
		t.Errorf("CLAUDE.md is %q", got)
	}
	if got := b.read("ada/AGENTS.md"); got != mine {
		t.Errorf("AGENTS.md is %q, want %q", got, mine)
	}
	b.remove("ada/CLAUDE.md")
	waittest.For(b, "the block to move back", func() bool { return b.agent("ada").ClaudeMD.Path == "AGENTS.md" })
	if got := b.read("ada/AGENTS.md"); !strings.HasPrefix(got, mine+"\n<!-- memoir:begin -->\n") {
		t.Errorf("AGENTS.md is %q", got)
	}
}

func TestPublish_ClaudeMDLinksToAgentsMD(t *testing.T) {
	t.Parallel()
	b := withAgentsMD(t)
	before := b.read("ada/AGENTS.md")
	if err := os.Symlink("AGENTS.md", b.path("ada/CLAUDE.md")); err != nil {
		t.Fatal(err)
	}
	waittest.For(b, "the link to be known", func() bool { return b.agent("ada").ClaudeMD.Path == "CLAUDE.md" })
	if got := b.read("ada/AGENTS.md"); got != before {
		t.Errorf("AGENTS.md is %q, want %q", got, before)
	}
}

func TestPublish_DamagedMarkersOfTwoFiles(t *testing.T) {
	t.Parallel()
	b := withAgentsMD(t)
	before := b.read("ada/AGENTS.md")
	b.write("ada/CLAUDE.md", "<!-- memoir:end -->\n")
	waittest.For(b, "the problem", func() bool { return strings.Contains(b.agent("ada").ClaudeMD.Problem, "CLAUDE.md has") })
	if got := b.agent("ada").ClaudeMD; got.Path != "AGENTS.md" || b.read("ada/AGENTS.md") != before {
		t.Errorf("the block is gone from %+v: %q", got, b.read("ada/AGENTS.md"))
	}
	b.write("ada/AGENTS.md", strings.Replace(before, "<!-- memoir:begin -->\n", "", 1))
	b.write("ada/CLAUDE.md", "mine\n")
	waittest.For(b, "the other problem", func() bool { return strings.Contains(b.agent("ada").ClaudeMD.Problem, "AGENTS.md has") })
	if got := b.read("ada/CLAUDE.md"); !strings.Contains(got, "Use tabs.") {
		t.Errorf("CLAUDE.md is %q", got)
	}
	b.write("ada/AGENTS.md", mine)
	waittest.For(b, "the end of the problem", func() bool { return b.agent("ada").ClaudeMD.Problem == "" })
}

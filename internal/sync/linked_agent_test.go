package sync_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"memoir/internal/agents"
	"memoir/internal/memories"
	"memoir/internal/waittest"
)

// linkable returns a bench with two projects of Claude Code, old and new.
func linkable(t *testing.T) *bench {
	t.Helper()
	b := setup(t)
	b.writeAged("claude/projects/old/memory/tabs.md", note("Tabs", memories.Feedback, "Use tabs."), 3*time.Hour)
	b.writeAged("claude/projects/old/memory/same.md", note("Same", memories.User, "Is the same."), 3*time.Hour)
	b.writeAged("claude/projects/old/memory/wiki.md", note("Wiki", memories.Reference, "wiki.example"), 3*time.Hour)
	b.writeAged("claude/projects/old/memory/team/rule.md", note("Rule", memories.Project, "Ask first."), 3*time.Hour)
	b.writeAged("claude/projects/new/memory/tabs.md", note("Tabs", memories.Feedback, "Use spaces."), time.Hour)
	b.writeAged("claude/projects/new/memory/same.md", note("Same", memories.User, "Is the same."), 3*time.Hour)
	b.over(agents.Settings{ClaudeDir: b.path("claude")})
	return b
}

func TestScan_LinkedAgent(t *testing.T) {
	t.Parallel()
	b := linkable(t)
	const dir = "claude/projects/old/memory"
	b.rename(dir, dir+".mine")
	b.link(dir, b.path("claude/projects/new/memory"))
	waittest.For(b, "the two to be one", func() bool { return b.agent("old").JoinedTo == "new" })
	b.write(dir+"/late.md", note("Late", memories.User, "Written by the old way."))
	b.arrives("new", "Late", "Written by the old way.")
	b.scan("old")
	b.restart()
	b.scan("old")
	for _, name := range []string{"Tabs", "Wiki", "Rule", "Same"} {
		b.isIn("old", name, memories.Active)
	}
	if _, late := b.list("old", "")["Late"]; late {
		t.Error("both have what was written once")
	}
	if _, err := b.engine.Delete(t.Context(), "old", b.memory("old", "Same").ID, ""); !errors.As(err, new(*memories.ConflictError)) {
		t.Errorf("Delete() error = %v, want *ConflictError", err)
	}
	b.remove("claude/projects/new/memory/same.md")
	waittest.For(b, "the removal", func() bool { _, ok := b.list("new", memories.Deleted)["Same"]; return ok })
	b.scan("old")
	b.isIn("old", "Same", memories.Active)
	project := agents.Project{Dir: "/old", Root: "/old"}
	if found := project.Agents([]agents.Agent{{Slug: "old", Layout: agents.Claude, Dir: "/c/projects/-old/memory", JoinedTo: "new"}, {Slug: "new", Layout: agents.Claude, Dir: "/c/projects/-new/memory"}}); len(found) != 1 || found[0].Slug != "new" {
		t.Errorf("the memory of the project is that of %v", found)
	}

	// A directory that replaces the link never had the old files, so none was removed.
	b.remove(dir)
	b.write(dir+"/own.md", note("Own", memories.User, "Its own."))
	b.arrives("old", "Own", "Its own.")
	b.scan("old")
	for _, name := range []string{"Tabs", "Wiki", "Rule", "Same", "Own"} {
		b.isIn("old", name, memories.Active)
	}
}

func TestScan_LinkedHiveAgent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("ada/memory/deploy.md", note("Deploy", memories.Project, "on Fridays"))
	b.write("ada/memory/tabs.md", note("Tabs", memories.Feedback, "Use tabs."))
	b.scanAll()
	b.link("ada-2", "ada")
	waittest.For(b, "the second to be the first", func() bool {
		row, err := b.store.AgentUncounted(t.Context(), "ada-2")
		return err == nil && row.JoinedTo == "ada"
	})
	b.delete("ada", "Deploy")
	b.write("ada-2/memory/deploy.md", note("Deploy", memories.Project, "on Fridays"))
	b.scanAll()
	if kept := b.blocked("ada"); len(kept) != 1 {
		t.Errorf("kept out are %v", kept)
	}
	if all := b.list("ada-2", ""); len(all) != 0 {
		t.Errorf("the second has %v", all)
	}
	if text := b.read("ada/CLAUDE.md"); strings.Contains(text, "Deploy") || !strings.Contains(text, "### Tabs") {
		t.Errorf("CLAUDE.md says %q", text)
	}
	// Without the link the agent has its own directory again. Its deleted memories stay deleted.
	b.remove("ada-2")
	waittest.For(b, "the link to be gone", func() bool { return !b.agent("ada-2").Present })
	b.scanAll()
	b.isIn("ada", "Deploy", memories.Deleted)
}

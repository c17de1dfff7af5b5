package cli_test

import (
	"os"
	"strings"
	"testing"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

func TestMemory_Share(t *testing.T) {
	t.Parallel()
	term := start(t, "server", memoirtest.Files{
		"ada/memory/language.md": note("Language", memories.User, "Answer in French."),
		"bob/memory/tabs.md":     note("Tabs", memories.Feedback, "Use tabs."),
	})
	dir := ".claude/shared-memory"
	if _, err := os.Lstat(term.at(dir)); !os.IsNotExist(err) {
		t.Fatalf("the directory is there before it is needed: %v", err)
	}
	term.memoir("memory", "share", "Nonsense", "--agent", "ada").wants(1, "", "Nonsense")
	if _, err := os.Lstat(term.at(dir)); !os.IsNotExist(err) {
		t.Fatalf("the directory is there without a memory: %v", err)
	}
	term.memoir("memory", "share", "Language", "--agent", "ada").wants(0, "moved Language to all agents, as a memory of agent team", "")
	if got := term.read(dir + "/user_language.md"); !strings.Contains(got, "Answer in French.") {
		t.Errorf("the file is %q", got)
	}
	if got := term.read("agents/ada/memory/language.md"); got != "(none)" {
		t.Errorf("the old file is %q", got)
	}
	for _, slug := range []string{"ada", "bob"} {
		if got := term.read("agents/" + slug + "/CLAUDE.md"); !strings.Contains(got, "### Language (team)\n\nAnswer in French.") {
			t.Errorf("CLAUDE.md of %s is %q", slug, got)
		}
	}
	term.memoir("memory", "share", "Tabs", "--dir", term.at("agents/bob")).wants(1, "", "only by a running server")
}

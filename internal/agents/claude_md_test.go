package agents_test

import (
	"strings"
	"testing"

	"memoir/internal/agents"
)

func TestClaudeMDPath_AgentsMD(t *testing.T) {
	t.Parallel()
	for files, want := range map[string]string{
		"":                                    "CLAUDE.md",
		"CLAUDE.md":                           "CLAUDE.md",
		"AGENTS.md":                           "AGENTS.md",
		"AGENTS.md CLAUDE.md":                 "CLAUDE.md",
		".claude/AGENTS.md":                   ".claude/AGENTS.md",
		".claude/AGENTS.md AGENTS.md":         "AGENTS.md",
		".claude/AGENTS.md CLAUDE.md":         "CLAUDE.md",
		"AGENTS.md CLAUDE.local.md":           "CLAUDE.md",
		"AGENTS.md .claude/CLAUDE.md":         "CLAUDE.md",
		"AGENTS.md/a.md":                      "CLAUDE.md",
		"memory/AGENTS.md sessions/CLAUDE.md": "CLAUDE.md",
	} {
		t.Run(files, func(t *testing.T) {
			t.Parallel()
			d := setup(t)
			d.putAll(strings.Fields(files)...)
			if got := (agents.Agent{Layout: agents.Hive, Dir: d.dir}).ClaudeMDPath(d.open()); got != want {
				t.Errorf("ClaudeMDPath() = %q, want %q", got, want)
			}
		})
	}
}

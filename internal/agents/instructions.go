package agents

import (
	"errors"
	"io/fs"
	"os"
	"slices"
)

const claudeMD = "CLAUDE.md"

var (
	// overridesAgentsMD are files that stop Claude Code from reading an AGENTS.md next to them.
	switchesOff = []string{claudeMD, ".claude/CLAUDE.md", "CLAUDE.local.md"}
	// agentsMD are the files that Claude Code reads if none of overridesAgentsMD exists.
	agentsMD = []string{"AGENTS.md", ".claude/AGENTS.md"}
)

// Published reports whether Memoir compiles the agent's memories into a CLAUDE.md. It does so for
// hive agents only; Claude Code loads its own memories.
func (a Agent) Published() bool { return a.Layout == Hive }

// ClaudeMDPath returns the path relative to Dir of the file into which the memories are compiled,
// or "" if the agent is not published. It is an AGENTS.md if Claude Code reads one, because a
// CLAUDE.md would disable it. Otherwise it is CLAUDE.md. root is the agent's directory; nil means
// an empty directory.
func (a Agent) ClaudeMDPath(root *os.Root) string {
	if !a.Published() {
		return ""
	}
	if root == nil || slices.ContainsFunc(switchesOff, func(name string) bool { return mayExist(root, name) }) {
		return claudeMD
	}
	for _, name := range agentsMD {
		if info, err := root.Stat(name); err == nil && info.Mode().IsRegular() {
			return name
		}
	}
	return claudeMD
}

// mayExist reports whether a path exists or this is unknown.
func mayExist(root *os.Root, name string) bool {
	_, err := root.Lstat(name)
	return !errors.Is(err, fs.ErrNotExist)
}

package agents

import (
	"errors"
	"io/fs"
	"os"
	"slices"
)

const claudeMD = "CLAUDE.md"

var (
	// switchesOff are the files next to which Claude Code does not read an AGENTS.md.
	switchesOff = []string{claudeMD, ".claude/CLAUDE.md", "CLAUDE.local.md"}
	// agentsMD are the files that Claude Code reads where none of those is.
	agentsMD = []string{"AGENTS.md", ".claude/AGENTS.md"}
)

// Published reports whether the agent's memories are compiled into a CLAUDE.md. Claude Code loads its own memory.
func (a Agent) Published() bool { return a.Layout == Hive }

// ClaudeMDPath returns the path, relative to Dir, of the file that the agent's memories are compiled into. It is empty for a layout that
// is not published. The file is CLAUDE.md, except where the agent has an AGENTS.md that Claude Code reads: a CLAUDE.md would switch that
// off. root is the agent's directory. If it is nil, the path is that of an empty directory.
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

// mayExist reports whether there is something at a path, or whether that is unknown.
func mayExist(root *os.Root, name string) bool {
	_, err := root.Lstat(name)
	return !errors.Is(err, fs.ErrNotExist)
}

package agents

import (
	"errors"
	"io/fs"
	"iter"
	"os"
	"path"
	"slices"
	"strings"

	"memoir/internal/files"
)

const claudeMD = "CLAUDE.md"

var (
	// overridesAgentsMD are files that stop Claude Code from reading an AGENTS.md next to them.
	overridesAgentsMD = []string{claudeMD, ".claude/CLAUDE.md", "CLAUDE.local.md"}
	// agentsMD are the files that Claude Code reads if none of overridesAgentsMD exists.
	agentsMD = []string{"AGENTS.md", ".claude/AGENTS.md"}
)

// Published reports whether Memoir compiles the memories of the layout's agents into a CLAUDE.md.
func (l Layout) Published() bool { return l.Rules().IsPublished }

// Published is Layout.Published for the agent's layout.
func (a Agent) Published() bool { return a.Layout.Published() }

// ClaudeMDPath returns the path, relative to Dir, of the file into which the memories are compiled,
// or "" if the agent is not published. The path is the one of an existing AGENTS.md if Claude Code
// reads it, because a CLAUDE.md would disable it. Otherwise it is "CLAUDE.md", which need not
// exist. A nil root means an empty directory.
func (a Agent) ClaudeMDPath(root *os.Root) string {
	if !a.Published() {
		return ""
	}
	if root == nil || slices.ContainsFunc(overridesAgentsMD, func(name string) bool { return mayExist(root, name) }) {
		return claudeMD
	}
	for _, name := range agentsMD {
		if info, err := root.Stat(name); err == nil && info.Mode().IsRegular() {
			return name
		}
	}
	return claudeMD
}

// mayExist reports whether something is at a path, a link included, or cannot be examined. It
// reports false only if nothing exists there.
func mayExist(root *os.Root, name string) bool {
	_, err := root.Lstat(name)
	return !errors.Is(err, fs.ErrNotExist)
}

// isClaudeMD reports whether target, relative to the agent's directory, is the path of the agent's
// CLAUDE.md with all links followed. It reports false if that file is missing or the agent is not
// published.
func (w *walker) isClaudeMD(target string) bool {
	if !w.agent.Published() {
		return false
	}
	dir, err := files.Resolve(w.root, w.agent.ClaudeMDPath(w.root))
	return err == nil && dir == target
}

// ClaudeMDIsMemory reports whether claudeMD, relative to root, is a link to a Markdown file that
// the agent's walk lists as a memory or an index. The target need not exist. links are the Links of
// the agent's Listing. It reports false if the link cannot be followed.
func ClaudeMDIsMemory(root *os.Root, a Agent, claudeMD string, links iter.Seq[string]) bool {
	if info, err := root.Lstat(claudeMD); err != nil || info.Mode().Type() != fs.ModeSymlink {
		return false
	}
	target, err := files.Resolve(root, claudeMD)
	if err != nil && !errors.Is(err, fs.ErrNotExist) || !isMarkdown(target) {
		return false
	}
	if a.walks(target) {
		return true
	}
	isBehind := func(link string) bool {
		dir, err := files.Resolve(root, link)
		rest, inside := strings.CutPrefix(target, dir+"/")
		return err == nil && inside && a.walks(path.Join(link, rest))
	}
	if isBehind(a.PrimaryDir()) {
		return true
	}
	for link := range links {
		if isBehind(link) {
			return true
		}
	}
	return false
}

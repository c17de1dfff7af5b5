// Package agents says what an agent is on disk: where agents are found, how each layout arranges its directory, which
// sessions it has and which of its files are memory files. It reads directories and bounded heads of files and turns them
// into values. It never writes, never watches, and knows nothing of SQL or HTTP. The sync room calls it on every look at
// the disk; pages and the API use its names.
//
// Everything beneath an agent's directory is reached through an [os.Root], so that no link leads out of it. The directories
// above (those named in the settings, and the agents' own) may be links, and are followed.
package agents

import (
	"path"
	"path/filepath"
	"strings"
)

// Layout is how an agent's directory is arranged.
type Layout string

// The layouts.
const (
	// Hive has CLAUDE.md, memory/ and sessions/{session}/memory/ beneath the agent's directory.
	Hive Layout = "hive"
	// Claude is a memory directory of Claude Code: projects/{dir}/memory or agent-memory/{name}.
	Claude Layout = "claude"
	// Directory is one memory directory named by hand.
	Directory Layout = "directory"
	// Shared is one memory directory for all agents: everything in it is team memory, and every other agent has it besides its own.
	Shared Layout = "shared"
)

const (
	memoryDir   = "memory"
	sessionsDir = "sessions"
	logsDir     = "logs"
	teamDir     = "team"
	indexName   = "MEMORY.md"
)

// Agent is one directory whose memories belong together.
type Agent struct {
	Slug        string // unique, safe in a URL
	Layout      Layout
	Dir         string // absolute: the agent's directory (hive), or the memory directory itself (all others)
	DisplayName string // for people; valid UTF-8 on one line
	JoinedTo    string // the slug of the agent whose directory this one's is, by a link; empty: it has its own
}

// PrimaryDir returns the agent's own memory directory, relative to Dir. A file that is removed there was removed
// on purpose.
func (a Agent) PrimaryDir() string {
	if a.Layout == Hive {
		return memoryDir
	}
	return "."
}

// TeamDir returns the directory of the agent's team memory, relative to Dir.
func (a Agent) TeamDir() string {
	if a.Layout == Shared {
		return "."
	}
	return path.Join(a.PrimaryDir(), teamDir)
}

// InTeam reports whether a path (slash-separated, relative to Dir) is in team memory: below the directory team of a memory
// directory, a session's too. A directory that is shared by all agents has nothing else.
func (a Agent) InTeam(relPath string) bool {
	_, _, names := a.locate(relPath)
	if a.Layout == Shared {
		return len(names) > 0
	}
	return len(names) > 1 && names[0] == teamDir
}

// Linked returns the path (relative to Dir) that a link of the index at a path leads to, and whether that is in Dir at all. The target is
// a clean path, absolute or from the index's directory.
func (a Agent) Linked(index, target string) (relPath string, inside bool) {
	relPath = path.Join(path.Dir(index), target)
	if path.IsAbs(target) {
		rel, err := filepath.Rel(a.Dir, filepath.FromSlash(target))
		if err != nil {
			return "", false
		}
		relPath = filepath.ToSlash(rel)
	}
	return relPath, relPath != ".." && !strings.HasPrefix(relPath, "../")
}

// SessionOf says whose memory directory a path (slash-separated, relative to Dir) is in: the durable one, or that of the
// session returned. A path in neither answers "" and false.
func (a Agent) SessionOf(relPath string) (session string, durable bool) {
	session, durable, _ = a.locate(relPath)
	return session, durable
}

// locate splits a path at the memory directory it is in. names are the path's elements below that directory: none for the
// directory itself, and nil (with neither session nor durable) for a path outside every memory directory.
func (a Agent) locate(relPath string) (session string, durable bool, names []string) {
	names = strings.Split(path.Clean(relPath), "/")
	if names[0] == ".." || names[0] == "" {
		return "", false, nil
	}
	if a.Layout != Hive {
		if names[0] == "." {
			names = names[1:]
		}
		return "", true, names
	}
	switch {
	case names[0] == memoryDir:
		return "", true, names[1:]
	case len(names) >= 3 && names[0] == sessionsDir && names[2] == memoryDir:
		return names[1], false, names[3:]
	}
	return "", false, nil
}

// walks reports whether the walk comes by this path by itself, without following a link: whether it is in a memory
// directory, and no element of it is left out.
func (a Agent) walks(relPath string) bool {
	session, _, names := a.locate(relPath)
	if names == nil || leftOut(session) {
		return false
	}
	for _, name := range names {
		if leftOut(name) {
			return false
		}
	}
	return true
}

// leftOut reports whether the walk ignores an entry of this name, whatever it is: hidden files, and logs.
func leftOut(name string) bool {
	return strings.HasPrefix(name, ".") || name == logsDir
}

// isMarkdown reports whether a name ends in .md, in any letter case.
func isMarkdown(name string) bool { return strings.EqualFold(path.Ext(name), ".md") }

// isIndex reports whether a name is that of the index, in any letter case.
func isIndex(name string) bool { return strings.EqualFold(name, indexName) }

// IsIndexPath reports whether a path is that of an index.
func IsIndexPath(relPath string) bool { return isIndex(path.Base(relPath)) }

// IsLogPath reports whether a path is in a logs directory.
func (a Agent) IsLogPath(relPath string) bool {
	dir, _ := a.LogDirOf(relPath)
	return dir != ""
}

// MayBeMemory reports whether a regular file at a path (slash-separated, relative to Dir) is a memory file.
func (a Agent) MayBeMemory(relPath string) bool {
	_, _, names := a.locate(relPath)
	return isMarkdown(relPath) && !isIndex(path.Base(relPath)) && len(names) <= MaxDepth && a.walks(relPath)
}

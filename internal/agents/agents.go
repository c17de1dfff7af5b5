// Package agents describes agents on disk. It discovers agents, knows the layouts of their
// directories, finds their sessions, and lists their memory files, logs and transcripts.
//
// It reads directories and the first bytes of files. It never writes, never watches, and knows no
// SQL or HTTP. internal/sync calls it in every scan; the pages and the API use its names.
//
// Everything below an agent's directory is opened through an [os.Root], so that no link leads out
// of it. The agent's directory and its parents may be links, and are followed.
package agents

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"memoir/internal/memories/memorymd"
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
	Dir         string // absolute; the agent's directory (hive) or its memory directory
	DisplayName string // for people; valid UTF-8 on one line
	JoinedTo    string // slug of the agent whose directory this agent shares, or empty
}

// PrimaryDir returns the agent's own memory directory, relative to Dir: "memory" for a hive agent,
// else ".". A file removed from it counts as deleted on purpose.
func (a Agent) PrimaryDir() string {
	if a.Rules().HasSessions {
		return memoryDir
	}
	return "."
}

// TeamDir returns the directory of the agent's team memories, relative to Dir: team in PrimaryDir,
// or "." for a Shared agent. It need not exist.
func (a Agent) TeamDir() string {
	if a.Rules().IsShared {
		return "."
	}
	return path.Join(a.PrimaryDir(), teamDir)
}

// InTeam reports whether a slash-separated path relative to Dir is in team memory: inside the
// directory team of a memory directory, also of a session's. Every path inside a Shared directory
// is in team memory.
func (a Agent) InTeam(relPath string) bool {
	_, _, names := a.locate(relPath)
	if a.Rules().IsShared {
		return len(names) > 0
	}
	return len(names) > 1 && names[0] == teamDir
}

// Linked returns the path, relative to Dir, of the target of a link in the index file at index,
// which is relative to Dir too. inside reports whether that path is in Dir. target is a clean path,
// absolute or relative to the index's directory. If no relative path exists, relPath is empty.
// Linked compares paths only; the target need not exist.
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

// LinkTo returns the path of a file as a link in the index file at index states it, relative to the
// index's directory. Both paths are relative to Dir. It is the inverse of Linked.
func (a Agent) LinkTo(index, relPath string) string {
	rel, err := filepath.Rel(filepath.FromSlash(path.Dir(index)), filepath.FromSlash(relPath))
	if err != nil {
		return relPath
	}
	return filepath.ToSlash(rel)
}

// ListedFiles returns the files to which the links of the index file at index lead, by their paths
// relative to Dir. The values are true for links that are within the limits of loading. It leaves
// out links that lead out of Dir.
func (a Agent) ListedFiles(index string, content memorymd.Loaded) map[string]bool {
	listed := map[string]bool{}
	for _, link := range memorymd.ListedLinks(content) {
		if relPath, inside := a.Linked(index, link.Target); inside {
			listed[relPath] = listed[relPath] || link.Loaded
		}
	}
	return listed
}

// SessionOf returns the session whose memory directory is or contains a slash-separated path
// relative to Dir. isPrimary reports whether it is the agent's own memory directory instead;
// session is then empty. Both are zero for a path in no memory directory. SessionOf does not read
// the disk.
func (a Agent) SessionOf(relPath string) (session string, isPrimary bool) {
	session, isPrimary, _ = a.locate(relPath)
	return session, isPrimary
}

// locate returns the session whose memory directory is or contains a path, and the path's elements
// below that directory. If that is the agent's own memory directory, isPrimary is true and session
// is empty. names is empty for a memory directory itself, and nil for a path outside every memory
// directory.
func (a Agent) locate(relPath string) (session string, isPrimary bool, names []string) {
	names = strings.Split(path.Clean(relPath), "/")
	if names[0] == ".." || names[0] == "" {
		return "", false, nil
	}
	if !a.Rules().HasSessions {
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

// walks reports whether Walk can reach a path without following a link, judged by names alone. The
// path must be a memory directory or in one, and none of its names may be ignored, the session's
// included.
func (a Agent) walks(relPath string) bool {
	session, _, names := a.locate(relPath)
	if names == nil || isIgnored(session) || !a.isRead(names) {
		return false
	}
	for _, name := range names {
		if isIgnored(name) {
			return false
		}
	}
	return true
}

// isIgnored reports whether Walk ignores an entry of this name: one that starts with a dot, or
// "logs".
func isIgnored(name string) bool {
	return strings.HasPrefix(name, ".") || name == logsDir
}

// isForeign reports whether the path below a memory directory with these elements is one of
// Rules.Foreign, or is below one.
func (a Agent) isForeign(names []string) bool {
	return slices.ContainsFunc(a.Rules().Foreign, func(foreign string) bool {
		return Beneath(strings.Join(names, "/"), foreign)
	})
}

// isRead reports whether the path below a memory directory with these elements belongs to the
// memory, by the rules of the layout.
func (a Agent) isRead(names []string) bool {
	if len(names) == 0 {
		return true
	}
	only := a.Rules().Only
	if a.Rules().isNotePath(names) {
		return true
	}
	return (only == nil || slices.Contains(only, strings.ToLower(names[0]))) && !a.isForeign(names) && !a.isDayLog(names)
}

func isMarkdown(name string) bool { return strings.EqualFold(path.Ext(name), ".md") }

// isIndex reports whether name is MEMORY.md, in any letter case.
func isIndex(name string) bool { return strings.EqualFold(name, indexName) }

// IsIndexPath reports whether the last element of a path is MEMORY.md, in any letter case.
func IsIndexPath(relPath string) bool { return isIndex(path.Base(relPath)) }

// IsLogPath reports whether a path relative to Dir is one of the agent's logs directories or is
// below one.
func (a Agent) IsLogPath(relPath string) bool {
	dir, _ := a.LogDirOf(relPath)
	return dir != ""
}

// MayBeMemory reports whether Walk would list a regular file at a slash-separated path relative to
// Dir as a memory file without a problem. The path must end in .md, not be a MEMORY.md, and be at
// most MaxDepth levels deep in a memory directory. Links are not followed and the disk is not read.
func (a Agent) MayBeMemory(relPath string) bool {
	_, _, names := a.locate(relPath)
	return isMarkdown(relPath) && !isIndex(path.Base(relPath)) && len(names) <= MaxDepth && a.walks(relPath)
}

package agents

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"memoir/internal/files"
)

// link handles a link in d. It lists one that cannot be followed with its problem, skips one whose
// target the walk reaches anyway, and lists or walks the target of all others. It records every
// link in listing.Links.
func (w *walker) link(d directory, it item, scope *scopeTree) {
	linked := d.enter(it.name, "")
	w.listing.Links = append(w.listing.Links, SafePath(linked.path))
	target, err := files.Resolve(w.root, path.Join(d.real, it.name))
	var info fs.FileInfo
	if err == nil {
		info, err = w.root.Lstat(target)
	}
	if err != nil {
		w.noteExhausted(err)
		w.flagUnscanned(linked, scope, linkProblem(err))
		return
	}
	switch {
	case !info.IsDir():
		if !w.skipsLink(it.name, target, info) {
			w.file(d, item{it.name, info}, scope)
		}
	case w.reachesAnyway(d, target):
		w.listing.skippedLinks[linked.path] = true
	case d.linked:
		w.flagUnscanned(linked, scope, linkNested)
	default:
		linked.real, linked.linked = target, true
		w.subdirectory(linked, scope)
	}
}

// skipsLink reports whether the walk ignores a link of this name to a file: the file is listed at
// its own path, or is no memory wherever it is. CLAUDE.md must not become a memory, because it
// would be compiled into itself.
func (w *walker) skipsLink(name, target string, info fs.FileInfo) bool {
	switch {
	case !info.Mode().IsRegular():
		return false
	case isMarkdown(target) && w.agent.walks(target):
		return true
	case isIndex(name):
		return false
	}
	return !isMarkdown(target) || isIndex(path.Base(target)) || slices.ContainsFunc(strings.Split(target, "/"), isIgnored) || w.isClaudeMD(target)
}

// reachesAnyway reports whether the walk reaches a directory, or memory directories below it,
// without a link in d. It reports false for a link in a hive agent's directory, except to that
// directory itself.
func (w *walker) reachesAnyway(d directory, target string) bool {
	if d.kind == hiveKind {
		return target == "."
	}
	return w.agent.walks(target) || isAncestor(target, d.real) || w.agent.Layout == Hive && containsMemory(target)
}

// containsMemory reports whether a directory of a hive agent contains memory directories.
func containsMemory(relDir string) bool {
	return relDir == "." || relDir == sessionsDir || path.Dir(relDir) == sessionsDir
}

package agents

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"memoir/internal/files"
)

// link handles a symbolic link in d and adds it to listing.Links. It lists a link that cannot be
// followed, or that leads from a linked directory to another directory, with its problem. It skips
// a link whose target the walk reaches anyway, or is a file that skipsLink rejects. It lists or
// walks the target of all others at the link's path.
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

// skipsLink reports whether the walk ignores a link of this name to a file. Either the file is
// listed at its own path, or it is no memory in any place. CLAUDE.md must not become a memory,
// because it would be compiled into itself. A target that is not a regular file is not ignored.
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

// reachesAnyway reports whether the walk reaches the directory target, or memory directories below
// it, without a link in d. It also reports true if target contains d. For a link in a hive agent's
// directory, it reports true only if target is that directory.
func (w *walker) reachesAnyway(d directory, target string) bool {
	if d.kind == hiveKind {
		return target == "."
	}
	return w.agent.walks(target) || isAncestor(target, d.real) || w.agent.Rules().HasSessions && containsMemory(target)
}

// containsMemory reports whether a directory of a hive agent may contain memory directories, judged
// by its path: ".", "sessions" or a session.
func containsMemory(relDir string) bool {
	return relDir == "." || relDir == sessionsDir || path.Dir(relDir) == sessionsDir
}

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
	"memoir/internal/memories"
)

// link lists a link. It flags a link that leaves the agent's directory, skips one whose target the
// walk reaches anyway, and follows all others.
func (w *walker) link(d directory, it item, scope *scopeTree) {
	linked := d.enter(it.name, "")
	w.listing.Links = append(w.listing.Links, SafePath(linked.path))
	target, err := files.Resolve(w.root, w.real(d, it.name))
	w.noteExhausted(err)
	if err != nil {
		w.flagUnseen(linked, scope, linkProblem(err))
		return
	}
	info, err := w.root.Lstat(target)
	w.noteExhausted(err)
	if err != nil {
		w.flagUnseen(linked, scope, linkProblem(err))
		return
	}
	switch {
	case !info.IsDir():
		if !w.passesOver(it.name, target, info) {
			w.file(d, item{it.name, info}, scope)
		}
	case w.walksAnyway(d, target):
		w.listing.passed[linked.path] = true
	case d.linked:
		w.flagUnseen(linked, scope, linkNested())
	default:
		linked.real, linked.linked = target, true
		w.subdirectory(linked, scope)
	}
}

// passesOver reports whether the walk ignores a link of this name to a file: the file is listed at
// its own path, or is no memory wherever it is. CLAUDE.md must not become a memory, because it
// would be compiled into itself.
func (w *walker) passesOver(name, target string, info fs.FileInfo) bool {
	switch {
	case !info.Mode().IsRegular():
		return false
	case isMarkdown(target) && w.agent.walks(target):
		return true
	case isIndex(name):
		return false
	}
	return !isMarkdown(target) || isIndex(path.Base(target)) || slices.ContainsFunc(strings.Split(target, "/"), leftOut) || w.isClaudeMD(target)
}

// isClaudeMD reports whether target is the agent's CLAUDE.md, or the target of the link CLAUDE.md.
func (w *walker) isClaudeMD(target string) bool {
	if !w.agent.Published() {
		return false
	}
	at, err := files.Resolve(w.root, w.agent.ClaudeMDPath(w.root))
	return err == nil && at == target
}

// ClaudeMDIsMemory reports whether the path claudeMD is a link to a file that is read as a memory
// or an index of the agent. links are the Links of the agent's Listing.
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
	behind := func(link string) bool {
		at, err := files.Resolve(root, link)
		rest, inside := strings.CutPrefix(target, at+"/")
		return err == nil && inside && a.walks(path.Join(link, rest))
	}
	if behind(a.PrimaryDir()) {
		return true
	}
	for link := range links {
		if behind(link) {
			return true
		}
	}
	return false
}

// walksAnyway reports whether the walk reaches a directory, or directories below it, without the
// link to it in d. The link memory of a hive agent is always followed.
func (w *walker) walksAnyway(d directory, target string) bool {
	if d.kind == hiveKind {
		return target == "."
	}
	return w.agent.walks(target) || isAncestor(target, d.real) || w.agent.Layout == Hive && holdsMemory(target)
}

// holdsMemory reports whether a directory of a hive agent contains memory directories.
func holdsMemory(relDir string) bool {
	return relDir == "." || relDir == sessionsDir || path.Dir(relDir) == sessionsDir
}

func isAncestor(relDir, of string) bool {
	return relDir == "." || of == relDir || strings.HasPrefix(of, relDir+"/")
}

func linkProblem(err error) *memories.Problem {
	switch {
	case files.IsOwnership(err):
		return linkOwner()
	case errors.Is(err, files.ErrLeaves):
		return linkLeaves()
	case errors.Is(err, files.ErrLoop), isGone(err):
		return linkBroken()
	}
	return unreadable(err)
}

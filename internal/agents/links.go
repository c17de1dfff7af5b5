package agents

import (
	"errors"
	"io/fs"
	"path"
	"strings"

	"memoir/internal/files"
	"memoir/internal/memories"
)

// link looks at a link: not followed when it leaves the agent's directory, passed over when the walk comes by its target by
// itself, and followed otherwise.
func (w *walker) link(d directory, it item, scope *scopeTree) {
	linked := d.enter(it.name, "")
	w.listing.Links = append(w.listing.Links, linked.path)
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
		if !w.agent.walksFile(target, info) {
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

// walksFile reports whether a file that a link leads to is listed at its own place.
func (a Agent) walksFile(target string, info fs.FileInfo) bool {
	return isMarkdown(path.Base(target)) && info.Mode().IsRegular() && a.walks(target)
}

// walksAnyway reports whether the walk comes by a directory without following the link in d that leads there: it is walked
// by itself, or has walked directories beneath it. The durable directory is where it is found, whatever it leads to.
func (w *walker) walksAnyway(d directory, target string) bool {
	if d.kind == hiveKind {
		return target == "."
	}
	return w.agent.walks(target) || isAncestor(target, d.real) || w.agent.Layout == Hive && holdsMemory(target)
}

// holdsMemory reports whether a directory of a hive agent has memory directories beneath it.
func holdsMemory(relDir string) bool {
	return relDir == "." || relDir == sessionsDir || path.Dir(relDir) == sessionsDir
}

func isAncestor(relDir, of string) bool {
	return relDir == "." || of == relDir || strings.HasPrefix(of, relDir+"/")
}

func linkProblem(err error) *memories.Problem {
	switch {
	case errors.Is(err, files.ErrLeaves):
		return linkLeaves()
	case errors.Is(err, files.ErrLoop), isGone(err):
		return linkBroken()
	}
	return unreadable(err)
}

package agents

import (
	"maps"
	"path"
	"slices"
	"strings"
)

// scopeTree is the part of a directory tree that a walk scans: all of it, or only the named
// entries.
type scopeTree struct {
	all   bool
	names map[string]*scopeTree
}

var everything = &scopeTree{all: true}

// newScope builds the tree of the given paths. It ignores paths outside the agent's directory.
func newScope(paths []string) *scopeTree {
	top := &scopeTree{}
	for _, p := range paths {
		p = path.Clean(p)
		if path.IsAbs(p) || p == ".." || strings.HasPrefix(p, "../") {
			continue
		}
		node := top
		if p != "." {
			for name := range strings.SplitSeq(p, "/") {
				node = node.grow(name)
			}
		}
		node.all = true
	}
	return top
}

// grow returns the node of an entry of that name, and adds it if it is missing.
func (s *scopeTree) grow(name string) *scopeTree {
	if s.names == nil {
		s.names = make(map[string]*scopeTree)
	}
	if s.names[name] == nil {
		s.names[name] = &scopeTree{}
	}
	return s.names[name]
}

// child returns the part of the scope below one entry, or nil if the entry is not in the scope. If
// the scope is everything, so is the part.
func (s *scopeTree) child(name string) *scopeTree {
	if s.all {
		return everything
	}
	return s.names[name]
}

// named returns the names that the scope has for single entries, sorted.
func (s *scopeTree) named() []string { return slices.Sorted(maps.Keys(s.names)) }

// within reports whether a path or one of its parents is in the set.
func within(set map[string]bool, relPath string) bool {
	for !set[relPath] {
		parent := path.Dir(relPath)
		if parent == relPath {
			return false
		}
		relPath = parent
	}
	return true
}

func isAncestor(relDir, of string) bool {
	return relDir == "." || of == relDir || strings.HasPrefix(of, relDir+"/")
}

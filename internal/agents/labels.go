package agents

import (
	"path"
	"strings"
)

// Label is an agent's display name in two parts, for lists: the name, and the directory above it.
type Label struct {
	Name   string // the last part of the path, with further parts if agents have the same name
	Parent string // empty if the display name has no directory
}

// Labels returns the labels of display names, in their order. Paths in home begin with "~"; an
// empty home abbreviates none. Equal names get one more part of their paths until they differ, or
// until a path has no more parts.
func Labels(displayNames []string, home string) []Label {
	split := make([]splitName, len(displayNames))
	labels := make([]Label, len(displayNames))
	for i, name := range displayNames {
		split[i] = splitDisplayName(name, home)
		labels[i] = split[i].label(1)
	}
	for parts := 2; ; parts++ {
		byName := map[string][]int{}
		for i, l := range labels {
			byName[l.Name] = append(byName[l.Name], i)
		}
		changed := false
		for _, same := range byName {
			if len(same) == 1 {
				continue
			}
			for _, i := range same {
				if longer := split[i].label(parts); longer != labels[i] {
					labels[i], changed = longer, true
				}
			}
		}
		if !changed {
			return labels
		}
	}
}

// splitName is a display name without its form.
type splitName struct {
	parts  []string // of the path; the last one is the name
	isAbs  bool
	suffix string // after the directory
}

const (
	allProjects = "All projects, in "
	localSuffix = " (local)"
)

// splitDisplayName splits a path, the title of a custom agent (customTitle), and the name of the
// memory of all projects (allProjectsName). Any other name is one part.
func splitDisplayName(name, home string) splitName {
	s := splitName{}
	dir, isCustom := name, false
	if in, isAll := strings.CutPrefix(name, allProjects); isAll {
		name, dir, isCustom = "All projects", in, true
	} else if custom, in, found := strings.Cut(name, " in /"); found && !strings.Contains(custom, "/") {
		name, dir, isCustom = custom, "/"+in, true
		if in, isLocal := strings.CutSuffix(dir, localSuffix); isLocal {
			dir, s.suffix = in, localSuffix
		}
	}
	home = path.Clean(home)
	if rest, isFolded := strings.CutPrefix(dir, foldedPath(home)+"-"); isFolded && rest != "" && strings.HasPrefix(home, "/") {
		return splitName{parts: []string{"~", rest}}
	}
	if !strings.HasPrefix(dir, "/") && !strings.HasPrefix(dir, "~/") {
		return splitName{parts: []string{name}}
	}
	dir = path.Clean(dir)
	if home != "." && home != "/" && (dir == home || strings.HasPrefix(dir, home+"/")) {
		dir = "~" + dir[len(home):]
	}
	s.isAbs = strings.HasPrefix(dir, "/")
	if dir = strings.TrimPrefix(dir, "/"); dir != "" {
		s.parts = strings.Split(dir, "/")
	}
	if isCustom {
		s.parts = append(s.parts, name)
	}
	if len(s.parts) == 0 {
		s.parts, s.isAbs = []string{"/"}, false
	}
	return s
}

// foldedPath returns a path as Claude Code names the directories of projects. A project whose path
// is unknown has such a display name.
func foldedPath(dir string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, dir)
}

// label returns the label with the number of parts in its name, or with all parts if there are
// fewer.
func (s splitName) label(parts int) Label {
	first := max(0, len(s.parts)-parts)
	parent := strings.Join(s.parts[:first], "/")
	if s.isAbs {
		parent = "/" + parent
	}
	if first == 0 {
		parent = ""
	}
	return Label{Name: strings.Join(s.parts[first:], "/"), Parent: strings.TrimSpace(parent + s.suffix)}
}

package watch

import (
	"os"
	"path/filepath"
	"strings"

	"memoir/internal/agents"
)

// Roots are the paths above all other directories, with the identity of the directory at each: the
// directories of the settings, and the links to agents. If a root is moved, mounted or linked to
// another directory, no event reports it. HaveChanged finds out with one stat of each root.
type Roots map[string]dirIdentity

// RootsOf returns the directories as roots, with their present identities.
func RootsOf(dirs []string) Roots {
	r := make(Roots, len(dirs))
	for _, dir := range dirs {
		r[dir] = identityAt(dir)
	}
	return r
}

// AddLinks adds links, and the directories of agents that are links.
func (r Roots) AddLinks(links []string, found []agents.Agent) {
	for _, link := range links {
		r[link] = identityAt(link)
	}
	for _, agent := range found {
		if _, isKnown := r[agent.Dir]; !isKnown && agents.IsLink(agent.Dir) {
			r[agent.Dir] = identityAt(agent.Dir)
		}
	}
}

// HaveChanged reports whether a root leads to another directory than before.
func (r Roots) HaveChanged() bool {
	for dir, identity := range r {
		if identityAt(dir) != identity {
			return true
		}
	}
	return false
}

// HasReplaced reports whether dir is at or below a root that has another identity in before.
func (r Roots) HasReplaced(before Roots, dir string) bool {
	for root, identity := range r {
		was, isKnown := before[root]
		if isKnown && was != identity && (dir == root || strings.HasPrefix(dir, root+string(filepath.Separator))) {
			return true
		}
	}
	return false
}

// WithoutEvents returns an existing root on a file system that sends no events, or "".
func (r Roots) WithoutEvents() string {
	for dir, identity := range r {
		if identity != (dirIdentity{}) && SendsNoEvents(dir) {
			return dir
		}
	}
	return ""
}

// identityAt returns the identity of the directory at a path, or the zero identity.
func identityAt(dir string) dirIdentity {
	info, err := os.Stat(dir)
	if err != nil {
		return dirIdentity{}
	}
	return identityOf(dir, info)
}

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

// RootsOf returns the directories as roots, with the identities of the directories that are there
// now. A missing directory gets the zero identity.
func RootsOf(dirs []string) Roots {
	r := make(Roots, len(dirs))
	for _, dir := range dirs {
		r[dir] = identityAt(dir)
	}
	return r
}

// AddLinks adds to r the links, and the directories of found agents that are symbolic links, with
// their present identities. Such an agent's directory that r has already keeps its identity.
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

// HaveChanged reports whether a root has appeared, has disappeared, or leads to another directory
// than its recorded one.
func (r Roots) HaveChanged() bool {
	for dir, identity := range r {
		if identityAt(dir) != identity {
			return true
		}
	}
	return false
}

// HasReplaced reports whether dir is at or below a root of r that has another identity in before. A
// root that before lacks does not count.
func (r Roots) HasReplaced(before Roots, dir string) bool {
	for root, identity := range r {
		was, isKnown := before[root]
		if isKnown && was != identity && (dir == root || strings.HasPrefix(dir, root+string(filepath.Separator))) {
			return true
		}
	}
	return false
}

// WithoutEvents returns one of the existing roots on file systems that send no events, or ""
// without such a root.
func (r Roots) WithoutEvents() string {
	for dir, identity := range r {
		if identity != (dirIdentity{}) && SendsNoEvents(dir) {
			return dir
		}
	}
	return ""
}

// identityAt returns the identity of the directory at a path, with links followed. It returns the
// zero identity if the path is missing or cannot be read.
func identityAt(dir string) dirIdentity {
	info, err := os.Stat(dir)
	if err != nil {
		return dirIdentity{}
	}
	return identityOf(dir, info)
}

package watch

import (
	"io/fs"
	"maps"
	"path/filepath"
	"slices"

	"memoir/internal/agents"
)

// watches records which directories are watched, and why. It does not call the notifier.
type watches struct {
	dirs map[string]*watchedDir
	// inside maps a directory to its direct children in dirs.
	inside map[string]map[string]struct{}
	// paths maps a directory to its paths in dirs. The notifier uses the first.
	paths map[dirIdentity][]string
	// of maps an agent's slug to its directories.
	of map[string]map[string]struct{}
}

// watchedDir is one watched directory. Its identity is zero if it is not armed.
type watchedDir struct {
	reasons  []reason
	identity dirIdentity
}

// reason is an agent's reason to watch a directory. The empty slug means the set of agents.
type reason struct {
	slug string
	// rel is a path relative to the agent's directory: the link's if target is set, else the
	// directory's.
	rel    string
	target string // the name of a link's target file in the directory; if set, other files are ignored
}

// dirIdentity identifies a directory independently of its path.
type dirIdentity struct {
	inode, device uint64
	path          string // only where the system has no inodes
}

func identityOf(dir string, info fs.FileInfo) dirIdentity {
	_, inode, device := agents.Identity(info)
	if inode == 0 {
		return dirIdentity{path: dir}
	}
	return dirIdentity{inode: inode, device: device}
}

func newWatches() watches {
	return watches{
		dirs: map[string]*watchedDir{}, inside: map[string]map[string]struct{}{},
		paths: map[dirIdentity][]string{}, of: map[string]map[string]struct{}{},
	}
}

func (w *watches) add(dir string, r reason) *watchedDir {
	d := w.dirs[dir]
	if d == nil {
		d = &watchedDir{}
		w.dirs[dir] = d
		addTo(w.inside, filepath.Dir(dir), dir)
	}
	if !slices.Contains(d.reasons, r) {
		d.reasons = append(d.reasons, r)
		addTo(w.of, r.slug, dir)
	}
	return d
}

func (w *watches) removeReasons(dir, slug string) {
	d := w.dirs[dir]
	d.reasons = slices.DeleteFunc(d.reasons, func(r reason) bool { return r.slug == slug })
	removeFrom(w.of, slug, dir)
}

// remove removes the directory and all reasons to watch it. The caller must clear its identity
// first.
func (w *watches) remove(dir string) {
	for _, r := range w.dirs[dir].reasons {
		removeFrom(w.of, r.slug, dir)
	}
	removeFrom(w.inside, filepath.Dir(dir), dir)
	delete(w.dirs, dir)
}

// setIdentity records the identity of the directory at the path, which must not have one.
func (w *watches) setIdentity(dir string, d *watchedDir, identity dirIdentity) {
	d.identity = identity
	w.paths[identity] = append(w.paths[identity], dir)
}

func (w *watches) clearIdentity(dir string, d *watchedDir) {
	left := slices.DeleteFunc(w.paths[d.identity], func(p string) bool { return p == dir })
	if w.paths[d.identity] = left; len(left) == 0 {
		delete(w.paths, d.identity)
	}
	d.identity = dirIdentity{}
}

// armedPath returns the path that the notifier uses for the directory, or "" if the directory is
// not armed.
func (w *watches) armedPath(identity dirIdentity) string {
	if paths := w.paths[identity]; len(paths) > 0 {
		return paths[0]
	}
	return ""
}

// otherPaths returns the paths that lead to the directory, without dir.
func (w *watches) otherPaths(identity dirIdentity, dir string) []string {
	return slices.DeleteFunc(slices.Clone(w.paths[identity]), func(p string) bool { return p == dir })
}

func (w *watches) children(dir string) []string {
	return slices.Collect(maps.Keys(w.inside[dir]))
}

// except returns the watched directories of the agent that are not among dirs.
func (w *watches) except(slug string, dirs []string) []string {
	kept := make(map[string]struct{}, len(dirs))
	for _, dir := range dirs {
		kept[dir] = struct{}{}
	}
	var others []string
	for dir := range w.of[slug] {
		if _, keep := kept[dir]; !keep {
			others = append(others, dir)
		}
	}
	return others
}

// reasonsFor returns the reasons to watch the directory under any of its paths. It returns nil if
// the directory is not watched.
func (w *watches) reasonsFor(dir string) []reason {
	d := w.dirs[dir]
	if d == nil {
		return nil
	}
	all := slices.Clone(d.reasons)
	for _, other := range w.otherPaths(d.identity, dir) {
		all = append(all, w.dirs[other].reasons...)
	}
	return all
}

func addTo(sets map[string]map[string]struct{}, key, value string) {
	if sets[key] == nil {
		sets[key] = map[string]struct{}{}
	}
	sets[key][value] = struct{}{}
}

func removeFrom(sets map[string]map[string]struct{}, key, value string) {
	delete(sets[key], value)
	if len(sets[key]) == 0 {
		delete(sets, key)
	}
}

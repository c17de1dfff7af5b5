package sync

import (
	"io/fs"
	"path/filepath"
	"slices"

	"memoir/internal/agents"
)

// watches are the directories that are watched, and why. They are names and reasons alone: who keeps them asks the
// system for the watches.
type watches struct {
	dirs map[string]*watched
	// inside has, for each directory, those of dirs that are right in it.
	inside map[string]map[string]struct{}
	// paths are those of dirs that lead to one and the same directory. The system knows it by the first.
	paths map[watchedPlace][]string
	// of has the directories of each agent; of the empty slug, those in which agents may appear.
	of map[string]map[string]struct{}
}

// watched is one directory that is watched.
type watched struct {
	because []reason
	place   watchedPlace // the zero one: not watched yet
}

// reason is what a directory is watched for. The empty slug stands for the set of agents.
type reason struct {
	slug   string
	within string // the path of the directory in the agent's; of a target, that of the link
	target string // not empty: only the file of this name is of interest, because a link leads to it
}

// watchedPlace is a directory itself, whatever paths lead to it.
type watchedPlace struct {
	inode, device uint64
	path          string // where the system does not tell directories apart, their path has to
}

func placeOf(dir string, info fs.FileInfo) watchedPlace {
	_, inode, device := agents.Identity(info)
	if inode == 0 {
		return watchedPlace{path: dir}
	}
	return watchedPlace{inode: inode, device: device}
}

func newWatches() watches {
	return watches{
		dirs: map[string]*watched{}, inside: map[string]map[string]struct{}{}, paths: map[watchedPlace][]string{},
		of: map[string]map[string]struct{}{},
	}
}

// enter adds a reason to watch the directory.
func (w *watches) enter(dir string, because reason) *watched {
	d := w.dirs[dir]
	if d == nil {
		d = &watched{}
		w.dirs[dir] = d
		addTo(w.inside, filepath.Dir(dir), dir)
	}
	if !slices.Contains(d.because, because) {
		d.because = append(d.because, because)
		addTo(w.of, because.slug, dir)
	}
	return d
}

// withdraw takes away the agent's reasons to watch the directory.
func (w *watches) withdraw(dir, slug string) {
	d := w.dirs[dir]
	d.because = slices.DeleteFunc(d.because, func(r reason) bool { return r.slug == slug })
	removeFrom(w.of, slug, dir)
}

// leave takes the directory out, whatever it was watched for.
func (w *watches) leave(dir string) {
	for _, r := range w.dirs[dir].because {
		removeFrom(w.of, r.slug, dir)
	}
	removeFrom(w.inside, filepath.Dir(dir), dir)
	delete(w.dirs, dir)
}

// put notes which directory stands at the path.
func (w *watches) put(dir string, d *watched, place watchedPlace) {
	d.place = place
	w.paths[place] = append(w.paths[place], dir)
}

// lift notes that it is not known any more which directory stands at the path.
func (w *watches) lift(dir string, d *watched) {
	left := slices.DeleteFunc(w.paths[d.place], func(p string) bool { return p == dir })
	if w.paths[d.place] = left; len(left) == 0 {
		delete(w.paths, d.place)
	}
	d.place = watchedPlace{}
}

// knownAs is the path by which the system knows a directory; empty: none.
func (w *watches) knownAs(place watchedPlace) string {
	if paths := w.paths[place]; len(paths) > 0 {
		return paths[0]
	}
	return ""
}

// othersAt are the further paths that lead to the same directory.
func (w *watches) othersAt(place watchedPlace, dir string) []string {
	paths := w.paths[place]
	if len(paths) == 0 || len(paths) == 1 && paths[0] == dir {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return p == dir })
}

// below are the directories right in another one.
func (w *watches) below(dir string) []string { return keys(w.inside[dir]) }

// without are the agent's directories that are not among those given.
func (w *watches) without(slug string, dirs []string) []string {
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

// reasonsAt are what a directory is watched for, by whatever path.
func (w *watches) reasonsAt(dir string) []reason {
	d := w.dirs[dir]
	if d == nil {
		return nil
	}
	others := w.othersAt(d.place, dir)
	if len(others) == 0 {
		return d.because
	}
	all := slices.Clone(d.because)
	for _, other := range others {
		all = append(all, w.dirs[other].because...)
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

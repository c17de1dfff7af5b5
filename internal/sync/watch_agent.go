package sync

import (
	"path"
	"path/filepath"
	"slices"

	"memoir/internal/agents"
	"memoir/internal/files"
)

// watchBelow watches a directory of the agent.
func (h *hold) watchBelow(within string) {
	h.watcher.Watch(h.onDisk.Slug, h.absolute(within), within)
}

func (h *hold) absolute(within string) string {
	if within == "." {
		return h.onDisk.Dir
	}
	return path.Join(h.onDisk.Dir, within)
}

// watchTargets watches the files that the listed links lead to, as far as they lie in directories that are not watched
// already, and returns those directories. It fails where nothing more could be opened.
func (h *hold) watchTargets(listing agents.Listing, watched []string) (dirs []string, err error) {
	for _, link := range listing.Links {
		target, err := files.Resolve(h.root, link)
		if err := exhaustion(err); err != nil {
			return nil, err
		}
		if err != nil || slices.Contains(watched, path.Dir(target)) {
			continue
		}
		info, err := h.root.Lstat(target)
		if err := exhaustion(err); err != nil {
			return nil, err
		}
		if err != nil || info.IsDir() {
			continue
		}
		file := filepath.Join(h.onDisk.Dir, target)
		h.watcher.WatchTarget(h.onDisk.Slug, file, link)
		dirs = append(dirs, path.Dir(target))
	}
	return dirs, nil
}

// watchOnly gives back the watches on directories that a look at everything did not come by any more. What it came by
// is watched, and nothing is left to settle.
func (h *hold) watchOnly(visited []string) {
	var dirs []string
	for _, within := range visited {
		dirs = append(dirs, h.absolute(within))
	}
	h.watcher.Only(h.onDisk.Slug, dirs)
	h.watcher.TakeDirChanges(h.onDisk.Slug)
}

package sync

import (
	"path"
	"path/filepath"
	"slices"
	"time"

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
		if err := outOfFiles(err); err != nil {
			return nil, err
		}
		if err != nil || slices.Contains(watched, path.Dir(target)) {
			continue
		}
		info, err := h.root.Lstat(target)
		if err := outOfFiles(err); err != nil {
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

// watchOnly gives back the watches on directories that a scan of everything did not come by any more. What it came by
// is watched, and nothing is left to settle.
func (h *hold) watchOnly(visited []string) {
	var dirs []string
	for _, within := range visited {
		dirs = append(dirs, h.absolute(within))
	}
	h.watcher.Only(h.onDisk.Slug, dirs)
	h.watcher.TakeDirChanges(h.onDisk.Slug)
}

// fullScanDelay is how long after directories have come or gone everything is scanned. Events are hints, and the system may
// drop one meanwhile; what it dropped is found then, and not only by the next scan.
const fullScanDelay = 2 * time.Second

// scheduleFullScan plans the scan of everything that follows a burst of changes.
func (h *hold) scheduleFullScan() {
	slug := h.onDisk.Slug
	if h.fullScanTimer == nil {
		h.fullScanTimer = time.AfterFunc(fullScanDelay, func() { h.queue.Add(slug, ".") })
		return
	}
	h.fullScanTimer.Reset(fullScanDelay)
}

// queueLinks lets the links be scanned that a change elsewhere may have mended or broken.
func (h *hold) queueLinks(paths []string) {
	for link := range h.links {
		if !isIn(paths, link) {
			h.queue.Add(h.onDisk.Slug, link)
		}
	}
}

// recordLinks keeps which links the scope has.
func (h *hold) recordLinks(listing agents.Listing, paths []string) {
	if h.links == nil {
		h.links = map[string]struct{}{}
	}
	for link := range h.links {
		if isIn(paths, link) {
			delete(h.links, link)
		}
	}
	for _, link := range listing.Links {
		h.links[link] = struct{}{}
	}
}

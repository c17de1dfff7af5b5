package scan

import (
	"path"
	"path/filepath"
	"slices"
	"time"

	"memoir/internal/agents"
	"memoir/internal/files"
	"memoir/internal/sync/agenttx"
)

func (s *Scanner) watchDir(tx *agenttx.Tx, dir string) {
	s.Watcher.Watch(tx.Agent.Slug, filepath.Join(tx.Agent.Dir, dir), dir)
}

// watchTargets watches the target files of the listed links, and returns the directories of these
// targets. It skips targets that are missing, are directories, or are in a directory of watched. It
// fails only with memories.ErrOutOfFiles.
func (s *Scanner) watchTargets(tx *agenttx.Tx, listing agents.Listing, watched []string) (dirs []string, err error) {
	for _, link := range listing.Links {
		target, err := files.Resolve(tx.Root, link)
		if err := agenttx.OutOfFiles(err); err != nil {
			return nil, err
		}
		if err != nil || slices.Contains(watched, path.Dir(target)) {
			continue
		}
		info, err := tx.Root.Lstat(target)
		if err := agenttx.OutOfFiles(err); err != nil {
			return nil, err
		}
		if err != nil || info.IsDir() {
			continue
		}
		file := filepath.Join(tx.Agent.Dir, target)
		s.Watcher.WatchTarget(tx.Agent.Slug, file, link)
		dirs = append(dirs, path.Dir(target))
	}
	return dirs, nil
}

// watchOnly stops watching the agent's directories that are not in visited, the directories of a
// full scan. It also clears the note that directories have appeared or disappeared, because the
// full scan has found these changes.
func (s *Scanner) watchOnly(tx *agenttx.Tx, visited []string) {
	var dirs []string
	for _, dir := range visited {
		dirs = append(dirs, filepath.Join(tx.Agent.Dir, dir))
	}
	s.Watcher.Only(tx.Agent.Slug, dirs)
	s.Watcher.TakeDirChanges(tx.Agent.Slug)
}

// FullScanDelay is the time between the last change of the agent's directories and the full scan
// that follows it. The system may lose events of new directories; that scan finds the lost changes
// sooner than the next regular one. Arbitrary.
const FullScanDelay = 2 * time.Second

// QueueLinks requests scans of the agent's links outside of paths. Callers use it after a change at
// paths, which may have created or removed the targets of links.
func QueueLinks(tx *agenttx.Tx, paths []string) {
	for link := range tx.State.Links {
		if !agenttx.IsIn(paths, link) {
			tx.Rescan(link)
		}
	}
}

// recordLinks replaces the known links at and below paths by those of the listing.
func recordLinks(tx *agenttx.Tx, listing agents.Listing, paths []string) {
	if tx.State.Links == nil {
		tx.State.Links = map[string]struct{}{}
	}
	for link := range tx.State.Links {
		if agenttx.IsIn(paths, link) {
			delete(tx.State.Links, link)
		}
	}
	for _, link := range listing.Links {
		tx.State.Links[link] = struct{}{}
	}
}

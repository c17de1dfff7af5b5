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

// watchBelow watches a directory of the agent.
func (s *Scanner) watchBelow(tx *agenttx.Tx, within string) {
	s.Watcher.Watch(tx.Agent.Slug, absolute(tx, within), within)
}

func absolute(tx *agenttx.Tx, within string) string {
	if within == "." {
		return tx.Agent.Dir
	}
	return path.Join(tx.Agent.Dir, within)
}

// watchTargets watches the files that the listed links lead to, as far as they lie in directories that are not watched
// already, and returns those directories. It fails where nothing more could be opened.
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

// watchOnly gives back the watches on directories that a scan of everything did not come by any more. What it came by
// is watched, and nothing is left to settle.
func (s *Scanner) watchOnly(tx *agenttx.Tx, visited []string) {
	var dirs []string
	for _, within := range visited {
		dirs = append(dirs, absolute(tx, within))
	}
	s.Watcher.Only(tx.Agent.Slug, dirs)
	s.Watcher.TakeDirChanges(tx.Agent.Slug)
}

// fullScanDelay is how long after directories have come or gone everything is scanned. Events are hints, and the system may
// drop one meanwhile; what it dropped is found then, and not only by the next scan.
const FullScanDelay = 2 * time.Second

// queueLinks lets the links be scanned that a change elsewhere may have mended or broken.
func QueueLinks(tx *agenttx.Tx, paths []string) {
	for link := range tx.State.Links {
		if !agenttx.IsIn(paths, link) {
			tx.Rescan(link)
		}
	}
}

// recordLinks keeps which links the scope has.
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

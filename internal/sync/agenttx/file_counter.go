package agenttx

import "sync/atomic"

// A tally counts the memory files that the last looks at an agent's directory found on disk. One that could not be read yet, because
// somebody is writing it, waits to be scanned again, and counts then.
type fileCounter struct {
	Files atomic.Int64
	// unseen are the files that the rows have on disk and the last scan did not find there, without concluding anything from it, as
	// where the primary directory has been moved away. They are not counted.
	unseen map[string]struct{}
}

// update takes in a scan of the paths, which found so many files where the rows had so many before, and did not see some of those.
func (c *fileCounter) Update(paths []string, files, before int, unseen []string) {
	for p := range c.unseen {
		if IsIn(paths, p) {
			delete(c.unseen, p)
			before--
		}
	}
	if c.unseen == nil {
		c.unseen = map[string]struct{}{}
	}
	for _, p := range unseen {
		c.unseen[p] = struct{}{}
	}
	if IsFullScan(paths) {
		c.Files.Store(int64(files))
		return
	}
	c.Files.Add(int64(files - before))
}

// removed takes in that a file which the rows had on disk was removed: the scan that follows goes by the rows.
func (c *fileCounter) Removed(path string) {
	if _, is := c.unseen[path]; is {
		delete(c.unseen, path)
		return
	}
	c.Files.Add(-1)
}

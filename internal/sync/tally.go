package sync

import "sync/atomic"

// A tally counts the memory files that the last looks at an agent's directory found on disk. One that could not be read yet, because
// somebody is writing it, waits to be looked at again, and counts then.
type tally struct {
	files atomic.Int64
	// unseen are the files that the rows have on disk and the last look did not find there, without concluding anything from it, as
	// where the durable directory has been moved away. They are not counted.
	unseen map[string]struct{}
}

// count takes in a look at a scope, which found so many files where the rows had so many before, and did not see some of those.
func (t *tally) count(scope []string, files, before int, unseen []string) {
	for p := range t.unseen {
		if isIn(scope, p) {
			delete(t.unseen, p)
			before--
		}
	}
	if t.unseen == nil {
		t.unseen = map[string]struct{}{}
	}
	for _, p := range unseen {
		t.unseen[p] = struct{}{}
	}
	if isWhole(scope) {
		t.files.Store(int64(files))
		return
	}
	t.files.Add(int64(files - before))
}

// removed takes in that a file which the rows had on disk was removed: the look that follows goes by the rows.
func (t *tally) removed(path string) {
	if _, is := t.unseen[path]; is {
		delete(t.unseen, path)
		return
	}
	t.files.Add(-1)
}

package scan

import (
	"context"
	"sync"
	"time"

	"memoir/internal/agents"
	"memoir/internal/files"
	"memoir/internal/records"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/watch"
)

// A file without a byte is one that somebody has made or emptied for good, or one whose writer has opened it and not got further. Which of
// the two only time tells, so it is left to its writer for a moment. A scan that nobody waits for leaves it to a later one; a scan that
// somebody has asked for waits, and has it in what it answers.

// rereadDelay is how soon a file that has bytes by now is read again.
const rereadDelay = 20 * time.Millisecond

// emptiedFile is when a file that had bytes was first seen without any, and the modification time that it showed then.
type emptiedFile struct{ firstSeen, modTime time.Time }

// deferEmpty reports of a file that was read without a byte whether it is left to its writer; then it is scanned again.
func deferEmpty(tx *agenttx.Tx, r Request, entry *agents.Entry, known *records.File) bool {
	wait := writerTimeLeft(tx, entry, known)
	if r.Wait != nil && wait > 0 {
		r.Wait.add(tx.State, entry.Path, wait)
		tx.State.Awaited.Store(entry.Path, r.Wait)
	}
	// What a scan waits for is the scan's to take in.
	_, awaited := tx.State.Awaited.Load(entry.Path)
	if wait == 0 && (r.Wait != nil || !awaited) {
		return false
	}
	tx.RescanNoSooner(entry.Path, wait)
	return true
}

// writerTimeLeft returns for how long yet a file that was read without a byte counts as being written; 0: it does not. What is told of the
// file may be from before it was emptied: a file system may show that it has no bytes and give it its new times a little later. So the
// time of one that had bytes begins when it is first seen so, unless its times were set by hand.
func writerTimeLeft(tx *agenttx.Tx, entry *agents.Entry, known *records.File) time.Duration {
	info, err := files.Stat(tx.Root, entry.Path)
	if err != nil || info.Size() > 0 {
		return rereadDelay
	}
	sinceWritten := time.Since(info.ModTime()).Abs()
	setByHand := sinceWritten >= agenttx.EmptyFileTimeout && time.Since(time.Unix(0, entry.ChangeTime)) < agenttx.EmptyFileTimeout
	sinceSeen := agenttx.EmptyFileTimeout
	if hadBytes := known != nil && known.Present && known.Size > 0; hadBytes && !setByHand {
		sinceSeen = time.Since(recordEmptied(tx, entry.Path, info.ModTime()))
	}
	if entry.Size > 0 {
		return agenttx.EmptyFileTimeout // it had bytes a moment ago
	}
	return max(0, agenttx.EmptyFileTimeout-sinceWritten, agenttx.EmptyFileTimeout-sinceSeen)
}

// recordEmptied returns since when the file is seen without a byte. One that shows another modification time was written meanwhile, and
// emptied once more.
func recordEmptied(tx *agenttx.Tx, path string, modTime time.Time) time.Time {
	now := emptiedFile{time.Now(), modTime}
	before, noted := tx.State.Emptied.LoadOrStore(path, now)
	if noted && before.(emptiedFile).modTime.Equal(modTime) {
		return before.(emptiedFile).firstSeen
	}
	tx.State.Emptied.Store(path, now)
	return now.firstSeen
}

// newEmptyFileWait returns an emptyFileWait without files.
func NewEmptyFileWait() *EmptyFileWait {
	return &EmptyFileWait{paths: map[string]struct{}{}, everAdded: map[string]struct{}{}}
}

// emptyFileWait are the files of one agent that a scan leaves to their writers, and waits for.
type EmptyFileWait struct {
	mu        sync.Mutex
	agent     *agenttx.State
	paths     map[string]struct{} // that are to be scanned again
	everAdded map[string]struct{} // all that ever were among them
	latest    time.Time           // when the last of them has had its time
}

func (w *EmptyFileWait) add(state *agenttx.State, path string, wait time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.agent = state
	w.paths[path] = struct{}{}
	w.everAdded[path] = struct{}{}
	if until := time.Now().Add(wait); until.After(w.latest) {
		w.latest = until
	}
}

func (w *EmptyFileWait) IsEmpty() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.paths) == 0
}

// wait returns the paths to look at once each of the files has had its time.
func (w *EmptyFileWait) Wait(ctx context.Context) ([]string, error) {
	w.mu.Lock()
	paths, latest := watch.Combine(w.paths), w.latest
	w.paths = map[string]struct{}{}
	w.mu.Unlock()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(time.Until(latest)):
		return paths, nil
	}
}

// end leaves the files to whoever looks next.
func (w *EmptyFileWait) End() {
	for path := range w.everAdded {
		w.agent.Awaited.CompareAndDelete(path, w)
	}
}

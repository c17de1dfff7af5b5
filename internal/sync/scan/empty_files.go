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

// An empty file may be final, or a program may have opened it to write it. So a scan does not
// commit a new empty file before agenttx.EmptyFileTimeout. A scan that a user waits for waits for
// such files; other scans leave them to a later scan.

// rereadDelay is the time until a file that was empty, and has bytes by now, is scanned again.
// Arbitrary.
const rereadDelay = 20 * time.Millisecond

// emptiedFile is the time when a scan first saw that a file had lost its bytes, and the file's
// modification time then.
type emptiedFile struct{ firstSeen, modTime time.Time }

// deferEmpty reports whether the scan must not commit a file that was read as empty, because a
// program may still be writing it. If so, it requests a later scan. If r.Deferred is set, it also
// adds the file to that. If r.Deferred is nil, it also defers each file that is in the
// DeferredFiles of another caller, which must commit it.
func deferEmpty(tx *agenttx.Tx, r Request, entry *agents.Entry, known *records.File) bool {
	wait := writerTimeLeft(tx, entry, known)
	if r.Deferred != nil && wait > 0 {
		r.Deferred.add(tx.State, entry.Path, wait)
		tx.State.Awaited.Store(entry.Path, r.Deferred)
	}
	_, awaited := tx.State.Awaited.Load(entry.Path)
	if wait == 0 && (r.Deferred != nil || !awaited) {
		return false
	}
	tx.RescanNoSooner(entry.Path, wait)
	return true
}

// writerTimeLeft returns how much longer a file that was read as empty counts as being written; 0
// means that its emptiness is final. The period is EmptyFileTimeout from the modification time. For
// a file that had bytes, it starts when a scan first saw it empty, if that is later. This does not
// apply if a program has just set an old modification time. The result is rereadDelay if the file
// has bytes by now or cannot be examined.
func writerTimeLeft(tx *agenttx.Tx, entry *agents.Entry, known *records.File) time.Duration {
	info, err := files.Stat(tx.Root, entry.Path)
	if err != nil || info.Size() > 0 {
		return rereadDelay
	}
	sinceWritten := time.Since(info.ModTime()).Abs()
	hasSetTime := sinceWritten >= agenttx.EmptyFileTimeout && time.Since(time.Unix(0, entry.ChangeTime)) < agenttx.EmptyFileTimeout
	sinceSeen := agenttx.EmptyFileTimeout
	if hadBytes := known != nil && known.Present && known.Size > 0; hadBytes && !hasSetTime {
		sinceSeen = time.Since(recordEmptied(tx, entry.Path, info.ModTime()))
	}
	if entry.Size > 0 {
		return agenttx.EmptyFileTimeout // it had bytes during the walk
	}
	return max(0, agenttx.EmptyFileTimeout-sinceWritten, agenttx.EmptyFileTimeout-sinceSeen)
}

// recordEmptied records that a file is empty, and returns the time when a scan first saw that. If
// the modification time has changed since, the file was written and emptied again, and the time is
// now.
func recordEmptied(tx *agenttx.Tx, path string, modTime time.Time) time.Time {
	now := emptiedFile{time.Now(), modTime}
	before, ok := tx.State.Emptied.LoadOrStore(path, now)
	if ok && before.(emptiedFile).modTime.Equal(modTime) {
		return before.(emptiedFile).firstSeen
	}
	tx.State.Emptied.Store(path, now)
	return now.firstSeen
}

// DeferredFiles collects the files of one agent that scans with this Request.Deferred have
// deferred, because programs may be writing them. After each scan, the caller calls Wait and scans
// the returned paths, until IsEmpty reports true. It must call End when it stops.
type DeferredFiles struct {
	mu        sync.Mutex
	agent     *agenttx.State
	paths     map[string]struct{} // files to scan again
	everAdded map[string]struct{} // all files that were in paths
	latest    time.Time           // when the period of the last file ends
}

// NewDeferredFiles returns an empty DeferredFiles.
func NewDeferredFiles() *DeferredFiles {
	return &DeferredFiles{paths: map[string]struct{}{}, everAdded: map[string]struct{}{}}
}

// add adds a file that must not be scanned again before the wait has passed.
func (w *DeferredFiles) add(state *agenttx.State, path string, wait time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.agent = state
	w.paths[path] = struct{}{}
	w.everAdded[path] = struct{}{}
	if until := time.Now().Add(wait); until.After(w.latest) {
		w.latest = until
	}
}

// IsEmpty reports whether no file waits to be scanned again.
func (w *DeferredFiles) IsEmpty() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.paths) == 0
}

// Wait removes all files, waits until the last of their periods has ended, and returns the paths to
// scan. It returns directories in place of files if there are more than watch.MaxPaths. If ctx ends
// first, it returns the error of ctx; the files are removed all the same.
func (w *DeferredFiles) Wait(ctx context.Context) ([]string, error) {
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

// End allows other scans to commit the files that were ever added. It must be called once, at the
// end.
func (w *DeferredFiles) End() {
	for path := range w.everAdded {
		w.agent.Awaited.CompareAndDelete(path, w)
	}
}

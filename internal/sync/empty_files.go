package sync

import (
	"context"
	"os"
	"sync"
	"time"

	"memoir/internal/agents"
	"memoir/internal/files"
	"memoir/internal/records"
	"memoir/internal/sync/events"
	"memoir/internal/sync/watch"
)

// A file without a byte is one that somebody has made or emptied for good, or one whose writer has opened it and not got further. Which of
// the two only time tells, so it is left to its writer for a moment. A scan that nobody waits for leaves it to a later one; a scan that
// somebody has asked for waits, and has it in what it answers.

// emptyFileTimeout is how long an empty file counts as one whose writer has opened it and not written yet.
const emptyFileTimeout = 800 * time.Millisecond

// rereadDelay is how soon a file that has bytes by now is read again.
const rereadDelay = 20 * time.Millisecond

// emptiedFile is when a file that had bytes was first seen without any, and the modification time that it showed then.
type emptiedFile struct{ firstSeen, modTime time.Time }

// deferEmpty says of a file that was read without a byte whether it is left to its writer; then it is scanned again.
func (h *hold) deferEmpty(entry *agents.Entry, known *records.File) bool {
	wait := h.writerTimeLeft(entry, known)
	if h.emptyFileWait != nil && wait > 0 {
		h.emptyFileWait.add(entry.Path, wait)
		h.awaited.Store(entry.Path, h.emptyFileWait)
	}
	// What a scan waits for is the scan's to take in.
	_, awaited := h.awaited.Load(entry.Path)
	if wait == 0 && (h.emptyFileWait != nil || !awaited) {
		return false
	}
	h.queue.AddNoSooner(h.onDisk.Slug, entry.Path, wait)
	return true
}

// writerTimeLeft returns for how long yet a file that was read without a byte counts as being written; 0: it does not. What is told of the
// file may be from before it was emptied: a file system may show that it has no bytes and give it its new times a little later. So the
// time of one that had bytes begins when it is first seen so, unless its times were set by hand.
func (h *hold) writerTimeLeft(entry *agents.Entry, known *records.File) time.Duration {
	info, err := files.Stat(h.root, entry.Path)
	if err != nil || info.Size() > 0 {
		return rereadDelay
	}
	sinceWritten := time.Since(info.ModTime()).Abs()
	setByHand := sinceWritten >= emptyFileTimeout && time.Since(time.Unix(0, entry.ChangeTime)) < emptyFileTimeout
	sinceSeen := emptyFileTimeout
	if hadBytes := known != nil && known.Present && known.Size > 0; hadBytes && !setByHand {
		sinceSeen = time.Since(h.recordEmptied(entry.Path, info.ModTime()))
	}
	if entry.Size > 0 {
		return emptyFileTimeout // it had bytes a moment ago
	}
	return max(0, emptyFileTimeout-sinceWritten, emptyFileTimeout-sinceSeen)
}

// recordEmptied returns since when the file is seen without a byte. One that shows another modification time was written meanwhile, and
// emptied once more.
func (h *hold) recordEmptied(path string, modTime time.Time) time.Time {
	now := emptiedFile{time.Now(), modTime}
	before, noted := h.emptied.LoadOrStore(path, now)
	if noted && before.(emptiedFile).modTime.Equal(modTime) {
		return before.(emptiedFile).firstSeen
	}
	h.emptied.Store(path, now)
	return now.firstSeen
}

// emptyFileWait are the files of one agent that a scan leaves to their writers, and waits for.
type emptyFileWait struct {
	mu        sync.Mutex
	agent     *agent
	paths     map[string]struct{} // that are to be scanned again
	everAdded map[string]struct{} // all that ever were among them
	latest    time.Time           // when the last of them has had its time
}

func (w *emptyFileWait) add(path string, wait time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.paths[path] = struct{}{}
	w.everAdded[path] = struct{}{}
	if until := time.Now().Add(wait); until.After(w.latest) {
		w.latest = until
	}
}

func (w *emptyFileWait) isEmpty() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.paths) == 0
}

// wait returns the paths to look at once each of the files has had its time.
func (w *emptyFileWait) wait(ctx context.Context) ([]string, error) {
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
func (w *emptyFileWait) end() {
	for path := range w.everAdded {
		w.agent.awaited.CompareAndDelete(path, w)
	}
}

// scanAndWait is scan for somebody who waits for it: what is left to its writer is among what was found. A file that is emptied again and
// again is waited for no longer than two writers have.
func (e *Engine) scanAndWait(ctx context.Context, slug string) (ScanResult, error) {
	started := time.Now()
	empty := &emptyFileWait{paths: map[string]struct{}{}, everAdded: map[string]struct{}{}}
	defer empty.end()
	result, err := e.scanOnce(ctx, slug, empty)
	for waiting := time.Now(); err == nil && !empty.isEmpty() && time.Since(waiting) < 2*emptyFileTimeout; {
		var again ScanResult
		again, err = e.rescanPending(ctx, slug, empty)
		again.Scanned, result.NeedsAttention = 0, 0
		result.add(again)
	}
	if err != nil {
		return ScanResult{}, err
	}
	result.Took = time.Since(started)
	e.hub.Emit(events.Event{Agent: slug, Kind: events.Scanned})
	return result, nil
}

// rescanPending looks once more at what was left to its writers.
func (e *Engine) rescanPending(ctx context.Context, slug string, empty *emptyFileWait) (result ScanResult, err error) {
	paths, err := empty.wait(ctx)
	if err != nil {
		return ScanResult{}, err
	}
	err = e.withAgent(ctx, slug, func(h *hold) error {
		h.emptyFileWait = empty
		if h.present {
			if result, err = h.runScan(ctx, paths, scanOrigin{}); err != nil {
				return err
			}
			if result.Changed {
				h.queueLinks(paths)
			}
			if err := h.publish(ctx); err != nil {
				return err
			}
		}
		result.NeedsAttention, err = h.w.NeedsAttention(ctx)
		return err
	})
	return result, err
}

// lateTimes is how much later than its size a file may show that it was emptied by its times.
const lateTimes = 100 * time.Millisecond

// awaitBytes gives a file that was read empty the time in which somebody who has opened it to write, and emptied it by that,
// gets further, and says whether it has bytes now. Who wrote it anew at once would write over what comes next. One that has been
// empty for longer, by its times, nobody has just emptied.
func awaitBytes(root *os.Root, path string) bool {
	for began := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		info, err := files.Stat(root, path)
		if err != nil || info.Size() > 0 {
			return err == nil
		}
		waited := time.Since(began)
		if waited >= emptyFileTimeout || waited >= lateTimes && time.Since(info.ModTime()).Abs() >= emptyFileTimeout {
			return false
		}
	}
}

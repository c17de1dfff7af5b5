package sync

import (
	"context"
	"sync"
	"time"

	"memoir/internal/agents"
	"memoir/internal/files"
	"memoir/internal/records"
	"memoir/internal/sync/events"
	"memoir/internal/sync/watch"
)

// A file without a byte is one that somebody has made or emptied for good, or one whose writer has opened it and not got further. Which of
// the two only time tells, so it is left to its writer for a moment. A look that nobody waits for leaves it to a later one; a scan that
// somebody has asked for waits, and has it in what it answers.

// beingWritten is how long an empty file counts as one whose writer has opened it and not written yet.
const beingWritten = 800 * time.Millisecond

// stillWritten is how soon a file that has bytes by now is read again.
const stillWritten = 20 * time.Millisecond

// emptied is when a file that had bytes was first seen without any, and the modification time that it showed then.
type emptied struct{ seen, modTime time.Time }

// isLeftToWriter says of a file that was read without a byte whether it is left to its writer; then it is looked at again.
func (h *hold) isLeftToWriter(entry *agents.Entry, known *records.File) bool {
	wait := h.timeOfWriter(entry, known)
	if h.unwritten != nil && wait > 0 {
		h.unwritten.add(entry.Path, wait)
		h.awaited.Store(entry.Path, h.unwritten)
	}
	// What a scan waits for is the scan's to take in.
	_, awaited := h.awaited.Load(entry.Path)
	if wait == 0 && (h.unwritten != nil || !awaited) {
		return false
	}
	h.queue.AddNoSooner(h.onDisk.Slug, entry.Path, wait)
	return true
}

// timeOfWriter returns for how long yet a file that was read without a byte counts as being written; 0: it does not. What is told of the
// file may be from before it was emptied: a file system may show that it has no bytes and give it its new times a little later. So the
// time of one that had bytes begins when it is first seen so, unless its times were set by hand.
func (h *hold) timeOfWriter(entry *agents.Entry, known *records.File) time.Duration {
	info, err := files.Stat(h.root, entry.Path)
	if err != nil || info.Size() > 0 {
		return stillWritten
	}
	sinceWritten := time.Since(info.ModTime()).Abs()
	setByHand := sinceWritten >= beingWritten && time.Since(time.Unix(0, entry.ChangeTime)) < beingWritten
	sinceSeen := beingWritten
	if hadBytes := known != nil && known.Present && known.Size > 0; hadBytes && !setByHand {
		sinceSeen = time.Since(h.noteEmptied(entry.Path, info.ModTime()))
	}
	if entry.Size > 0 {
		return beingWritten // it had bytes a moment ago
	}
	return max(0, beingWritten-sinceWritten, beingWritten-sinceSeen)
}

// noteEmptied returns since when the file is seen without a byte. One that shows another modification time was written meanwhile, and
// emptied once more.
func (h *hold) noteEmptied(path string, modTime time.Time) time.Time {
	now := emptied{time.Now(), modTime}
	before, noted := h.emptied.LoadOrStore(path, now)
	if noted && before.(emptied).modTime.Equal(modTime) {
		return before.(emptied).seen
	}
	h.emptied.Store(path, now)
	return now.seen
}

// unwritten are the files of one agent that a scan leaves to their writers, and waits for.
type unwritten struct {
	mu     sync.Mutex
	agent  *agent
	paths  map[string]struct{} // that are to be looked at again
	noted  map[string]struct{} // all that ever were among them
	latest time.Time           // when the last of them has had its time
}

func (u *unwritten) add(path string, wait time.Duration) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.paths[path] = struct{}{}
	u.noted[path] = struct{}{}
	if until := time.Now().Add(wait); until.After(u.latest) {
		u.latest = until
	}
}

func (u *unwritten) isEmpty() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return len(u.paths) == 0
}

// wait returns the paths to look at once each of the files has had its time.
func (u *unwritten) wait(ctx context.Context) ([]string, error) {
	u.mu.Lock()
	scope, latest := watch.Combine(u.paths), u.latest
	u.paths = map[string]struct{}{}
	u.mu.Unlock()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(time.Until(latest)):
		return scope, nil
	}
}

// end leaves the files to whoever looks next.
func (u *unwritten) end() {
	for path := range u.noted {
		u.agent.awaited.CompareAndDelete(path, u)
	}
}

// scanToTheEnd is scan for somebody who waits for it: what is left to its writer is among what was found. A file that is emptied again and
// again is waited for no longer than two writers have.
func (e *Engine) scanToTheEnd(ctx context.Context, slug string) (Scan, error) {
	started := time.Now()
	left := &unwritten{paths: map[string]struct{}{}, noted: map[string]struct{}{}}
	defer left.end()
	scan, err := e.scanLeaving(ctx, slug, left)
	for waiting := time.Now(); err == nil && !left.isEmpty() && time.Since(waiting) < 2*beingWritten; {
		var again Scan
		again, err = e.lookAgain(ctx, slug, left)
		again.Scanned, scan.NeedsAttention = 0, 0
		scan.add(again)
	}
	if err != nil {
		return Scan{}, err
	}
	scan.Took = time.Since(started)
	e.hub.Emit(events.Event{Agent: slug, Kind: events.Scanned})
	return scan, nil
}

// lookAgain looks once more at what was left to its writers.
func (e *Engine) lookAgain(ctx context.Context, slug string, left *unwritten) (scan Scan, err error) {
	scope, err := left.wait(ctx)
	if err != nil {
		return Scan{}, err
	}
	err = e.withAgent(ctx, slug, func(h *hold) error {
		h.unwritten = left
		if h.present {
			if scan, err = h.look(ctx, scope, cause{}); err != nil {
				return err
			}
			if scan.Changed {
				h.lookAtLinks(scope)
			}
			if err := h.publish(ctx); err != nil {
				return err
			}
		}
		scan.NeedsAttention, err = h.w.NeedsAttention(ctx)
		return err
	})
	return scan, err
}

package sync

import (
	"context"
	"time"

	"memoir/internal/agents"
)

// Somebody who writes thousands of files does so for a second or more. Those that are there already are taken in meanwhile, so
// that few are left when the last one has been written. Such a look ahead goes only into files that nobody knows: what has
// changed, and what has left a memory, is decided on when it has been quiet, over all of it together.

// defaultAhead is how many new files are worth a look ahead: one takes some 20 ms besides what it does for each file.
const defaultAhead = 1000

// madeDirectory is for how many files a new directory counts.
const madeDirectory = 40

// stillWritten is how long a new file, or the directory in which files are made, is left to whoever has just made it.
const stillWritten = 20 * time.Millisecond

// made are paths that are new, and that nothing else has happened to.
type made struct {
	at    map[string]madePath
	worth int // of all of them, in files
}

type madePath struct {
	heard time.Time // of last
	worth int       // in files
}

// addMade notes that something has been made at the path.
func (q *queue) addMade(key, path string, directory bool) {
	path = agents.SafePath(path)
	q.mu.Lock()
	defer q.mu.Unlock()
	now := time.Now()
	w := q.heard(key, q.quiet, now)
	if _, changed := w.scope[path]; changed {
		return
	}
	worth := 1
	if directory {
		worth = madeDirectory
	}
	w.made.put(path, madePath{now, worth})
	if q.areMany(w.made) {
		q.signal()
	}
}

// addWritten notes that something was written into the file at the path, which may be new.
func (q *queue) addWritten(key, path string) {
	path = agents.SafePath(path)
	q.mu.Lock()
	now := time.Now()
	if w := q.waiting[key]; w != nil {
		if m, isNew := w.made.at[path]; isNew {
			defer q.mu.Unlock()
			q.heard(key, q.quiet, now)
			w.made.at[path] = madePath{now, m.worth}
			return
		}
	}
	q.mu.Unlock()
	q.add(key, path)
}

// areMany says whether so many are new that a look goes ahead for them.
func (q *queue) areMany(m made) bool { return m.worth >= q.ahead }

func (m *made) put(path string, is madePath) {
	if m.at == nil {
		m.at = map[string]madePath{}
	}
	m.worth += is.worth - m.at[path].worth
	m.at[path] = is
}

func (m *made) forget(path string) {
	m.worth -= m.at[path].worth
	delete(m.at, path)
}

// takeWritten returns those that nobody has written for a moment, which are not new any more.
func (m *made) takeWritten(now time.Time) []string {
	taken := map[string]struct{}{}
	for p, is := range m.at {
		if now.Sub(is.heard) >= stillWritten {
			taken[p] = struct{}{}
			m.forget(p)
		}
	}
	return outermost(taken)
}

// paths returns all of them.
func (m *made) paths() map[string]struct{} {
	paths := make(map[string]struct{}, len(m.at))
	for p := range m.at {
		paths[p] = struct{}{}
	}
	return paths
}

// lookAhead takes in those files of the scope that nobody knows. The look that follows it has all else, and publishes.
func (e *Engine) lookAhead(ctx context.Context, slug string, scope []string) error {
	return e.withAgent(ctx, slug, func(h *hold) error {
		if !h.present || !h.looked {
			for _, path := range scope {
				h.queue.add(slug, path)
			}
			return nil
		}
		if h.durableBefore == nil {
			n, err := h.w.DurableMemories(ctx)
			if err != nil {
				return err
			}
			h.durableBefore = &n
		}
		h.ahead = true
		scan, err := h.look(ctx, scope, cause{})
		if scan.Changed {
			h.lookAtLinks(scope)
		}
		return err
	})
}

// leaveKnown leaves what is known to the look that follows.
func (h *hold) leaveKnown(d *differences, listing agents.Listing) {
	d.unseen = d.notSeen(listing, nil)
	unknown := d.toRead[:0]
	for _, entry := range d.toRead {
		if d.known[entry.Path] == nil {
			unknown = append(unknown, entry)
		} else {
			d.putOff(entry.Path)
		}
	}
	d.toRead = unknown
	for path := range d.known {
		h.queue.add(h.onDisk.Slug, path)
	}
	clear(d.known)
}

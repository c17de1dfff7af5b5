package watch

import (
	"maps"
	"path"
	"slices"
	"sync"
	"time"

	"memoir/internal/agents"
)

// maxDelay limits how long further changes can delay a scan. Arbitrary.
const maxDelay = time.Second

// MaxPaths is the largest number of paths in one request; directories replace more. Arbitrary.
const MaxPaths = 256

// Queue collects paths to scan, by agent. They become due when the agent has been quiet for a
// while. The empty slug means the set of agents. Its methods are safe for concurrent use.
type Queue struct {
	mu      sync.Mutex
	quiet   time.Duration
	waiting map[string]*waiting
	later   map[string]map[string]time.Time // when a path becomes due, by slug and path
	busy    map[string]bool
	wake    chan struct{}
}

// waiting are the changed paths of one agent.
type waiting struct {
	paths map[string]struct{} // relative to the agent's directory; "." is all of it
	first time.Time
	due   time.Time
}

// NewQueue returns an empty queue. quiet is how long an agent must not change before Add's paths
// are due.
func NewQueue(quiet time.Duration) *Queue {
	return &Queue{
		quiet: quiet, waiting: map[string]*waiting{}, later: map[string]map[string]time.Time{},
		busy: map[string]bool{}, wake: make(chan struct{}, 1),
	}
}

// Add queues a path that has changed now. It is due when the agent has been quiet.
func (q *Queue) Add(slug, path string) { q.add(slug, path, q.quiet) }

// AddNow queues a path that is due at once, together with the agent's paths queued by Add.
func (q *Queue) AddNow(slug, path string) { q.add(slug, path, 0) }

func (q *Queue) add(slug, path string, quiet time.Duration) {
	path = agents.SafePath(path)
	q.mu.Lock()
	defer q.mu.Unlock()
	q.change(slug, quiet, time.Now()).paths[path] = struct{}{}
}

// AddNoSooner queues a path that is due after the wait, or after the quiet time of NewQueue if that
// is longer. It does not delay the agent's other paths.
func (q *Queue) AddNoSooner(slug, path string, wait time.Duration) {
	q.AddLater(slug, path, max(wait, q.quiet))
}

// AddLater queues a path that is due after the wait. It does not delay the agent's other paths.
func (q *Queue) AddLater(slug, path string, wait time.Duration) {
	path = agents.SafePath(path)
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.later[slug] == nil {
		q.later[slug] = map[string]time.Time{}
	}
	q.later[slug][path] = time.Now().Add(wait)
	q.signal()
}

// takeLater moves due paths from later to waiting. It returns the time until the next path is due,
// or a negative time without one. The caller holds mu.
func (q *Queue) takeLater(now time.Time) (next time.Duration) {
	next = -1
	for slug, paths := range q.later {
		for path, due := range paths {
			if wait := due.Sub(now); wait > 0 {
				next = sooner(next, wait)
				continue
			}
			delete(paths, path)
			w := q.waiting[slug]
			if w == nil {
				w = &waiting{paths: map[string]struct{}{}, first: now, due: now}
				q.waiting[slug] = w
			}
			w.paths[path] = struct{}{}
		}
		if len(paths) == 0 {
			delete(q.later, slug)
		}
	}
	return next
}

// sooner returns the shorter of two times. A negative one means never.
func sooner(a, b time.Duration) time.Duration {
	if a < 0 || b >= 0 && b < a {
		return b
	}
	return a
}

// change records that the agent changes now: its waiting paths are due after quiet, but at most
// maxDelay after the first of them. It returns these paths, so that the caller can add one. It
// wakes the receiver of Wake if they are due earlier than before. The caller holds mu.
func (q *Queue) change(slug string, quiet time.Duration, now time.Time) *waiting {
	w := q.waiting[slug]
	isNew := w == nil
	if isNew {
		w = &waiting{paths: map[string]struct{}{}, first: now}
		q.waiting[slug] = w
	}
	due := now.Add(quiet)
	if latest := w.first.Add(max(maxDelay, quiet)); due.After(latest) {
		due = latest
	}
	if isNew || due.Before(w.due) { // otherwise Take is called at the earlier time
		q.signal()
	}
	w.due = due
	return w
}

func (q *Queue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// Wake returns a channel that receives when Take must be called before the time that it returned.
func (q *Queue) Wake() <-chan struct{} { return q.wake }

// Request is a scan that is due.
type Request struct {
	Slug  string    // empty for discovery
	Paths []string  // relative to the agent's directory; none is below another
	Since time.Time // when its first path was queued
}

// Take returns the requests that are due, and the time until the next one, which is negative
// without one. The caller must call Done for each; until then, its agent is not taken again.
func (q *Queue) Take(now time.Time) (due []Request, next time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	next = q.takeLater(now)
	for slug, w := range q.waiting {
		if q.busy[slug] {
			continue
		}
		wait := w.due.Sub(now)
		if wait <= 0 {
			delete(q.waiting, slug)
			q.busy[slug] = true
			due = append(due, Request{Slug: slug, Paths: Combine(w.paths), Since: w.first})
			continue
		}
		next = sooner(next, wait)
	}
	return due, next
}

// Done ends a request, so that Take can return its agent again.
func (q *Queue) Done(slug string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.busy, slug)
	q.signal()
}

// Pending returns the number of queued paths, plus the number of requests without a call of Done.
func (q *Queue) Pending() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := 0
	for _, w := range q.waiting {
		n += len(w.paths)
	}
	for _, paths := range q.later {
		n += len(paths)
	}
	return n + len(q.busy)
}

// PendingOf returns the number of the agent's queued paths, plus 1 if Take has returned a request
// for it and Done was not called.
func (q *Queue) PendingOf(slug string) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := len(q.later[slug])
	if w := q.waiting[slug]; w != nil {
		n += len(w.paths)
	}
	if q.busy[slug] {
		n++
	}
	return n
}

// Combine returns the paths that are not below another one, sorted. If there are more than
// MaxPaths, it replaces the paths by their directories until there are fewer, at last by ".".
func Combine(paths map[string]struct{}) []string {
	for len(paths) > MaxPaths {
		dirs := map[string]struct{}{}
		for p := range paths {
			dirs[path.Dir(p)] = struct{}{}
		}
		if len(dirs) == len(paths) {
			return []string{"."}
		}
		paths = dirs
	}
	if _, isAll := paths["."]; isAll {
		return []string{"."}
	}
	return slices.DeleteFunc(slices.Sorted(maps.Keys(paths)), func(p string) bool {
		for parent := path.Dir(p); parent != "."; parent = path.Dir(parent) {
			if _, ok := paths[parent]; ok {
				return true
			}
		}
		return false
	})
}

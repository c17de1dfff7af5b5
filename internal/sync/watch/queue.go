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

// NewQueue returns an empty queue. quiet is how long an agent must be without a call of Add before
// the paths that Add queued for it are due.
func NewQueue(quiet time.Duration) *Queue {
	return &Queue{
		quiet: quiet, waiting: map[string]*waiting{}, later: map[string]map[string]time.Time{},
		busy: map[string]bool{}, wake: make(chan struct{}, 1),
	}
}

// Add queues a path of an agent, relative to the agent's directory. All the agent's paths from Add
// become due together: after NewQueue's quiet time without a further Add. That is at most maxDelay
// after the first of them, or quiet if that is longer. An empty slug queues a discovery.
func (q *Queue) Add(slug, path string) { q.add(slug, path, q.quiet) }

// AddNow queues a path that is due at once. The paths of the agent that Add has queued are then due
// too.
func (q *Queue) AddNow(slug, path string) { q.add(slug, path, 0) }

func (q *Queue) add(slug, path string, quiet time.Duration) {
	path = agents.SafePath(path)
	q.mu.Lock()
	defer q.mu.Unlock()
	q.change(slug, quiet, time.Now()).paths[path] = struct{}{}
}

// AddNoSooner queues a path as AddLater does, but due after the quiet time of NewQueue if that is
// longer than the wait.
func (q *Queue) AddNoSooner(slug, path string, wait time.Duration) {
	q.AddLater(slug, path, max(wait, q.quiet))
}

// AddLater queues a path that is due after the wait. A further call with the same path replaces the
// time. It does not delay the paths that Add queues.
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

// takeLater moves due paths from later to waiting. If the agent has waiting paths, they become due
// with these. It returns the time until the next path of later is due, or a negative time if later
// is empty. The caller holds mu.
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

// sooner returns the shorter of two waits. A negative one means never; it returns the other then.
func sooner(a, b time.Duration) time.Duration {
	if a < 0 || b >= 0 && b < a {
		return b
	}
	return a
}

// change postpones the agent's waiting paths until quiet from now, but at most maxDelay, or quiet
// if longer, after the first of them. It returns the set of these paths, possibly new and empty, to
// which the caller must add one. If the set is new or due earlier than before, it wakes the
// receiver of Wake. The caller holds mu.
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

// Wake returns the queue's channel that receives when Take must be called earlier than its last
// result stated. Several signals may arrive as one.
func (q *Queue) Wake() <-chan struct{} { return q.wake }

// Request is a scan that is due.
type Request struct {
	Slug  string    // empty for discovery
	Paths []string  // relative to the agent's directory; none is below another
	Since time.Time // when its first path was queued
}

// Take removes the due paths and returns one request for each of their agents, with the paths
// combined by Combine. next is the time until further paths are due; it is negative without any.
// The caller must call Done for each request. Until then, the agent's further paths are not taken,
// and next ignores them.
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

// Done ends the agent's request, so that Take can return the agent again. It wakes the receiver of
// Wake.
func (q *Queue) Done(slug string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.busy, slug)
	q.signal()
}

// Pending returns the number of queued paths of all agents, plus the number of requests from Take
// that Done has not ended.
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
// for it that Done has not ended.
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

// Combine returns the paths, sorted, without those below another one. If there are more than
// MaxPaths, it replaces each by its parent directory, repeatedly, until at most MaxPaths remain.
// "." includes all paths and is then the only one.
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

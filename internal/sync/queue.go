package sync

import (
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"memoir/internal/agents"
)

// maxQuiet is how long changes may keep coming before they are looked at all the same.
const maxQuiet = time.Second

// maxScope is how many single paths one look takes; beyond it whole directories are cheaper.
const maxScope = 256

// queue gathers the paths to scan and hands them out when no more changes have come for a while.
// Keys are agents' slugs; the empty key stands for the set of agents itself.
type queue struct {
	mu      sync.Mutex
	quiet   time.Duration
	waiting map[string]*waiting
	later   map[string]map[string]time.Time // by key and path: when a path may be looked at that is left to its writer
	busy    map[string]bool
	wake    chan struct{}
}

// waiting is what is to be looked at for one key.
type waiting struct {
	scope map[string]struct{} // paths relative to the agent's directory; "." is all of it
	first time.Time
	due   time.Time
}

func newQueue(quiet time.Duration) *queue {
	return &queue{quiet: quiet, waiting: map[string]*waiting{}, later: map[string]map[string]time.Time{}, busy: map[string]bool{}, wake: make(chan struct{}, 1)}
}

// add notes that something at the path has changed now.
func (q *queue) add(key, path string) { q.addQuiet(key, path, q.quiet) }

// addNow has the path scanned at once, and with it all that waits for the key.
func (q *queue) addNow(key, path string) { q.addQuiet(key, path, 0) }

// addQuiet has the path scanned when nothing more has come for the given time.
func (q *queue) addQuiet(key, path string, quiet time.Duration) {
	path = agents.SafePath(path)
	q.mu.Lock()
	defer q.mu.Unlock()
	q.heard(key, quiet, time.Now()).scope[path] = struct{}{}
}

// addNoSooner is addLater for a path that must not be scanned before the quiet time is over either.
func (q *queue) addNoSooner(key, path string, wait time.Duration) {
	q.addLater(key, path, max(wait, q.quiet))
}

// addLater has the path scanned after the wait. Other paths of the key do not wait with it.
func (q *queue) addLater(key, path string, wait time.Duration) {
	path = agents.SafePath(path)
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.later[key] == nil {
		q.later[key] = map[string]time.Time{}
	}
	q.later[key][path] = time.Now().Add(wait)
	q.signal()
}

// takeLater moves the paths whose time has come to those that wait, and returns how long until the next; a negative time means that
// there is none. The caller holds the lock.
func (q *queue) takeLater(now time.Time) (next time.Duration) {
	next = -1
	for key, paths := range q.later {
		for path, due := range paths {
			if wait := due.Sub(now); wait > 0 {
				next = sooner(next, wait)
				continue
			}
			delete(paths, path)
			w := q.waiting[key]
			if w == nil {
				w = &waiting{scope: map[string]struct{}{}, first: now, due: now}
				q.waiting[key] = w
			}
			w.scope[path] = struct{}{}
		}
		if len(paths) == 0 {
			delete(q.later, key)
		}
	}
	return next
}

// sooner returns the shorter of two times of which a negative one means never.
func sooner(a, b time.Duration) time.Duration {
	if a < 0 || b >= 0 && b < a {
		return b
	}
	return a
}

// heard notes that something has changed now, and returns where that is to be put. The caller holds the lock.
func (q *queue) heard(key string, quiet time.Duration, now time.Time) *waiting {
	w := q.waiting[key]
	isNew := w == nil
	if isNew {
		w = &waiting{scope: map[string]struct{}{}, first: now}
		q.waiting[key] = w
	}
	due := now.Add(quiet)
	if latest := w.first.Add(max(maxQuiet, quiet)); due.After(latest) {
		due = latest
	}
	if isNew || due.Before(w.due) { // else it is looked at again when what waits has become due
		q.signal()
	}
	w.due = due
	return w
}

func (q *queue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// work is one look that has come due.
type work struct {
	key   string
	scope []string
	since time.Time // when the first of its changes was noted
}

// take returns what has come due, and how long until the next will; a negative time means that nothing waits. A key
// that is taken is not taken again before it is done.
func (q *queue) take(now time.Time) (due []work, next time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	next = q.takeLater(now)
	for key, w := range q.waiting {
		if q.busy[key] {
			continue
		}
		wait := w.due.Sub(now)
		if wait <= 0 {
			delete(q.waiting, key)
			q.busy[key] = true
			due = append(due, work{key: key, scope: outermost(narrow(w.scope)), since: w.first})
			continue
		}
		next = sooner(next, wait)
	}
	return due, next
}

// done lets the key be taken again.
func (q *queue) done(key string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.busy, key)
	q.signal()
}

// pending counts the paths that wait to be looked at.
func (q *queue) pending() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := 0
	for _, w := range q.waiting {
		n += len(w.scope)
	}
	for _, paths := range q.later {
		n += len(paths)
	}
	return n + len(q.busy)
}

// pendingOf counts the paths of one key that wait to be looked at.
func (q *queue) pendingOf(key string) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := len(q.later[key])
	if w := q.waiting[key]; w != nil {
		n += len(w.scope)
	}
	if q.busy[key] {
		n++
	}
	return n
}

// narrow puts directories in place of very many paths.
func narrow(scope map[string]struct{}) map[string]struct{} {
	if len(scope) <= maxScope {
		return scope
	}
	dirs := map[string]struct{}{}
	for p := range scope {
		dirs[path.Dir(p)] = struct{}{}
	}
	if len(dirs) < len(scope) {
		return narrow(dirs)
	}
	return map[string]struct{}{".": {}}
}

// outermost returns the paths that lie below no other of them.
func outermost(scope map[string]struct{}) []string {
	if _, all := scope["."]; all {
		return []string{"."}
	}
	paths := slices.Sorted(maps.Keys(scope))
	return slices.DeleteFunc(paths, func(p string) bool {
		for parent := path.Dir(p); parent != "."; parent = path.Dir(parent) {
			if _, ok := scope[parent]; ok {
				return true
			}
		}
		return false
	})
}

// under says whether the path is the directory or lies below it.
func under(p, dir string) bool { return dir == "." || p == dir || strings.HasPrefix(p, dir+"/") }

// isIn says whether the path is in the scope of a look.
func isIn(scope []string, p string) bool {
	return slices.ContainsFunc(scope, func(dir string) bool { return under(p, dir) })
}

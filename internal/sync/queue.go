package sync

import (
	"path"
	"slices"
	"strings"
	"sync"
	"time"
)

// maxQuiet is how long changes may keep coming before they are looked at all the same.
const maxQuiet = time.Second

// maxScope is how many single paths one look takes; beyond it whole directories are cheaper.
const maxScope = 256

// queue gathers what has changed until it has been quiet for a while. Keys are agents' slugs; the empty key stands for
// the set of agents itself.
type queue struct {
	mu      sync.Mutex
	quiet   time.Duration
	waiting map[string]*waiting
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
	return &queue{quiet: quiet, waiting: map[string]*waiting{}, busy: map[string]bool{}, wake: make(chan struct{}, 1)}
}

// add notes that something at the path has changed now.
func (q *queue) add(key, path string) { q.addAfter(key, path, q.quiet) }

// addAfter notes that the path is to be looked at when nothing more has come for the given time.
func (q *queue) addAfter(key, path string, quiet time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := time.Now()
	w := q.waiting[key]
	if w == nil {
		w = &waiting{scope: map[string]struct{}{}, first: now}
		q.waiting[key] = w
	}
	w.scope[path] = struct{}{}
	w.due = now.Add(quiet)
	if latest := w.first.Add(max(maxQuiet, quiet)); w.due.After(latest) {
		w.due = latest
	}
	q.signal()
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
	next = -1
	for key, w := range q.waiting {
		if q.busy[key] {
			continue
		}
		if wait := w.due.Sub(now); wait > 0 {
			if next < 0 || wait < next {
				next = wait
			}
			continue
		}
		delete(q.waiting, key)
		q.busy[key] = true
		due = append(due, work{key, narrow(w.scope), w.first})
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
	return n + len(q.busy)
}

// pendingOf counts the paths of one key that wait to be looked at.
func (q *queue) pendingOf(key string) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := 0
	if w := q.waiting[key]; w != nil {
		n = len(w.scope)
	}
	if q.busy[key] {
		n++
	}
	return n
}

// narrow returns the scope without paths that lie below others, and with directories in place of very many paths.
func narrow(scope map[string]struct{}) []string {
	if _, all := scope["."]; all {
		return []string{"."}
	}
	if len(scope) > maxScope {
		dirs := map[string]struct{}{}
		for p := range scope {
			dirs[path.Dir(p)] = struct{}{}
		}
		if len(dirs) < len(scope) {
			return narrow(dirs)
		}
		return []string{"."}
	}
	paths := make([]string, 0, len(scope))
	for p := range scope {
		paths = append(paths, p)
	}
	slices.Sort(paths)
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

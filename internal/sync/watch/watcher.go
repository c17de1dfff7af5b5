// Package watch finds the paths of agents that may have changed on disk.
//
// It owns the system's notifier, the watched directories, polling where the system sends no events,
// the root directories, and the queue of paths to scan. The empty slug means the set of agents: its
// only path is ".", and its scan is discovery.
//
// It uses no database and reads no memory. A queued path is only a hint that a scan may find
// something; the next full scan finds what events missed. internal/sync calls it.
package watch

import (
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
)

// Watcher converts file system events into paths to scan. Its methods are safe for concurrent use.
type Watcher struct {
	open         func() (Notifier, error) // nil if everything is polled
	queue        *Queue
	scanAll      func()
	log          *slog.Logger
	overflows    atomic.Int64
	pollInterval atomic.Int64 // the pause after the last round, in nanoseconds; 0 before it
	reading      sync.WaitGroup

	mu        sync.Mutex
	notifier  Notifier // nil if opening it failed, or if everything is polled
	openError error
	isClosed  bool
	watches   watches
	refused   map[string]struct{} // directories without a watch, because the system refused one
	refusal   error               // the last refusal's error
	// dirChanges is the set of agents whose directories appeared or disappeared, by slug.
	dirChanges map[string]struct{}
}

// New returns a watcher that watches nothing yet and adds paths to the queue. notify opens the
// source of events; if it is nil, everything is polled. If notify fails, everything is polled, and
// Poll calls notify again. scanAll is called after events were lost, and must request a scan of
// every agent. The caller must close the watcher and run Poll.
func New(notify func() (Notifier, error), queue *Queue, scanAll func(), log *slog.Logger) *Watcher {
	w := &Watcher{
		open: notify, queue: queue, scanAll: scanAll, log: log,
		watches: newWatches(), refused: map[string]struct{}{}, dirChanges: map[string]struct{}{},
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.connect()
	return w
}

// connect opens a notifier and starts to read it. If that fails, it records the error, and logs it
// unless the previous attempt failed too. It does nothing if everything is polled by request, or
// the watcher is closed. The caller holds mu.
func (w *Watcher) connect() {
	if w.open == nil || w.isClosed {
		return
	}
	notifier, err := w.open()
	if err != nil {
		if w.openError == nil {
			w.log.Warn("file events not available, polling instead", "error", err)
		}
		w.openError = err
		return
	}
	w.notifier, w.openError = notifier, nil
	w.reading.Go(func() {
		for event := range notifier.Events() {
			w.handle(event)
		}
	})
	// This goroutine does not take mu: while fsnotify reports an error it may block Add, whose
	// caller holds mu.
	w.reading.Go(func() {
		for err := range notifier.Errors() {
			w.handleError(err)
		}
	})
}

// Close stops the notifier, waits until the last event has been handled, and returns the notifier's
// error. It does not stop Poll.
func (w *Watcher) Close() error {
	w.mu.Lock()
	w.isClosed = true
	notifier := w.notifier
	w.mu.Unlock()
	if notifier == nil {
		return nil
	}
	err := notifier.Close()
	w.reading.Wait()
	return err
}

// WatchForAgents watches a directory where agents may appear, until Only ends that. A directory
// that appears or disappears directly inside queues a discovery. A missing directory is ignored.
func (w *Watcher) WatchForAgents(dir string) { w.watch(dir, reason{rel: "."}) }

// Watch watches a directory of an agent, but not those below it, until Only ends that. Changes
// queue the changed paths. rel is dir's path relative to the agent's directory. A missing dir is
// ignored, and a refused watch is polled.
func (w *Watcher) Watch(slug, dir, rel string) { w.watch(dir, reason{slug: slug, rel: rel}) }

// WatchTarget watches the target file of an agent's link, until Only ends that. Each change of the
// file queues rel, the link's path relative to the agent's directory.
func (w *Watcher) WatchTarget(slug, file, rel string) {
	w.watch(filepath.Dir(file), reason{slug: slug, rel: rel, target: filepath.Base(file)})
}

// watch adds r to the reasons to watch dir, and arms dir. If dir was not watched or is another
// directory now, watch records that for TakeDirChanges, and queues r's path if r has a target. It
// does nothing if everything is polled by request.
func (w *Watcher) watch(dir string, r reason) {
	if w.open == nil {
		return
	}
	os.Stat(dir) //nolint:errcheck // if the disk hangs, it hangs here without mu; arm stats again
	w.mu.Lock()
	defer w.mu.Unlock()
	d := w.watches.add(dir, r)
	if w.arm(dir, d) {
		w.dirChanges[r.slug] = struct{}{}
		if r.target != "" { // the file was read before it was watched
			w.queue.Add(r.slug, r.rel)
		}
	}
}

// Only ends the watches of an agent for all directories that are not among dirs. A directory that
// another agent needs stays watched for that one. With an empty slug, it applies to WatchForAgents.
func (w *Watcher) Only(slug string, dirs []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, dir := range w.watches.except(slug, dirs) {
		d := w.watches.dirs[dir]
		if w.watches.removeReasons(dir, slug); len(d.reasons) == 0 {
			w.remove(dir, d)
		}
	}
}

// TakeDirChanges reports whether directories of the agent were watched for the first time, replaced
// or removed since the last call. It then forgets these changes.
func (w *Watcher) TakeDirChanges(slug string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, has := w.dirChanges[slug]
	delete(w.dirChanges, slug)
	return has
}

// Overflows returns how many times the watcher has lost events since it was created.
func (w *Watcher) Overflows() int { return int(w.overflows.Load()) }

// Package watch finds the paths of agents that may have changed on disk.
//
// It owns the system's notifier, the watched directories, polling where the system reports no
// events, the roots on which all directories depend, and the queue of paths to scan. The empty slug
// stands for the set of agents: its only path is ".", and scanning it means discovery.
//
// It decides nothing, asks no database and reads no memory: a queued path is only a hint that a
// scan may find something, and the next full scan finds what it missed. internal/sync calls it.
package watch

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"

	"memoir/internal/agents"
)

// The values of Mode.
const (
	EventMode = "watch" // the system reports every change
	PollMode  = "poll"  // some or all directories are polled
)

// Options configures a Watcher.
type Options struct {
	// Notify opens the source of events. If it is nil, everything is polled.
	Notify func() (Notifier, error)
	// Queue receives the paths to scan.
	Queue *Queue
	// ScanAll is called after events were lost. It requests a scan of every agent.
	ScanAll func()
	Log     *slog.Logger
}

// Watcher converts file system events into paths to scan. Its methods are safe for concurrent use.
type Watcher struct {
	open         func() (Notifier, error)
	queue        *Queue
	scanAll      func()
	log          *slog.Logger
	overflows    atomic.Int64
	pollInterval atomic.Int64 // of the last round, in nanoseconds
	reading      sync.WaitGroup

	mu        sync.Mutex
	notifier  Notifier // nil if opening it failed, or if everything is polled
	openError error
	isClosed  bool
	watches   watches
	refused   map[string]struct{} // directories without a watch, because the system has no more
	refusal   error               // the last one
	// dirChanges is the set of agents whose directories appeared or disappeared, by slug.
	dirChanges map[string]struct{}
}

// New returns a watcher that watches nothing yet. The caller must close it. If no notifier can be
// opened, the watcher polls and retries.
func New(options Options) *Watcher {
	w := &Watcher{
		open: options.Notify, queue: options.Queue, scanAll: options.ScanAll, log: options.Log,
		watches: newWatches(), refused: map[string]struct{}{}, dirChanges: map[string]struct{}{},
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.connect()
	return w
}

// connect opens a notifier and starts to read it. The caller holds mu.
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

// Close stops the notifier and waits until the last event has been handled.
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

// WatchForAgents watches a directory where agents may appear.
func (w *Watcher) WatchForAgents(dir string) { w.watch(dir, reason{rel: "."}) }

// Watch watches a directory of an agent. rel is its path relative to the agent's directory.
func (w *Watcher) Watch(slug, dir, rel string) { w.watch(dir, reason{slug: slug, rel: rel}) }

// WatchTarget watches the file that an agent's link leads to. rel is the link's path relative to
// the agent's directory; changes of the file queue it.
func (w *Watcher) WatchTarget(slug, file, rel string) {
	w.watch(filepath.Dir(file), reason{slug: slug, rel: rel, target: filepath.Base(file)})
}

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

// arm watches the directory that is at the path now, and reports whether it is another one than
// before. The caller holds mu.
func (w *Watcher) arm(dir string, d *watchedDir) (isNew bool) {
	info, err := os.Stat(dir)
	if err != nil {
		w.forget(dir)
		return false
	}
	if now := identityOf(dir, info); now != d.identity {
		isNew = true
		w.disarm(dir, d)
		w.watches.setIdentity(dir, d, now)
	}
	for _, other := range w.watches.otherPaths(d.identity, dir) {
		// The system names a directory by one path, which must be its present one.
		if info, err := os.Stat(other); err != nil || identityOf(other, info) != d.identity {
			w.disarm(other, w.watches.dirs[other])
		}
	}
	if w.notifier == nil {
		return isNew
	}
	err = w.notifier.Add(w.watches.armedPath(d.identity))
	switch {
	case isRefusal(err):
		w.refuse(dir, err)
	case err == nil, errors.Is(err, os.ErrPermission): // a change of its mode is an event
		delete(w.refused, dir)
	default:
		w.forget(dir)
	}
	return isNew
}

// disarm removes the path's watch. If another path leads to the same directory, that one is watched
// instead. The caller holds mu.
func (w *Watcher) disarm(dir string, d *watchedDir) {
	identity := d.identity
	wasArmed := w.watches.armedPath(identity) == dir
	w.watches.clearIdentity(dir, d)
	if w.notifier == nil || identity == (dirIdentity{}) || !wasArmed {
		return
	}
	w.notifier.Remove(dir) //nolint:errcheck // the system may have removed it
	if other := w.watches.armedPath(identity); other != "" {
		w.queueReasons(other) // changes between the two watches cause no event
		if err := w.notifier.Add(other); isRefusal(err) {
			w.refuse(other, err)
		}
	}
}

// isRefusal reports whether the system has no more watches or notifiers.
func isRefusal(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EMFILE)
}

func (w *Watcher) refuse(dir string, err error) {
	if len(w.refused) == 0 {
		w.log.Warn("no more watches available, polling directories without one", "dir", dir, "error", err)
	}
	w.refused[dir], w.refusal = struct{}{}, err
}

// forget stops watching a directory and those below it. The caller holds mu.
func (w *Watcher) forget(dir string) {
	for _, child := range w.watches.children(dir) {
		w.forget(child)
	}
	if d := w.watches.dirs[dir]; d != nil {
		w.remove(dir, d)
	}
}

// remove stops watching a directory. The caller holds mu.
func (w *Watcher) remove(dir string, d *watchedDir) {
	w.disarm(dir, d)
	w.watches.remove(dir)
	delete(w.refused, dir)
}

// Only stops watching an agent's directories that are not among dirs. With an empty slug, it
// applies to the directories where agents may appear.
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

// TakeDirChanges reports whether watched directories of the agent have appeared or disappeared
// since the last call.
func (w *Watcher) TakeDirChanges(slug string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, has := w.dirChanges[slug]
	delete(w.dirChanges, slug)
	return has
}

// rearm retries refused watches until the system refuses one again, and queues those that succeed.
func (w *Watcher) rearm() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.notifier == nil {
		if w.connect(); w.notifier == nil {
			return
		}
		for dir := range w.watches.dirs {
			w.refused[dir] = struct{}{}
		}
	}
	for dir := range w.refused {
		w.queueReasons(dir)
		w.arm(dir, w.watches.dirs[dir])
		if _, again := w.refused[dir]; again {
			return
		}
	}
}

// pollSet is the set of agents to poll, by slug.
type pollSet struct {
	all   bool
	slugs map[string]struct{}
}

func (s pollSet) includes(slug string) bool {
	_, is := s.slugs[slug]
	return s.all || is
}

// pollSet returns the agents with a directory that is not watched.
func (w *Watcher) pollSet() pollSet {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := pollSet{all: w.notifier == nil, slugs: map[string]struct{}{}}
	for dir := range w.refused {
		for _, r := range w.watches.dirs[dir].reasons {
			s.slugs[r.slug] = struct{}{}
		}
	}
	return s
}

// Overflows returns how many times events were lost.
func (w *Watcher) Overflows() int { return int(w.overflows.Load()) }

// Mode returns how changes are noticed, and for PollMode a note with the reason. noEvents has the
// directories without events, by slug.
func (w *Watcher) Mode(noEvents map[string]string) (mode, note string) {
	reason := w.pollReason(noEvents)
	if reason == "" {
		return EventMode, ""
	}
	interval := max(time.Duration(w.pollInterval.Load()), minPollInterval)
	return PollMode, fmt.Sprintf("%s; Memoir looks by itself every %v instead", reason, interval.Round(time.Second))
}

// pollReason returns why something is polled, or "" if nothing is.
func (w *Watcher) pollReason(noEvents map[string]string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.open == nil:
		return "the settings ask for it (--watch=poll)"
	case w.openError != nil:
		return fmt.Sprintf("the system lets no further program watch files (%v); raise fs.inotify.max_user_instances, or the number of files that may be open",
			errnoOf(w.openError))
	case len(w.refused) > 0:
		all := len(w.watches.dirs)
		return fmt.Sprintf("the system lets %d of %d directories be watched (%v); raise fs.inotify.max_user_watches, or the number of files that may be open",
			all-len(w.refused), all, errnoOf(w.refusal))
	case len(noEvents) > 0:
		return fmt.Sprintf("the file system of %s does not say what changes", slices.Min(slices.Collect(maps.Values(noEvents))))
	}
	return ""
}

// errnoOf returns the system's error without the texts that wrap it.
func errnoOf(err error) error {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno
	}
	return err
}

// queueReasons queues the paths for which the directory is watched. The caller holds mu.
func (w *Watcher) queueReasons(dir string) {
	for _, r := range w.watches.dirs[dir].reasons {
		w.queue.Add(r.slug, r.rel)
	}
}

func (w *Watcher) handleError(err error) {
	if !errors.Is(err, fsnotify.ErrEventOverflow) {
		w.log.Warn("watching failed, scanning everything", "error", err)
	}
	w.overflows.Add(1)
	w.scanAll()
}

// handle queues the paths that an event concerns.
func (w *Watcher) handle(event fsnotify.Event) {
	name := filepath.Base(event.Name)
	if strings.HasPrefix(name, ".memoir-") {
		return
	}
	isCreatedDir := event.Has(fsnotify.Create) && mayBeDirectory(event.Name)

	w.mu.Lock()
	defer w.mu.Unlock()
	self := w.watches.dirs[event.Name]
	isRemoved := event.Has(fsnotify.Remove | fsnotify.Rename)
	switch {
	case self != nil && isRemoved:
		w.handleRemoved(event.Name, self)
	case self != nil: // it has become readable, or another directory has replaced it
		w.queueReasons(event.Name)
	}
	if strings.HasPrefix(name, ".") {
		return
	}
	mayBeDir := isCreatedDir || isRemoved
	for _, r := range w.watches.reasonsFor(filepath.Dir(event.Name)) {
		switch {
		case r.target != "":
			if r.target == name {
				w.queue.Add(r.slug, r.rel)
			}
		case r.slug == "":
			if mayBeDir {
				w.queue.Add("", ".")
			}
		case !mayBeDir && !isMarkdown(name) && !agents.IsOther(name):
		default:
			w.queue.Add(r.slug, path.Join(r.rel, name))
		}
	}
}

// handleRemoved forgets a removed directory under all its paths, so that the next scan watches the
// one that replaces it. The caller holds mu.
func (w *Watcher) handleRemoved(dir string, d *watchedDir) {
	paths := append(w.watches.otherPaths(d.identity, dir), dir)
	for _, p := range paths {
		for _, r := range w.watches.dirs[p].reasons {
			w.queue.Add(r.slug, r.rel)
			w.dirChanges[r.slug] = struct{}{}
		}
		w.forget(p)
	}
}

func isMarkdown(name string) bool { return strings.EqualFold(filepath.Ext(name), ".md") }

// mayBeDirectory reports whether the path is a directory, or is missing and may have been one.
func mayBeDirectory(p string) bool {
	info, err := os.Stat(p)
	return err != nil || info.IsDir()
}

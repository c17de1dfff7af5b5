package watch

import (
	"errors"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/fsnotify/fsnotify"

	"memoir/internal/agents"
)

// notifierBuffer is the number of events that may wait in the process. It equals the kernel's
// default (fs.inotify.max_queued_events), so that bursts have twice the room.
const notifierBuffer = 1 << 14

// Notifier reports changes directly inside directories, not deeper. Tests replace the system's
// notifier, for example to refuse watches or lose events.
type Notifier interface {
	// Add watches a directory. If the path is watched already, Add watches the directory that is there
	// now. It returns ENOSPC or EMFILE if the system has run out of watches.
	Add(dir string) error
	// Remove removes the watch of a directory.
	Remove(dir string) error
	// Events and Errors return channels that must be read all the time and independently. Close closes
	// both.
	Events() <-chan fsnotify.Event
	Errors() <-chan error
	// Close removes all watches.
	Close() error
}

// OpenNotifier returns the system's notifier, which the caller must close. It returns an error that
// wraps EMFILE if the system has run out of notifiers.
func OpenNotifier() (Notifier, error) {
	w, err := fsnotify.NewBufferedWatcher(notifierBuffer)
	if err != nil {
		return nil, err
	}
	return systemNotifier{w}, nil
}

type systemNotifier struct{ *fsnotify.Watcher }

func (n systemNotifier) Events() <-chan fsnotify.Event { return n.Watcher.Events }
func (n systemNotifier) Errors() <-chan error          { return n.Watcher.Errors }

// queueReasons queues the path of each reason to watch the directory, which must be watched. The
// caller holds mu.
func (w *Watcher) queueReasons(dir string) {
	for _, r := range w.watches.dirs[dir].reasons {
		w.queue.Add(r.slug, r.rel)
	}
}

// handleError counts a loss of events in Overflows, and calls scanAll to request a scan of every
// agent. It logs the error unless it is an overflow of the system's buffer.
func (w *Watcher) handleError(err error) {
	if !errors.Is(err, fsnotify.ErrEventOverflow) {
		w.log.Warn("watching failed, scanning everything", "error", err)
	}
	w.overflows.Add(1)
	w.scanAll()
}

// handle queues the paths of agents that an event may have changed. These are Markdown files, other
// files that may be text, directories, and links to a changed file. It queues a discovery if an
// agent's directory may have appeared or disappeared. It stops watching a removed directory. It
// ignores hidden files, and Memoir's temporary files are hidden.
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
		case !mayBeDir && !strings.EqualFold(filepath.Ext(name), ".md") && !agents.IsOther(name): // no memory
		default:
			w.queue.Add(r.slug, path.Join(r.rel, name))
		}
	}
}

// handleRemoved queues the path of each reason to watch a removed directory, and records the change
// for TakeDirChanges. It forgets the directory under all its paths, so that the next scan watches
// the one that replaces it. The caller holds mu.
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

// mayBeDirectory reports whether the path is a directory, or cannot be examined and may have been
// one.
func mayBeDirectory(p string) bool {
	info, err := os.Stat(p)
	return err != nil || info.IsDir()
}

package sync

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"github.com/fsnotify/fsnotify"
)

// watcher turns the file system's events into paths to look at. It decides nothing: an event is a hint that a look
// may be worth while, and a lost one is made good by the next scan.
type watcher struct {
	fs    *fsnotify.Watcher
	queue *queue
	log   *slog.Logger

	mu        sync.Mutex
	dirs      map[string]*watched // by absolute path
	overflows int
	// full says that the system has no more watches to give, so that looking again and again must do.
	full bool
}

// watched is why a directory is watched.
type watched struct {
	discovery bool              // agents may appear in it
	agents    map[string]string // the path of the directory within the agents that it belongs to, by slug
}

func newWatcher(q *queue, log *slog.Logger) (*watcher, error) {
	fs, err := fsnotify.NewBufferedWatcher(1 << 14)
	if err != nil {
		return nil, err
	}
	return &watcher{fs: fs, queue: q, log: log, dirs: map[string]*watched{}}, nil
}

// watchForAgents watches a directory in which agents may appear.
func (w *watcher) watchForAgents(dir string) {
	w.watch(dir, func(d *watched) { d.discovery = true })
}

// watchAgent watches a directory of an agent; within is its path in the agent's directory.
func (w *watcher) watchAgent(slug, dir, within string) {
	w.watch(dir, func(d *watched) { d.agents[slug] = within })
}

func (w *watcher) watch(dir string, because func(*watched)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	d := w.dirs[dir]
	if d == nil {
		d = &watched{agents: map[string]string{}}
		w.dirs[dir] = d
	}
	because(d)
	// Adding a directory again is cheap, and puts the watch on what is there now when it has been replaced.
	if err := w.fs.Add(dir); err != nil {
		delete(w.dirs, dir)
		if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EMFILE) {
			if !w.full {
				w.log.Warn("no more watches are to be had; looking every second instead", "dir", dir, "error", err)
			}
			w.full = true
		}
		return
	}
}

// run turns events into work until the watcher is closed. Events and errors are read together, or the watcher blocks.
func (w *watcher) run() {
	for {
		select {
		case event, ok := <-w.fs.Events:
			if !ok {
				return
			}
			w.note(event)
		case err, ok := <-w.fs.Errors:
			if !ok {
				return
			}
			w.noteError(err)
		}
	}
}

func (w *watcher) noteError(err error) {
	if !errors.Is(err, fsnotify.ErrEventOverflow) {
		w.log.Warn("watching failed; everything is looked at again", "error", err)
	}
	w.mu.Lock()
	w.overflows++
	slugs := map[string]struct{}{}
	for _, d := range w.dirs {
		for slug := range d.agents {
			slugs[slug] = struct{}{}
		}
	}
	w.mu.Unlock()
	w.queue.add("", ".")
	for slug := range slugs {
		w.queue.add(slug, ".")
	}
}

func (w *watcher) note(event fsnotify.Event) {
	if event.Op == fsnotify.Chmod {
		return
	}
	dir, name := filepath.Split(event.Name)
	dir = filepath.Clean(dir)
	w.mu.Lock()
	if self := w.dirs[event.Name]; self != nil && event.Has(fsnotify.Remove|fsnotify.Rename) {
		w.lost(event.Name, self)
	}
	d := w.dirs[dir]
	var discovery bool
	agents := map[string]string{}
	if d != nil {
		discovery = d.discovery
		for slug, within := range d.agents {
			agents[slug] = filepath.ToSlash(filepath.Join(within, name))
		}
	}
	w.mu.Unlock()

	appearance := event.Has(fsnotify.Create | fsnotify.Remove | fsnotify.Rename)
	if strings.HasPrefix(name, ".memoir-") || !discovery && strings.HasPrefix(name, ".") {
		return
	}
	directory := appearance && mayBeDirectory(event)
	if discovery && directory {
		w.queue.add("", ".")
	}
	if isMarkdown(name) || directory {
		for slug, within := range agents {
			w.queue.add(slug, within)
		}
	}
}

// lost forgets a directory that is gone, and everything below it, so that it is watched anew when it is back. The
// caller holds the lock.
func (w *watcher) lost(dir string, d *watched) {
	for slug, within := range d.agents {
		w.queue.add(slug, within)
	}
	if d.discovery {
		w.queue.add("", ".")
	}
	for other := range w.dirs {
		if other == dir || strings.HasPrefix(other, dir+string(filepath.Separator)) {
			delete(w.dirs, other)
			w.fs.Remove(other) //nolint:errcheck // it may have gone by itself
		}
	}
}

func isMarkdown(name string) bool { return strings.EqualFold(filepath.Ext(name), ".md") }

// mayBeDirectory tells files that are of no interest from what may be a directory; what is gone may have been one.
func mayBeDirectory(event fsnotify.Event) bool {
	if !event.Has(fsnotify.Create) {
		return true
	}
	info, err := os.Stat(event.Name)
	return err != nil || info.IsDir()
}

func (w *watcher) state() (overflows int, full bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.overflows, w.full
}

func (w *watcher) close() error { return w.fs.Close() }

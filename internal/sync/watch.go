package sync

import (
	"errors"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/fsnotify/fsnotify"

	"memoir/internal/agents"
)

// watcher turns the file system's events into paths to look at. It decides nothing: an event is a hint that a look
// may be worth while, and a lost one is made good by the next scan.
type watcher struct {
	open      func() (Notifier, error) // nil: events are not wanted
	queue     *queue
	lookAtAll func() // has everything looked at; it takes no lock of the watcher's
	log       *slog.Logger
	overflows atomic.Int64
	reading   sync.WaitGroup

	mu       sync.Mutex
	notifier Notifier // nil: there is none to be had, or none is wanted
	unopened error    // why there is none to be had
	closed   bool
	watches  watches
	refused  map[string]struct{} // directories that the system has no watch for
	refusal  error               // the last of them
	// unsettled are the agents of which directories have come or gone since it was last asked for.
	unsettled map[string]struct{}
}

func newWatcher(open func() (Notifier, error), q *queue, lookAtAll func(), log *slog.Logger) *watcher {
	w := &watcher{
		open: open, queue: q, lookAtAll: lookAtAll, log: log, watches: newWatches(), refused: map[string]struct{}{},
		unsettled: map[string]struct{}{},
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.connect()
	return w
}

// connect asks the system for a notifier and reads it. The caller holds the lock.
func (w *watcher) connect() {
	if w.open == nil || w.closed {
		return
	}
	notifier, err := w.open()
	if err != nil {
		if w.unopened == nil {
			w.log.Warn("the system does not say what changes; looking again and again instead", "error", err)
		}
		w.unopened = err
		return
	}
	w.notifier, w.unopened = notifier, nil
	w.reading.Go(func() {
		for event := range notifier.Events() {
			w.note(event)
		}
	})
	// Errors are read by a goroutine that takes no lock: fsnotify may report one while it keeps everybody else waiting,
	// those who add a watch and hold the lock here among them.
	w.reading.Go(func() {
		for err := range notifier.Errors() {
			w.noteError(err)
		}
	})
}

// close ends the watching and waits until the last event has been noted.
func (w *watcher) close() error {
	w.mu.Lock()
	w.closed = true
	notifier := w.notifier
	w.mu.Unlock()
	if notifier == nil {
		return nil
	}
	err := notifier.Close()
	w.reading.Wait()
	return err
}

// watchForAgents watches a directory in which agents may appear.
func (w *watcher) watchForAgents(dir string) { w.watch(dir, reason{within: "."}) }

// watchAgent watches a directory of an agent; within is its path in the agent's directory.
func (w *watcher) watchAgent(slug, dir, within string) {
	w.watch(dir, reason{slug: slug, within: within})
}

// watchTarget watches the file that a link of an agent leads to; within is the link's path in the agent's directory.
func (w *watcher) watchTarget(slug, file, within string) {
	w.watch(filepath.Dir(file), reason{slug: slug, within: within, target: filepath.Base(file)})
}

func (w *watcher) watch(dir string, because reason) {
	if w.open == nil {
		return
	}
	// A disk that hangs does so here, and not while events wait for the lock.
	os.Stat(dir) //nolint:errcheck // arm asks again
	w.mu.Lock()
	defer w.mu.Unlock()
	d := w.watches.enter(dir, because)
	if w.arm(dir, d) {
		w.unsettled[because.slug] = struct{}{}
		if because.target != "" { // it was read before it was watched
			w.queue.add(because.slug, because.within)
		}
	}
}

// arm puts the watch on the directory that stands at the path now, and says whether that is another one than before.
// The caller holds the lock.
func (w *watcher) arm(dir string, d *watched) (another bool) {
	info, err := os.Stat(dir)
	if err != nil {
		w.forget(dir)
		return false
	}
	if now := placeOf(dir, info); now != d.place {
		another = true
		w.disarm(dir, d)
		w.watches.put(dir, d, now)
	}
	for _, other := range w.watches.othersAt(d.place, dir) {
		// The system knows a directory by one path. One that has moved is to be known by where it is now.
		if info, err := os.Stat(other); err != nil || placeOf(other, info) != d.place {
			w.disarm(other, w.watches.dirs[other])
		}
	}
	if w.notifier == nil {
		return another
	}
	err = w.notifier.Add(w.watches.knownAs(d.place))
	switch {
	case isRefusal(err):
		w.refuse(dir, err)
	case err == nil, errors.Is(err, os.ErrPermission): // the latter is heard of again when its mode changes
		delete(w.refused, dir)
	default:
		w.forget(dir)
	}
	return another
}

// disarm gives the path's watch back, unless another path leads to the same directory. The caller holds the lock.
func (w *watcher) disarm(dir string, d *watched) {
	place := d.place
	wasKnown := w.watches.knownAs(place) == dir
	w.watches.lift(dir, d)
	if w.notifier == nil || place == (watchedPlace{}) || !wasKnown {
		return
	}
	w.notifier.Remove(dir) //nolint:errcheck // it may have gone by itself
	// What happens between the two watches nobody is told of.
	if other := w.watches.knownAs(place); other != "" {
		w.hint(other)
		if err := w.notifier.Add(other); isRefusal(err) {
			w.refuse(other, err)
		}
	}
}

// isRefusal reports whether an error says that there are no more watches or notifiers to be had.
func isRefusal(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EMFILE)
}

func (w *watcher) refuse(dir string, err error) {
	if len(w.refused) == 0 {
		w.log.Warn("no more watches are to be had; directories without one are looked at again and again instead", "dir", dir, "error", err)
	}
	w.refused[dir], w.refusal = struct{}{}, err
}

// forget gives up a directory and all that is watched below it. The caller holds the lock.
func (w *watcher) forget(dir string) {
	for _, below := range w.watches.below(dir) {
		w.forget(below)
	}
	if d := w.watches.dirs[dir]; d != nil {
		w.disarm(dir, d)
		w.watches.leave(dir)
		delete(w.refused, dir)
	}
}

// only gives back what is watched for the agent and is not among the directories any more; the empty slug stands for
// those in which agents may appear.
func (w *watcher) only(slug string, dirs []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, dir := range w.watches.without(slug, dirs) {
		d := w.watches.dirs[dir]
		if w.watches.withdraw(dir, slug); len(d.because) == 0 {
			w.disarm(dir, d)
			w.watches.leave(dir)
			delete(w.refused, dir)
		}
	}
}

// takeUnsettled says whether directories of the agent have come or gone since it was last asked.
func (w *watcher) takeUnsettled(slug string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, is := w.unsettled[slug]
	delete(w.unsettled, slug)
	return is
}

// rearm tries again what the system has refused, up to the next refusal, and has looked at what is watched now.
func (w *watcher) rearm() {
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
		w.hint(dir)
		w.arm(dir, w.watches.dirs[dir])
		if _, again := w.refused[dir]; again {
			return
		}
	}
}

// unwatched says of which agents not every directory is watched.
func (w *watcher) unwatched() unwatched {
	w.mu.Lock()
	defer w.mu.Unlock()
	u := unwatched{all: w.notifier == nil, slugs: map[string]struct{}{}}
	for dir := range w.refused {
		for _, r := range w.watches.dirs[dir].because {
			u.slugs[r.slug] = struct{}{}
		}
	}
	return u
}

// reach is how far the watching goes.
type reach struct {
	watched, refused int   // directories
	refusal          error // the last
	unopened         error // why nothing can be watched at all
}

func (w *watcher) reach() reach {
	w.mu.Lock()
	defer w.mu.Unlock()
	return reach{len(w.watches.dirs) - len(w.refused), len(w.refused), w.refusal, w.unopened}
}

// hint has looked at what the directory is watched for. The caller holds the lock.
func (w *watcher) hint(dir string) {
	for _, r := range w.watches.dirs[dir].because {
		w.queue.add(r.slug, r.within)
	}
}

func (w *watcher) noteError(err error) {
	if !errors.Is(err, fsnotify.ErrEventOverflow) {
		w.log.Warn("watching failed; everything is looked at again", "error", err)
	}
	w.overflows.Add(1)
	w.lookAtAll()
}

// note makes of an event what is to be looked at.
func (w *watcher) note(event fsnotify.Event) {
	name := filepath.Base(event.Name)
	if strings.HasPrefix(name, ".memoir-") {
		return
	}
	isDirectory := event.Has(fsnotify.Create) && leadsToDirectory(event.Name)

	w.mu.Lock()
	defer w.mu.Unlock()
	self := w.watches.dirs[event.Name]
	switch {
	case self != nil && event.Has(fsnotify.Remove|fsnotify.Rename):
		w.lost(event.Name, self)
	case self != nil: // it has become readable, or what stands there has been replaced
		w.hint(event.Name)
	}
	if strings.HasPrefix(name, ".") {
		return
	}
	// What is gone may have been a directory.
	gone := event.Has(fsnotify.Remove | fsnotify.Rename)
	directory := isDirectory || gone
	for _, r := range w.watches.reasonsAt(filepath.Dir(event.Name)) {
		switch {
		case r.target != "":
			if r.target == name {
				w.queue.add(r.slug, r.within)
			}
		case r.slug == "":
			if directory {
				w.queue.add("", ".")
			}
		case !directory && !isMarkdown(name) && !agents.IsOther(name):
		default:
			w.queue.add(r.slug, path.Join(r.within, name))
		}
	}
}

// lost forgets a directory that is gone, by whatever path it was known, so that it is watched anew when it is back. The
// caller holds the lock.
func (w *watcher) lost(dir string, d *watched) {
	paths := append(w.watches.othersAt(d.place, dir), dir)
	for _, p := range paths {
		for _, r := range w.watches.dirs[p].because {
			w.queue.add(r.slug, r.within)
			w.unsettled[r.slug] = struct{}{}
		}
		w.forget(p)
	}
}

func isMarkdown(name string) bool { return strings.EqualFold(filepath.Ext(name), ".md") }

// leadsToDirectory tells files that are of no interest from directories, and from what is gone already and may have been one.
func leadsToDirectory(p string) bool {
	info, err := os.Stat(p)
	return err != nil || info.IsDir()
}

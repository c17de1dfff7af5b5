package watch

import (
	"errors"
	"os"
	"syscall"
)

// arm asks the notifier to watch the directory that is at the path now. It reports whether that is
// another directory than the one last armed there, or the first one. If the system refuses, arm
// records the path for polling. If nothing is there or it cannot be watched, arm forgets the path
// and those below it. The caller holds mu.
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

// disarm removes the path's watch from the notifier. If another path leads to the same directory,
// disarm watches it there, and queues the path of each reason to do so. It keeps dir in watches.
// The caller holds mu.
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

// isRefusal reports whether err means that the system has run out of watches or notifiers, or of
// open files.
func isRefusal(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EMFILE)
}

// refuse records that the system has refused a watch for the directory, so that Poll polls the
// directory's agents. It logs the refusal unless another directory is still refused. The caller
// holds mu.
func (w *Watcher) refuse(dir string, err error) {
	if len(w.refused) == 0 {
		w.log.Warn("watches used up, polling directories without one", "dir", dir, "error", err)
	}
	w.refused[dir], w.refusal = struct{}{}, err
}

// forget stops watching a directory and the watched ones below it, and drops the reasons to watch
// them. The caller holds mu.
func (w *Watcher) forget(dir string) {
	for _, child := range w.watches.children(dir) {
		w.forget(child)
	}
	if d := w.watches.dirs[dir]; d != nil {
		w.remove(dir, d)
	}
}

// remove stops watching a directory, but not those below it, and drops the reasons to watch it. The
// caller holds mu.
func (w *Watcher) remove(dir string, d *watchedDir) {
	w.disarm(dir, d)
	w.watches.remove(dir)
	delete(w.refused, dir)
}

// rearm retries the refused watches until the system refuses one again. For each directory that it
// tries, it queues the path of each reason to watch it. Without a notifier, it first tries to open
// one; if it can, it tries all directories.
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

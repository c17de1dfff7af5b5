package sync

import "github.com/fsnotify/fsnotify"

// notifierBuffer is how many events may wait in the process: as many as the kernel keeps by default
// (fs.inotify.max_queued_events), so that a burst has twice the room before any is lost.
const notifierBuffer = 1 << 14

// Notifier tells what happens in single directories, not in those beneath them. The system's own stands behind
// fsnotify; a test puts one in its place that refuses, or loses events.
type Notifier interface {
	// Add watches a directory; once more, it watches what stands at that path now. It fails with ENOSPC or EMFILE when
	// there are no more watches to be had.
	Add(dir string) error
	// Remove gives a watch back.
	Remove(dir string) error
	// Events and Errors are to be read at all times, each without waiting for the other, until Close closes them.
	Events() <-chan fsnotify.Event
	Errors() <-chan error
	Close() error
}

// OpenNotifier returns the system's notifier. It fails with EMFILE when the system has no more of them to give.
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

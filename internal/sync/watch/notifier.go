package watch

import "github.com/fsnotify/fsnotify"

// notifierBuffer is the number of events that may wait in the process. It equals the kernel's
// default (fs.inotify.max_queued_events), so that bursts have twice the room.
const notifierBuffer = 1 << 14

// Notifier reports changes directly inside directories, not in those below them. Tests replace the
// system's one, for example to refuse watches or lose events.
type Notifier interface {
	// Add watches a directory. If the path is watched, Add watches the directory that is there now.
	// It fails with ENOSPC or EMFILE if the system has no more watches.
	Add(dir string) error
	// Remove removes a watch.
	Remove(dir string) error
	// Events and Errors must be read all the time and independently, until Close closes them.
	Events() <-chan fsnotify.Event
	Errors() <-chan error
	Close() error
}

// OpenNotifier returns the system's notifier. It fails with EMFILE if the system has no more.
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

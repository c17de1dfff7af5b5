package sync

import (
	"context"
	"sync"
	"time"
)

// meter measures how close the mirror is to the disk.
type meter struct {
	mu       sync.Mutex
	lastScan time.Time
	lastLag  time.Duration
}

func (m *meter) scanned(at time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lastScan = at
}

func (m *meter) lag(d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lastLag = d
}

// The ways of noticing changes.
const (
	WatchMode = "watch"
	PollMode  = "poll"
)

// Status is how close the mirror is to the disk.
type Status struct {
	FilesOnDisk    int           // memory files, as the last look at each directory counted them
	Mirrored       int           // of those, how many the database knows
	NeedsAttention int           // memories
	Pending        int           // paths that wait to be looked at
	WatchMode      string        // WatchMode or PollMode
	Overflows      int           // how often events were lost and everything was looked at again
	LastFullScan   time.Time     // zero: none yet
	Lag            time.Duration // from the last change to the end of the look at it
}

// Status reads the meter.
func (e *Engine) Status(ctx context.Context) (Status, error) {
	mirrored, attention, err := e.store.Mirrored(ctx)
	if err != nil {
		return Status{}, err
	}
	s := Status{Mirrored: mirrored, NeedsAttention: attention, Pending: e.queue.pending(), WatchMode: WatchMode}
	if e.polls() {
		s.WatchMode = PollMode
	}
	s.Overflows, _ = e.watcher.state()
	for _, slug := range e.slugs() {
		if a := e.known(slug); a != nil {
			s.FilesOnDisk += int(a.files.Load())
		}
	}
	e.meter.mu.Lock()
	defer e.meter.mu.Unlock()
	s.LastFullScan, s.Lag = e.meter.lastScan, e.meter.lastLag
	return s, nil
}

// polls says whether looking again and again stands in for events.
func (e *Engine) polls() bool {
	_, full := e.watcher.state()
	return full || e.eventless.Load()
}

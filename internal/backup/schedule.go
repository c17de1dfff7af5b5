package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"memoir/internal/backup/archive"
)

// maxCheck and maxRetry are the longest times between two looks at the clock, and from a failure to
// the next attempt. Arbitrary; a sleeping machine stops timers.
const maxCheck, maxRetry = time.Minute, 10 * time.Minute

// Schedule configures backups into a directory.
type Schedule struct {
	Dir   string        // absolute; created if missing
	Every time.Duration // above zero
	Keep  int           // number of backups that stay; older ones are deleted. 0 means all
	// Ready reports whether the first scan has ended. The first backup waits for that, for maxRetry at
	// most. nil means always.
	Ready func() bool
	Log   *slog.Logger
}

// Status is the state of the scheduled backups.
type Status struct {
	Dir      string
	Every    time.Duration
	LastAt   time.Time // of the newest backup; zero without one
	LastFile string    // absolute path
	LastSize int64     // bytes
	FailedAt time.Time // of the last attempt, if that failed; else zero
	Problem  string    // why it failed, for people
}

// IsOverdue reports whether a backup should have been made long ago: the newest is older than two
// intervals, or the last attempt failed.
func (s Status) IsOverdue(now time.Time) bool {
	return s.Problem != "" || !s.LastAt.IsZero() && now.Sub(s.LastAt) > 2*s.Every
}

// Scheduler makes scheduled backups until it is closed.
type Scheduler struct {
	service  *Service
	schedule Schedule
	stop     context.CancelFunc
	done     chan struct{}

	mu     sync.Mutex
	status Status
}

// Start starts scheduled backups in the background. The first is made at once if the newest in the
// directory is older than schedule.Every. The caller must close the scheduler.
func (s *Service) Start(schedule Schedule) *Scheduler {
	ctx, stop := context.WithCancel(context.Background())
	r := &Scheduler{service: s, schedule: schedule, stop: stop, done: make(chan struct{}), status: Status{Dir: schedule.Dir, Every: schedule.Every}}
	r.lookUp()
	go r.run(ctx)
	return r
}

// Close cancels a running backup and ends the schedule.
func (r *Scheduler) Close() {
	r.stop()
	<-r.done
}

// Status returns the state of the backups.
func (r *Scheduler) Status() Status {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.status
}

func (r *Scheduler) run(ctx context.Context) {
	defer close(r.done)
	began := time.Now()
	isReady := func() bool { return r.schedule.Ready == nil || r.schedule.Ready() || time.Since(began) > maxRetry }
	ticker := time.NewTicker(min(maxCheck, max(r.schedule.Every/4, time.Millisecond)))
	defer ticker.Stop()
	for {
		if r.isDue(time.Now()) && isReady() {
			r.attempt(ctx)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

func (r *Scheduler) isDue(now time.Time) bool {
	s := r.Status()
	if !s.FailedAt.IsZero() {
		return now.Sub(s.FailedAt) >= min(s.Every, maxRetry)
	}
	// A backup from the future does not stop the schedule.
	return now.Sub(s.LastAt) >= s.Every || s.LastAt.After(now.Add(time.Minute))
}

// attempt makes one backup, deletes those that are too many, and records the result.
func (r *Scheduler) attempt(ctx context.Context) {
	began := time.Now()
	manifest, err := r.save(ctx, filepath.Join(r.schedule.Dir, archive.FileName(began)))
	if ctx.Err() != nil {
		return // the server stops
	}
	if err == nil {
		err = r.prune()
	}
	if err != nil {
		r.schedule.Log.Warn("backup failed, will retry", "dir", r.schedule.Dir, "error", err)
		r.mu.Lock()
		r.status.FailedAt, r.status.Problem = time.Now(), err.Error()
		r.mu.Unlock()
		return
	}
	r.lookUp()
	r.schedule.Log.Info("backup made", "file", r.Status().LastFile, "bytes", r.Status().LastSize, "files", manifest.Files(), "left_out", len(manifest.LeftOut),
		"took", time.Since(began).Round(time.Millisecond))
	r.mu.Lock()
	r.status.FailedAt, r.status.Problem = time.Time{}, ""
	r.mu.Unlock()
}

func (r *Scheduler) save(ctx context.Context, at string) (archive.Manifest, error) {
	if err := os.MkdirAll(r.schedule.Dir, 0o700); err != nil {
		return archive.Manifest{}, err
	}
	running, err := r.service.Begin(ctx)
	if err != nil {
		return archive.Manifest{}, err
	}
	defer running.Close()
	return archive.Save(at, func(w io.Writer) error {
		_, err := running.Write(ctx, w)
		return err
	})
}

// backups returns the names of the backups in the directory, oldest first.
func (r *Scheduler) backups() (names []string, err error) {
	entries, err := os.ReadDir(r.schedule.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if _, ok := archive.TimeOf(e.Name()); ok && e.Type().IsRegular() {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names) // the names sort by time
	return names, err
}

// prune deletes the oldest backups, so that Schedule.Keep stay.
func (r *Scheduler) prune() error {
	names, err := r.backups()
	if err != nil || r.schedule.Keep == 0 || len(names) <= r.schedule.Keep {
		return err
	}
	for _, name := range names[:len(names)-r.schedule.Keep] {
		if err := os.Remove(filepath.Join(r.schedule.Dir, name)); err != nil {
			return fmt.Errorf("delete an old backup: %w", err)
		}
	}
	return nil
}

// lookUp sets the newest backup of the status.
func (r *Scheduler) lookUp() {
	names, err := r.backups()
	if err != nil || len(names) == 0 {
		return
	}
	newest := names[len(names)-1]
	at, _ := archive.TimeOf(newest)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status.LastAt, r.status.LastFile = at, filepath.Join(r.schedule.Dir, newest)
	if info, err := os.Stat(r.status.LastFile); err == nil {
		r.status.LastSize = info.Size()
	}
}

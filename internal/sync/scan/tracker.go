package scan

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// scanTracker is how the scans of the agents go that nobody waits for.
type Tracker struct {
	// overdue is how long a scan may take before the others do not wait for it.
	Overdue time.Duration
	ready   atomic.Bool

	mu      sync.Mutex
	since   map[string]time.Time // those that are going on, by slug
	failed  map[string]error     // why the last one of an agent failed
	failing map[string]failing   // watched scans that fail, by slug; the empty slug is discovery
	blocked map[string]blockedDirs
	// showAfter is how long a watched scan fails before it is shown.
	showAfter time.Duration
	// lateScans tells that a scan is over which was overdue.
	lateScans chan struct{}
}

func NewTracker(shownAfter, overdue time.Duration) *Tracker {
	return &Tracker{
		Overdue: overdue,
		since:   map[string]time.Time{}, failed: map[string]error{}, failing: map[string]failing{}, blocked: map[string]blockedDirs{},
		showAfter: shownAfter, lateScans: make(chan struct{}, 1),
	}
}

// begin notes that the scan of an agent begins, unless one is going on.
func (s *Tracker) Begin(slug string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, is := s.since[slug]; is {
		return false
	}
	s.since[slug] = time.Now()
	return true
}

// end notes that the scan of an agent is over, and why it failed.
func (s *Tracker) End(slug string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.since, slug)
	delete(s.failed, slug)
	if err != nil {
		s.failed[slug] = err
	}
}

func (s *Tracker) LateScanEnded() {
	select {
	case s.lateScans <- struct{}{}:
	default:
	}
}

// late returns the agents whose scan takes longer than the given time, by slug.
func (s *Tracker) Late() (slugs []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for slug, since := range s.since {
		if time.Since(since) > s.Overdue {
			slugs = append(slugs, slug)
		}
	}
	slices.Sort(slugs)
	return slugs
}

// problems says what is wrong with the scans of agents, by slug: one takes longer than the given time, or has failed.
func (s *Tracker) Problems() map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	problems := map[string]string{}
	for slug, dirs := range s.blocked {
		if reason := dirs.reason(); reason != "" && slug != "" {
			problems[slug] = reason
		}
	}
	for slug, f := range s.failing {
		if time.Since(f.since) > s.showAfter {
			problems[slug] = notScanned(f.err)
		}
	}
	for slug, err := range s.failed {
		problems[slug] = notScanned(err)
	}
	for slug, since := range s.since {
		if took := time.Since(since); took > s.Overdue {
			problems[slug] = fmt.Sprintf("Its directory is still being scanned, after %s. The others do not wait for it.", roughly(took))
		}
	}
	return problems
}

// isReady reports whether the first full scan is done.
func (s *Tracker) IsReady() bool { return s.ready.Load() }

// fail notes that a watched scan failed. The result reports whether its paths are to be dropped and the whole agent scanned instead.
func (s *Tracker) Fail(slug string, isFull bool, err error) (widen bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.failing[slug]
	if f.times == 0 {
		f.since = time.Now()
	}
	f.times, f.isFull, f.err = f.times+1, isFull, err
	s.failing[slug] = f
	return f.times >= widenAfter
}

// succeed notes that a scan succeeded. A scan of single paths does not end the failing of whole scans.
func (s *Tracker) Succeed(slug string, isFull bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if isFull {
		delete(s.failed, slug)
	}
	if isFull || !s.failing[slug].isFull {
		delete(s.failing, slug)
	}
}

// failing is a watched scan that fails again and again.
type failing struct {
	since  time.Time // of the first failure
	times  int       // in a row
	isFull bool      // the last one was of the whole agent
	err    error     // of the last one
}

// notScanned describes a failing scan for people.
func notScanned(err error) string {
	return fmt.Sprintf("Its directory could not be scanned: %v. What was mirrored of it is kept, and it is tried again.", err)
}

// roughly says how long something takes.
func roughly(d time.Duration) string {
	if d < 2*time.Minute {
		return fmt.Sprintf("%d seconds", int(d.Seconds()))
	}
	return fmt.Sprintf("%d minutes", int(d.Minutes()))
}

// setReady records that the first full scan is done, and reports whether it was done before.
func (s *Tracker) SetReady() (before bool) { return s.ready.Swap(true) }

// lateScanDone returns a channel that receives when an overdue scan has ended.
func (s *Tracker) LateScanDone() <-chan struct{} { return s.lateScans }

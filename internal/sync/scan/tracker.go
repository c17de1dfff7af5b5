package scan

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Tracker records which background scans run, are overdue or fail, and which directories cannot be
// read. Its methods are safe for concurrent use.
type Tracker struct {
	// Overdue is how long a scan of one agent may take before the other agents stop waiting for it.
	Overdue time.Duration
	ready   atomic.Bool // the first full scan is done

	mu      sync.Mutex
	started map[string]time.Time   // start of each running scan of a full scan, by slug
	failed  map[string]error       // error of an agent's last scan in a full scan, by slug
	failing map[string]failing     // requested scans that fail, by slug; discovery has an empty slug
	blocked map[string]blockedDirs // unreadable directories, by slug; discovery has an empty slug
	// showAfter is how long requested scans of an agent must fail before that becomes a problem.
	showAfter time.Duration
	// lateScans receives when an overdue scan has ended. It has room for one value.
	lateScans chan struct{}
}

// NewTracker returns a Tracker without scans. Failures of requested scans become a problem after
// the time showAfter. A running scan is overdue after the time overdue.
func NewTracker(showAfter, overdue time.Duration) *Tracker {
	return &Tracker{
		Overdue: overdue,
		started: map[string]time.Time{}, failed: map[string]error{}, failing: map[string]failing{}, blocked: map[string]blockedDirs{},
		showAfter: showAfter, lateScans: make(chan struct{}, 1),
	}
}

// Begin records that the scan of an agent starts now, and returns true. If one is running, it
// records nothing and returns false. The caller of a successful Begin calls End.
func (s *Tracker) Begin(slug string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.started[slug]; ok {
		return false
	}
	s.started[slug] = time.Now()
	return true
}

// End records that the scan of an agent has ended. An err becomes the agent's problem until the
// next End or successful full scan; nil clears an earlier one.
func (s *Tracker) End(slug string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.started, slug)
	delete(s.failed, slug)
	if err != nil {
		s.failed[slug] = err
	}
}

// LateScanEnded wakes the receiver of LateScanDone; it never blocks. The caller calls it after End
// for an overdue scan.
func (s *Tracker) LateScanEnded() {
	select {
	case s.lateScans <- struct{}{}:
	default:
	}
}

// Late returns the sorted slugs of the agents whose running scan has taken longer than Overdue. It
// returns nil without such an agent.
func (s *Tracker) Late() (slugs []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for slug, start := range s.started {
		if time.Since(start) > s.Overdue {
			slugs = append(slugs, slug)
		}
	}
	slices.Sort(slugs)
	return slugs
}

// Problems returns a text for users about each agent with a problem, by slug. An overdue scan has
// precedence over a failed one, and that over an unreadable directory. The key of a failing
// discovery is ""; its unreadable directories are not included.
func (s *Tracker) Problems() map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	problems := map[string]string{}
	for slug, dirs := range s.blocked {
		if reason := dirs.reason(); reason != "" && slug != "" {
			problems[slug] = reason
		}
	}
	for slug, err := range s.shownErrors() {
		problems[slug] = fmt.Sprintf("Directory cannot be scanned: %v. Memories keep their last state. Memoir tries again.", err)
	}
	for slug, start := range s.started {
		if took := time.Since(start); took > s.Overdue {
			problems[slug] = fmt.Sprintf("The scan has been running for %s. Other agents do not wait for it.", roughly(took))
		}
	}
	return problems
}

// shownErrors returns, by slug, the error of each agent whose last scan in a full scan of all
// agents failed. It adds the agents whose requested scans have failed for longer than showAfter.
// The caller holds mu.
func (s *Tracker) shownErrors() map[string]error {
	errs := map[string]error{}
	for slug, f := range s.failing {
		if time.Since(f.since) > s.showAfter {
			errs[slug] = f.err
		}
	}
	maps.Copy(errs, s.failed)
	return errs
}

// IsReady reports whether the first full scan is done.
func (s *Tracker) IsReady() bool { return s.ready.Load() }

// Fail records that a requested scan of an agent failed with err, or a discovery if slug is empty.
// isFullScan reports whether the scan was a full one. widen reports whether the scans have failed
// at least twice in a row. If so, the caller retries with a full scan, not with the failed paths.
func (s *Tracker) Fail(slug string, isFullScan bool, err error) (widen bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.failing[slug]
	if f.times == 0 {
		f.since = time.Now()
	}
	f.times, f.isFullScan, f.err = f.times+1, isFullScan, err
	s.failing[slug] = f
	return f.times >= widenAfter
}

// Succeed records that a scan of an agent succeeded, or a discovery if slug is empty. A full scan
// clears all recorded failures of the agent. Another scan clears only those recorded by Fail, and
// only if the last failed scan was not a full one. hadFailed reports whether it has cleared any.
func (s *Tracker) Succeed(slug string, isFullScan bool) (hadFailed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := len(s.failed) + len(s.failing)
	if isFullScan {
		delete(s.failed, slug)
	}
	if isFullScan || !s.failing[slug].isFullScan {
		delete(s.failing, slug)
	}
	return len(s.failed)+len(s.failing) < before
}

// failing describes requested scans of one agent that fail in a row.
type failing struct {
	since      time.Time // of the first failure
	times      int       // failures in a row
	isFullScan bool      // the last failed scan was a full scan
	err        error     // of the last failed scan
}

// roughly formats d in whole seconds, or in whole minutes from two minutes on.
func roughly(d time.Duration) string {
	if d < 2*time.Minute {
		return fmt.Sprintf("%d seconds", int(d.Seconds()))
	}
	return fmt.Sprintf("%d minutes", int(d.Minutes()))
}

// SetReady records that the first full scan is done. It reports whether that was recorded before.
func (s *Tracker) SetReady() (before bool) { return s.ready.Swap(true) }

// LateScanDone returns a channel that receives a value when an overdue scan has ended. If several
// end before the caller reads the channel, it receives one value.
func (s *Tracker) LateScanDone() <-chan struct{} { return s.lateScans }

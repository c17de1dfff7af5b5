package sync

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

// scanning is how the scans of the agents go that nobody waits for.
type scanning struct {
	mu      sync.Mutex
	since   map[string]time.Time // those that are going on, by slug
	failed  map[string]error     // why the last one of an agent failed
	failing map[string]failing   // watched scans that fail, by slug; the empty slug is discovery
	blocked map[string]blockedDirs
	// shownAfter is how long a watched scan fails before it is shown.
	shownAfter time.Duration
	// lateOnes tells that a scan is over which was overdue.
	lateOnes chan struct{}
}

func newScanning(shownAfter time.Duration) *scanning {
	return &scanning{
		since: map[string]time.Time{}, failed: map[string]error{}, failing: map[string]failing{}, blocked: map[string]blockedDirs{},
		shownAfter: shownAfter, lateOnes: make(chan struct{}, 1),
	}
}

// begin notes that the scan of an agent begins, unless one is going on.
func (s *scanning) begin(slug string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, is := s.since[slug]; is {
		return false
	}
	s.since[slug] = time.Now()
	return true
}

// end notes that the scan of an agent is over, and why it failed.
func (s *scanning) end(slug string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.since, slug)
	delete(s.failed, slug)
	if err != nil {
		s.failed[slug] = err
	}
}

func (s *scanning) lateOneEnded() {
	select {
	case s.lateOnes <- struct{}{}:
	default:
	}
}

// late returns the agents whose scan takes longer than the given time, by slug.
func (s *scanning) late(overdue time.Duration) (slugs []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for slug, since := range s.since {
		if time.Since(since) > overdue {
			slugs = append(slugs, slug)
		}
	}
	slices.Sort(slugs)
	return slugs
}

// problems says what is wrong with the scans of agents, by slug: one takes longer than the given time, or has failed.
func (s *scanning) problems(overdue time.Duration) map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	problems := map[string]string{}
	for slug, dirs := range s.blocked {
		if reason := dirs.reason(); reason != "" && slug != "" {
			problems[slug] = reason
		}
	}
	for slug, f := range s.failing {
		if time.Since(f.since) > s.shownAfter {
			problems[slug] = notScanned(f.err)
		}
	}
	for slug, err := range s.failed {
		problems[slug] = notScanned(err)
	}
	for slug, since := range s.since {
		if took := time.Since(since); took > overdue {
			problems[slug] = fmt.Sprintf("Its directory is still being scanned, after %s. The others do not wait for it.", roughly(took))
		}
	}
	return problems
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

package sync

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"memoir/internal/memories"
)

const (
	// agentTurn is how long what concerns all agents keeps to one of them before it goes on to the next. With two scanned at once, a save had
	// to wait for both cores of a small machine.
	agentTurn = time.Second
	// defaultOverdue is how long the scan of one agent may take before the others wait for it no more. It may have 100,000 files, or a
	// disk that hangs, or be held by another server that has come to a standstill.
	defaultOverdue = 30 * time.Second
)

// scanLoop scans every agent at the start and then every Rescan.
func (e *Engine) scanLoop(ctx context.Context) {
	for {
		wait := e.options.Rescan
		if !e.runFullScan(ctx) {
			wait = e.scanRetry()
		}
		var ended <-chan struct{}
		if !e.Ready() {
			ended = e.scans.lateScans
		}
		select {
		case <-ctx.Done():
			return
		case <-ended:
		case <-time.After(wait):
		}
	}
}

func (e *Engine) overdue() time.Duration { return cmp.Or(e.options.Overdue, defaultOverdue) }

func (e *Engine) scanRetry() time.Duration { return cmp.Or(e.options.ScanRetry, retry) }

// runFullScan finds every agent and scans all of each that this server looks after. Those whose scan fails are scanned again and again, until
// the next round is due; ok says that none was left.
func (e *Engine) runFullScan(ctx context.Context) (ok bool) {
	started := time.Now()
	if _, err := e.discover(ctx); err != nil {
		if ctx.Err() == nil {
			e.scans.fail("", true, err)
			e.log.Warn("discovery failed, will retry", "error", err)
		}
		return false
	}
	e.scans.succeed("", true)
	r := fullScan{Engine: e, slots: make(chan struct{}, agentsAtOnce())}
	failed := r.scan(ctx, e.leasedSlugs())
	for len(failed) > 0 && time.Since(started) < e.options.Rescan {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(e.scanRetry()):
		}
		failed = r.scan(ctx, failed)
	}
	if len(failed) > 0 || ctx.Err() != nil {
		return false
	}
	found, isFull, done := r.summary()
	if isFull {
		found.Took = time.Since(started)
		e.recordFullScan(found)
	}
	if done {
		e.becomeReady(ctx)
	}
	return true
}

// becomeReady ends the time in which the disk comes before all else.
func (e *Engine) becomeReady(ctx context.Context) {
	if e.ready.Swap(true) {
		return
	}
	e.log.Info("first scan done", "agents", len(e.slugs()))
	e.indexLater(uuid.Nil)
	e.queueShared(ctx)
}

// fullScan is one scan of each agent, for which nobody waits. A scan that is overdue gives its place to the next, and the round ends without
// it: one directory that hangs must not stop all scans.
type fullScan struct {
	*Engine
	slots  chan struct{}
	active sync.WaitGroup // scans that are neither over nor overdue

	mu         sync.Mutex
	sum        ScanResult
	failed     []string // agents whose scan is to be tried again
	err        error    // why, of one of them
	panicked   int      // scans that a fault of Memoir's ended
	unfinished int      // scans that are not over, and those that were left out because the one of an earlier round is not
}

// scan scans the agents, as many at once as there are places, and returns those whose scan failed. Each has a turn by itself; at the
// start, when all else waits, it has not.
func (s *fullScan) scan(ctx context.Context, slugs []string) (failed []string) {
	for _, slug := range slugs {
		if !s.scans.begin(slug) {
			s.withLock(func() { s.unfinished++ })
			continue
		}
		select {
		case s.slots <- struct{}{}:
		case <-ctx.Done():
			s.scans.end(slug, nil)
			continue
		}
		over := s.start(ctx, slug)
		if s.Ready() {
			select {
			case <-over:
			case <-time.After(agentTurn):
			}
		}
	}
	s.active.Wait()
	var err error
	s.withLock(func() { failed, err, s.failed = s.failed, s.err, nil })
	if len(failed) > 0 && ctx.Err() == nil {
		s.log.Warn("scans failed, will retry", "agents", len(failed), "error", err)
	}
	return failed
}

// start has an agent scanned that has got a place. What it returns is closed when that is over.
func (s *fullScan) start(ctx context.Context, slug string) (over <-chan struct{}) {
	s.withLock(func() { s.unfinished++ })
	s.active.Add(1)
	release := sync.OnceFunc(func() {
		<-s.slots
		s.active.Done()
	})
	late := time.AfterFunc(s.Engine.overdue(), func() {
		s.log.Warn("slow scan, continuing with other agents", "agent", slug)
		release()
	})
	ended := make(chan struct{})
	s.running.Go(func() {
		defer close(ended)
		defer release()
		found, err := s.Engine.scan(ctx, slug)
		if isNotLocal(err) {
			err = nil // the agent was forgotten, or has changed hands
		}
		s.scans.end(slug, err)
		s.addResult(slug, found, err)
		if !late.Stop() {
			s.scans.lateScanEnded()
		}
	})
	return ended
}

// addResult takes in what came of a scan. One that failed is tried again, in this round; what a fault of Memoir's ended, in the next.
func (s *fullScan) addResult(slug string, found ScanResult, err error) {
	s.withLock(func() {
		s.unfinished--
		switch {
		case err == nil:
			s.sum.add(found)
		case errors.Is(err, errPanic):
			s.panicked++
		default:
			s.failed, s.err = append(s.failed, slug), fmt.Errorf("scan %s: %w", slug, err)
		}
	})
}

// summary returns what the scans found, whether that is of all agents, and whether all of them are done that can be.
func (s *fullScan) summary() (sum ScanResult, isFull, done bool) {
	s.withLock(func() { sum, isFull, done = s.sum, s.unfinished+s.panicked == 0, s.unfinished == 0 })
	return sum, isFull, done
}

func (s *fullScan) withLock(what func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	what()
}

// ScanAll finds every agent and scans all of each, on whichever server that is to be done, and returns what was found. One that cannot be
// scanned keeps no other from it: the error then says which that is and why. One whose scan has been going on for longer than the others
// wait for it is left out, with a [memories.ConflictError]. It fails with ErrStopping where Memoir is being stopped.
func (e *Engine) ScanAll(ctx context.Context) (ScanResult, error) {
	return e.withScanContext(ctx, e.scanAll)
}

func (e *Engine) scanAll(ctx context.Context) (ScanResult, error) {
	started := time.Now()
	if _, err := e.discover(ctx); err != nil {
		return ScanResult{}, err
	}
	overdue := e.scans.late(e.overdue())
	var own, others []string
	for _, slug := range e.slugs() {
		switch {
		case slices.Contains(overdue, slug):
		case e.holdsLease(slug):
			own = append(own, slug)
		default:
			others = append(others, slug)
		}
	}
	here, failed := e.scanEach(ctx, own, e.scanAndWait)
	if failed == nil && len(overdue) == 0 {
		e.recordFullScan(here)
	}
	there, alsoFailed := e.scanEach(ctx, others, func(ctx context.Context, slug string) (ScanResult, error) {
		return callScan.do(ctx, e, slug, scanOp{Discovered: true})
	})
	sum := here
	sum.add(there)
	sum.Took = time.Since(started)
	return sum, cmp.Or(failed, alsoFailed, leftOut(overdue))
}

// scanEach scans all of each agent, a few at a time, also where it fails for one of them, which the error then names. Agents that are
// forgotten or change hands meanwhile are left out.
func (e *Engine) scanEach(ctx context.Context, slugs []string, scan func(context.Context, string) (ScanResult, error)) (ScanResult, error) {
	started := time.Now()
	var mu sync.Mutex
	var sum ScanResult
	var failed int
	var reason error // of one of those
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(agentsAtOnce())
	for _, slug := range slugs {
		group.Go(func() error {
			found, err := scan(ctx, slug)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				sum.add(found)
			case isNotLocal(err):
			case errors.Is(err, memories.ErrUnavailable) || ctx.Err() != nil:
				return err // it would be the same with all others
			default:
				failed++
				reason = fmt.Errorf("scan %s: %w", slug, err)
			}
			return nil
		})
	}
	err := group.Wait()
	sum.Took = time.Since(started)
	if err == nil && failed > 0 {
		err = fmt.Errorf("%d of %d agents could not be scanned, among them: %w", failed, len(slugs), reason)
	}
	return sum, err
}

// leftOut says that agents were not scanned with the others, nil where there are none.
func leftOut(slugs []string) error {
	if len(slugs) == 0 {
		return nil
	}
	return &memories.ConflictError{Reason: fmt.Sprintf("All agents were scanned but for these, whose scan hangs or takes very long and goes on by itself: %s. "+
		"Nothing that was mirrored is lost. The sync page says how long it takes already.", strings.Join(slugs, ", "))}
}

// scanTracker is how the scans of the agents go that nobody waits for.
type scanTracker struct {
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

func newScanTracker(shownAfter time.Duration) *scanTracker {
	return &scanTracker{
		since: map[string]time.Time{}, failed: map[string]error{}, failing: map[string]failing{}, blocked: map[string]blockedDirs{},
		showAfter: shownAfter, lateScans: make(chan struct{}, 1),
	}
}

// begin notes that the scan of an agent begins, unless one is going on.
func (s *scanTracker) begin(slug string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, is := s.since[slug]; is {
		return false
	}
	s.since[slug] = time.Now()
	return true
}

// end notes that the scan of an agent is over, and why it failed.
func (s *scanTracker) end(slug string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.since, slug)
	delete(s.failed, slug)
	if err != nil {
		s.failed[slug] = err
	}
}

func (s *scanTracker) lateScanEnded() {
	select {
	case s.lateScans <- struct{}{}:
	default:
	}
}

// late returns the agents whose scan takes longer than the given time, by slug.
func (s *scanTracker) late(overdue time.Duration) (slugs []string) {
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
func (s *scanTracker) problems(overdue time.Duration) map[string]string {
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

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

	"memoir/internal/agents"
	"memoir/internal/memories"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/scan"
)

const (
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
			ended = e.scans.LateScanDone()
		}
		select {
		case <-ctx.Done():
			return
		case <-ended:
		case <-time.After(wait):
		}
	}
}

func (e *Engine) scanRetry() time.Duration { return cmp.Or(e.options.ScanRetry, agenttx.Retry) }

// runFullScan finds every agent and scans all of each that this server looks after. Those whose scan fails are scanned again and again, until
// the next round is due; ok says that none was left.
func (e *Engine) runFullScan(ctx context.Context) (ok bool) {
	started := time.Now()
	if _, err := e.discoverer.Run(ctx); err != nil {
		if ctx.Err() == nil {
			e.scans.Fail("", true, err)
			e.log.Warn("discovery failed, will retry", "error", err)
		}
		return false
	}
	e.scans.Succeed("", true)
	r := fullScan{engine: e, slots: make(chan struct{}, agenttx.AgentsAtOnce())}
	failed := r.scan(ctx, e.node.LeasedSlugs())
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
	if e.scans.SetReady() {
		return
	}
	e.log.Info("first scan done", "agents", len(e.agents.Slugs()))
	e.search.indexLater(uuid.Nil)
	e.queueShared(ctx)
}

// fullScan is one scan of each agent, for which nobody waits. A scan that is overdue gives its place to the next, and the round ends without
// it: one directory that hangs must not stop all scans.
type fullScan struct {
	engine *Engine
	slots  chan struct{}
	active sync.WaitGroup // scans that are neither over nor overdue

	mu         sync.Mutex
	sum        scan.Result
	failed     []string // agents whose scan is to be tried again
	err        error    // why, of one of them
	panicked   int      // scans that a fault of Memoir's ended
	unfinished int      // scans that are not over, and those that were left out because the one of an earlier round is not
}

// scan scans the agents, as many at once as there are places, and returns those whose scan failed. Each has a turn by itself; at the
// start, when all else waits, it has not.
func (s *fullScan) scan(ctx context.Context, slugs []string) (failed []string) {
	for _, slug := range slugs {
		if !s.engine.scans.Begin(slug) {
			s.withLock(func() { s.unfinished++ })
			continue
		}
		select {
		case s.slots <- struct{}{}:
		case <-ctx.Done():
			s.engine.scans.End(slug, nil)
			continue
		}
		over := s.start(ctx, slug)
		if s.engine.Ready() {
			select {
			case <-over:
			case <-time.After(agenttx.AgentTurn):
			}
		}
	}
	s.active.Wait()
	var err error
	s.withLock(func() { failed, err, s.failed = s.failed, s.err, nil })
	if len(failed) > 0 && ctx.Err() == nil {
		s.engine.log.Warn("scans failed, will retry", "agents", len(failed), "error", err)
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
	late := time.AfterFunc(s.engine.scans.Overdue, func() {
		s.engine.log.Warn("slow scan, continuing with other agents", "agent", slug)
		release()
	})
	ended := make(chan struct{})
	s.engine.running.Go(func() {
		defer close(ended)
		defer release()
		found, err := s.engine.scan(ctx, slug)
		if isNotLocal(err) {
			err = nil // the agent was forgotten, or has changed hands
		}
		s.engine.scans.End(slug, err)
		s.addResult(slug, found, err)
		if !late.Stop() {
			s.engine.scans.LateScanEnded()
		}
	})
	return ended
}

// addResult takes in what came of a scan. One that failed is tried again, in this round; what a fault of Memoir's ended, in the next.
func (s *fullScan) addResult(slug string, found scan.Result, err error) {
	s.withLock(func() {
		s.unfinished--
		switch {
		case err == nil:
			s.sum.Add(found)
		case errors.Is(err, agenttx.ErrPanic):
			s.panicked++
		default:
			s.failed, s.err = append(s.failed, slug), fmt.Errorf("scan %s: %w", slug, err)
		}
	})
}

// summary returns what the scans found, whether that is of all agents, and whether all of them are done that can be.
func (s *fullScan) summary() (sum scan.Result, isFull, done bool) {
	s.withLock(func() { sum, isFull, done = s.sum, s.unfinished+s.panicked == 0, s.unfinished == 0 })
	return sum, isFull, done
}

func (s *fullScan) withLock(what func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	what()
}

// ScanAll finds every agent and scans of all of each, on whichever server that is to be done, and returns what was found. One that cannot be
// scanned keeps no other from it: the error then says which that is and why. One whose scan has been going on for longer than the others
// wait for it is left out, with a [memories.ConflictError]. It fails with ErrStopping where Memoir is being stopped.
func (e *Engine) ScanAll(ctx context.Context) (scan.Result, error) {
	return e.withScanContext(ctx, e.scanAll)
}

func (e *Engine) scanAll(ctx context.Context) (scan.Result, error) {
	started := time.Now()
	if _, err := e.discoverer.Run(ctx); err != nil {
		return scan.Result{}, err
	}
	late := e.scans.Late()
	var own, others []string
	for _, slug := range e.agents.Slugs() {
		switch {
		case slices.Contains(late, slug):
		case e.node.HoldsLease(slug):
			own = append(own, slug)
		default:
			others = append(others, slug)
		}
	}
	here, failed := e.scanEach(ctx, own, e.scanAndWait)
	if failed == nil && len(late) == 0 {
		e.recordFullScan(here)
	}
	there, alsoFailed := e.scanEach(ctx, others, func(ctx context.Context, slug string) (scan.Result, error) {
		return e.calls.scan.Do(ctx, slug, scanOp{Discovered: true})
	})
	sum := here
	sum.Add(there)
	sum.Took = time.Since(started)
	return sum, cmp.Or(failed, alsoFailed, leftOut(late))
}

// scanEach scans of all of each agent, a few at a time, also where it fails for one of them, which the error then names. Agents that are
// forgotten or change hands meanwhile are left out.
func (e *Engine) scanEach(ctx context.Context, slugs []string, run func(context.Context, string) (scan.Result, error)) (scan.Result, error) {
	started := time.Now()
	var mu sync.Mutex
	var sum scan.Result
	var failed int
	var why error // of one of those
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(agenttx.AgentsAtOnce())
	for _, slug := range slugs {
		group.Go(func() error {
			found, err := run(ctx, slug)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				sum.Add(found)
			case isNotLocal(err):
			case errors.Is(err, memories.ErrUnavailable) || ctx.Err() != nil:
				return err // it would be the same with all others
			default:
				failed++
				why = fmt.Errorf("scan %s: %w", slug, err)
			}
			return nil
		})
	}
	err := group.Wait()
	sum.Took = time.Since(started)
	if err == nil && failed > 0 {
		err = fmt.Errorf("%d of %d agents could not be scanned, among them: %w", failed, len(slugs), why)
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

// queueShared has a scan at what is shared by agents that this server looks after, and all others follow.
func (e *Engine) queueShared(ctx context.Context) {
	for _, slug := range e.node.LeasedSlugs() {
		if a := e.agents.Known(slug); a != nil && e.isShared(ctx, a) {
			e.queue.Add(slug, ".")
		}
	}
}

func (e *Engine) isShared(ctx context.Context, a *agenttx.State) bool {
	if !a.LockOrSkip(ctx) {
		return true // for all that is known: a look more does no harm
	}
	defer e.agents.Unlock(a)
	return a.OnDisk.Layout == agents.Shared
}

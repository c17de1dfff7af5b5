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

	"memoir/internal/access"
	"memoir/internal/agents"
	"memoir/internal/memories"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/scan"
)

// defaultOverdue is how long other agents wait for the scan of one agent. A scan takes long with
// very many files, if a disk hangs, or if another server blocks the agent's rows. Arbitrary.
const defaultOverdue = 30 * time.Second

// scanLoop runs a full scan at the start, and then every Options.Rescan, or after Options.ScanRetry
// if it failed. Until the engine is ready, the end of an overdue scan starts the next full scan at
// once. It returns when ctx ends.
func (e *Engine) scanLoop(ctx context.Context) {
	for {
		wait := e.options.Rescan
		if !e.runFullScan(ctx) {
			wait = e.options.ScanRetry
		}
		var lateScanDone <-chan struct{}
		if !e.Ready() {
			lateScanDone = e.scans.LateScanDone()
		}
		select {
		case <-ctx.Done():
			return
		case <-lateScanDone:
		case <-time.After(wait):
		}
	}
}

// runFullScan runs a discovery, and scans all agents whose leases this server holds. It repeats
// failed scans until the next full scan is due. It reports false if the discovery or a repeated
// scan still fails, or ctx has ended. Panicked and overdue scans do not count as failed. If no scan
// is failed or overdue, the engine becomes ready.
func (e *Engine) runFullScan(ctx context.Context) (succeeded bool) {
	started := time.Now()
	if _, err := e.discoverer.Run(ctx); err != nil {
		if ctx.Err() == nil {
			e.scans.Fail("", true, err)
			e.log.Warn("discovery failed, will retry", "error", err)
		}
		return false
	}
	e.scans.Succeed("", true)
	s := fullScan{engine: e, slots: make(chan struct{}, agenttx.AgentsAtOnce())}
	failed := s.scan(ctx, e.node.LeasedSlugs())
	for len(failed) > 0 && time.Since(started) < e.options.Rescan {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(e.options.ScanRetry):
		}
		failed = s.scan(ctx, failed)
	}
	if len(failed) > 0 || ctx.Err() != nil {
		return false
	}
	s.mu.Lock()
	result, unfinished, panicked := s.sum, s.unfinished, s.panicked
	s.mu.Unlock()
	if unfinished+panicked == 0 {
		result.Took = time.Since(started)
		e.stats.recordFullScan(result)
	}
	if unfinished == 0 {
		e.becomeReady()
	}
	return true
}

// becomeReady records that the first full scan is done. The first call also requests that the
// search index is filled, and queues scans of this server's agents that share their memories. These
// scans write the memories into the CLAUDE.md of all other agents. Later calls do nothing.
func (e *Engine) becomeReady() {
	if e.scans.SetReady() {
		return
	}
	e.log.Info("first scan done", "agents", len(e.agents.Slugs()))
	e.search.indexLater(uuid.Nil)
	for _, a := range e.discoverer.Snapshot().Agents {
		if agents.Layout(a.Layout).Rules().IsShared && e.node.HoldsLease(a.Slug) {
			e.queue.Add(a.Slug, ".")
		}
	}
}

// fullScan is one scan of all agents of this server in the background. An overdue scan gives its
// slot to the next, and the full scan ends without it: a directory that hangs must not stop all
// scans.
type fullScan struct {
	engine *Engine
	slots  chan struct{}  // one element for each active scan
	active sync.WaitGroup // scans that are not done and not overdue

	mu       sync.Mutex
	sum      scan.Result // of the successful scans
	failed   []string    // agents whose scans failed and are repeated
	err      error       // of one of failed
	panicked int         // scans that ended in a panic
	// unfinished is the number of scans that are running, or were skipped because the scan of an
	// earlier full scan is still running.
	unfinished int
}

// scan scans the agents, as many at once as there are slots. It returns the agents whose scan
// failed, without panicked and overdue ones, and logs their number. It skips agents whose earlier
// scan is still running. Once the engine is ready, it waits for each scan, at most
// agenttx.AgentTurn, before it starts the next, to leave room for changes.
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
		done := s.start(ctx, slug)
		if s.engine.Ready() {
			select {
			case <-done:
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

// start starts the scan of an agent in a new goroutine, which records the result. The caller has
// sent to slots; the goroutine receives from it when the scan is done or overdue. The returned
// channel is closed when the scan is done.
func (s *fullScan) start(ctx context.Context, slug string) <-chan struct{} {
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
	done := make(chan struct{})
	s.engine.running.Go(func() {
		defer close(done)
		defer release()
		result, err := s.engine.scan(ctx, slug)
		if isNotLocal(err) {
			err = nil
		}
		s.engine.scans.End(slug, err)
		s.addResult(slug, result, err)
		if !late.Stop() {
			s.engine.scans.LateScanEnded()
		}
	})
	return done
}

// addResult adds the result of a successful scan to the sum. It adds a failed agent to the ones
// that this full scan repeats. A panicked scan is only counted, and the next full scan repeats it.
func (s *fullScan) addResult(slug string, result scan.Result, err error) {
	s.withLock(func() {
		s.unfinished--
		switch {
		case err == nil:
			s.sum.Add(result)
		case errors.Is(err, agenttx.ErrPanic):
			s.panicked++
		default:
			s.failed, s.err = append(s.failed, slug), fmt.Errorf("scan %s: %w", slug, err)
		}
	})
}

func (s *fullScan) withLock(do func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	do()
}

// ScanAll runs a discovery, scans all agents on the servers with their leases, and writes their
// CLAUDE.md. It returns the sum of the successful scans, also with an error. A failed agent does
// not stop the others; the error names one. It leaves out agents whose scan is already overdue, and
// then fails with *memories.ConflictError. It fails with memories.ErrStopping after StopScans. It
// leaves out agents that the request of ctx may not see.
func (e *Engine) ScanAll(ctx context.Context) (ScanResult, error) {
	return e.withScanContext(ctx, e.scanAll)
}

func (e *Engine) scanAll(ctx context.Context) (scan.Result, error) {
	started := time.Now()
	grant := access.Of(ctx)
	ctx = access.AsServer(ctx) // a discovery that sees some agents would add the others again
	if _, err := e.discoverer.Run(ctx); err != nil {
		return scan.Result{}, err
	}
	late := slices.DeleteFunc(slices.Clone(e.scans.Late()), func(slug string) bool { return !grant.Sees(slug) })
	var own, others []string
	for _, slug := range e.agents.Slugs() {
		switch {
		case slices.Contains(late, slug), !grant.Sees(slug):
		case e.node.HoldsLease(slug):
			own = append(own, slug)
		default:
			others = append(others, slug)
		}
	}
	sum, ownErr := e.scanEach(ctx, own, e.scanAndWait)
	if ownErr == nil && len(late) == 0 && grant.SeesAll() {
		e.stats.recordFullScan(sum)
	}
	result, othersErr := e.scanEach(ctx, others, func(ctx context.Context, slug string) (scan.Result, error) {
		return e.calls.scan.Do(ctx, slug, scanOp{Discovered: true})
	})
	sum.Add(result)
	sum.Took = time.Since(started)
	err := cmp.Or(ownErr, othersErr)
	if err == nil && len(late) > 0 {
		err = &memories.ConflictError{Reason: fmt.Sprintf("Scans still running: %s. The other agents were scanned. "+
			"The Sync page shows how long they take.", strings.Join(late, ", "))}
	}
	return sum, err
}

// scanEach calls run, a scan, for each agent, agenttx.AgentsAtOnce at a time. It returns the sum of
// the successful scans, also with an error. It continues after a failure; the error then names one
// agent. It cancels the rest if the database is unavailable. It ignores agents that were deleted or
// leased to another server.
func (e *Engine) scanEach(ctx context.Context, slugs []string, run func(context.Context, string) (scan.Result, error)) (scan.Result, error) {
	started := time.Now()
	var mu sync.Mutex
	var sum scan.Result
	var failed int
	var lastErr error // of the failed ones
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(agenttx.AgentsAtOnce())
	for _, slug := range slugs {
		group.Go(func() error {
			result, err := run(ctx, slug)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				sum.Add(result)
			case isNotLocal(err):
			case errors.Is(err, memories.ErrUnavailable) || ctx.Err() != nil:
				return err // all others would fail too
			default:
				failed++
				lastErr = fmt.Errorf("scan %s: %w", slug, err)
			}
			return nil
		})
	}
	err := group.Wait()
	sum.Took = time.Since(started)
	if err == nil && failed > 0 {
		err = fmt.Errorf("%d of %d agents not scanned, among them: %w", failed, len(slugs), lastErr)
	}
	return sum, err
}

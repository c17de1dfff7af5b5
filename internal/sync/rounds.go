package sync

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"
)

const (
	// turn is how long what concerns all agents keeps to one of them before it goes on to the next. With two scanned at once, a save had
	// to wait for both cores of a small machine.
	turn = time.Second
	// defaultOverdue is how long the scan of one agent may take before the others wait for it no more. It may have 100,000 files, or a
	// disk that hangs, or be held by another server that has come to a standstill.
	defaultOverdue = 30 * time.Second
)

// scanAgainAndAgain scans every agent at the start and then every Rescan.
func (e *Engine) scanAgainAndAgain(ctx context.Context) {
	for {
		wait := e.options.Rescan
		if !e.scanRound(ctx) {
			wait = e.scanRetry()
		}
		var ended <-chan struct{}
		if !e.Ready() {
			ended = e.scanning.lateOnes
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

// scanRound finds every agent and scans all of each that this server looks after. Those whose scan fails are scanned again and again, until
// the next round is due; ok says that none was left.
func (e *Engine) scanRound(ctx context.Context) (ok bool) {
	started := time.Now()
	if _, err := e.discover(ctx); err != nil {
		if ctx.Err() == nil {
			e.scanning.fail("", true, err)
			e.log.Warn("the scan failed and is tried again", "error", err)
		}
		return false
	}
	e.scanning.succeed("", true)
	r := round{Engine: e, places: make(chan struct{}, agentsAtOnce())}
	failed := r.scan(ctx, e.lookedAfter())
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
	found, whole, done := r.found()
	if whole {
		found.Took = time.Since(started)
		e.noteScan(found)
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
	e.shareAgain(ctx)
}

// round is one scan of each agent, for which nobody waits. A scan that is overdue gives its place to the next, and the round ends without
// it: one directory that hangs must not stop all scans.
type round struct {
	*Engine
	places chan struct{}
	inTime sync.WaitGroup // scans that are neither over nor overdue

	mu     sync.Mutex
	sum    Scan
	failed []string // agents whose scan is to be tried again
	err    error    // why, of one of them
	faulty int      // scans that a fault of Memoir's ended
	open   int      // scans that are not over, and those that were left out because the one of an earlier round is not
}

// scan scans the agents, as many at once as there are places, and returns those whose scan failed. Each has a turn by itself; at the
// start, when all else waits, it has not.
func (r *round) scan(ctx context.Context, slugs []string) (failed []string) {
	for _, slug := range slugs {
		if !r.scanning.begin(slug) {
			r.note(func() { r.open++ })
			continue
		}
		select {
		case r.places <- struct{}{}:
		case <-ctx.Done():
			r.scanning.end(slug, nil)
			continue
		}
		over := r.begin(ctx, slug)
		if r.Ready() {
			select {
			case <-over:
			case <-time.After(turn):
			}
		}
	}
	r.inTime.Wait()
	var err error
	r.note(func() { failed, err, r.failed = r.failed, r.err, nil })
	if len(failed) > 0 && ctx.Err() == nil {
		r.log.Warn("scans failed and are tried again", "agents", len(failed), "error", err)
	}
	return failed
}

// begin has an agent scanned that has got a place. What it returns is closed when that is over.
func (r *round) begin(ctx context.Context, slug string) (over <-chan struct{}) {
	r.note(func() { r.open++ })
	r.inTime.Add(1)
	leave := sync.OnceFunc(func() {
		<-r.places
		r.inTime.Done()
	})
	late := time.AfterFunc(r.Engine.overdue(), func() {
		r.log.Warn("the scan of an agent takes long, and the others do not wait for it", "agent", slug)
		leave()
	})
	ended := make(chan struct{})
	r.running.Go(func() {
		defer close(ended)
		defer leave()
		found, err := r.Engine.scan(ctx, slug)
		if isNotHere(err) {
			err = nil // the agent was forgotten, or has changed hands
		}
		r.scanning.end(slug, err)
		r.take(slug, found, err)
		if !late.Stop() {
			r.scanning.lateOneEnded()
		}
	})
	return ended
}

// take takes in what came of a scan. One that failed is tried again, in this round; what a fault of Memoir's ended, in the next.
func (r *round) take(slug string, found Scan, err error) {
	r.note(func() {
		r.open--
		switch {
		case err == nil:
			r.sum.add(found)
		case errors.Is(err, errFault):
			r.faulty++
		default:
			r.failed, r.err = append(r.failed, slug), fmt.Errorf("scan %s: %w", slug, err)
		}
	})
}

// found returns what the scans found, whether that is of all agents, and whether all of them are done that can be.
func (r *round) found() (sum Scan, whole, done bool) {
	r.note(func() { sum, whole, done = r.sum, r.open+r.faulty == 0, r.open == 0 })
	return sum, whole, done
}

func (r *round) note(what func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	what()
}

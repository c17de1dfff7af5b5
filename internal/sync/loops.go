package sync

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"memoir/internal/memories"
)

// retry is how long a failed look waits before it is tried again.
const retry = time.Second

// work looks at what has changed as soon as it has been quiet, a few agents at a time.
func (e *Engine) work(ctx context.Context) {
	places := make(chan struct{}, max(2, runtime.GOMAXPROCS(0)))
	var looks sync.WaitGroup
	defer looks.Wait()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		due, next := e.queue.take(time.Now())
		for _, w := range due {
			looks.Go(func() {
				defer e.queue.done(w.key)
				select {
				case places <- struct{}{}:
				case <-ctx.Done():
					return
				}
				defer func() { <-places }()
				e.do(ctx, w)
			})
		}
		var wait <-chan time.Time
		if next >= 0 {
			timer.Reset(next)
			wait = timer.C
		}
		select {
		case <-ctx.Done():
			return
		case <-e.queue.wake:
		case <-wait:
		}
	}
}

// do carries out one look. What fails is tried again: no change on disk is forgotten.
func (e *Engine) do(ctx context.Context, w work) {
	var err error
	if w.key == "" {
		err = e.discoverAndLook(ctx)
	} else {
		err = e.lookAt(ctx, w.key, w.scope)
	}
	e.meter.lag(time.Since(w.since))
	if err == nil || ctx.Err() != nil || errors.Is(err, memories.ErrNotFound) {
		return
	}
	e.log.Warn("a look at the disk failed and is tried again", "agent", w.key, "error", err)
	for _, path := range w.scope {
		e.queue.addAfter(w.key, path, retry)
	}
}

// lookAtAll has agents looked for, and all of each looked at.
func (e *Engine) lookAtAll() {
	e.queue.add("", ".")
	for _, slug := range e.slugs() {
		e.queue.add(slug, ".")
	}
}

// discoverAndLook finds agents that have appeared, and looks at those.
func (e *Engine) discoverAndLook(ctx context.Context) error {
	appeared, err := e.discover(ctx)
	if err != nil {
		return err
	}
	return e.scanAgents(ctx, appeared)
}

// scanAgainAndAgain scans everything at the start and then every Rescan.
func (e *Engine) scanAgainAndAgain(ctx context.Context) {
	last := time.Time{}
	for {
		wait := e.options.Rescan - time.Since(last)
		if !e.Ready() {
			wait = 0
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		if _, err := e.ScanAll(ctx); err != nil {
			if ctx.Err() != nil {
				return
			}
			e.log.Warn("the scan failed and is tried again", "error", err)
			select {
			case <-ctx.Done():
				return
			case <-time.After(retry):
			}
			continue
		}
		last = time.Now()
		if !e.ready.Swap(true) {
			e.log.Info("first scan done", "agents", len(e.slugs()))
			e.indexLater()
		}
	}
}

// ScanAll finds every agent and looks at all of each.
func (e *Engine) ScanAll(ctx context.Context) (Scan, error) {
	started := time.Now()
	if _, err := e.discover(ctx); err != nil {
		return Scan{}, err
	}
	var mu sync.Mutex
	var sum Scan
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(2, runtime.GOMAXPROCS(0)))
	for _, slug := range e.slugs() {
		group.Go(func() error {
			scan, err := e.scan(ctx, slug)
			if errors.Is(err, memories.ErrNotFound) {
				return nil // forgotten meanwhile
			}
			mu.Lock()
			defer mu.Unlock()
			sum.add(scan)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return Scan{}, err
	}
	sum.Took = time.Since(started)
	e.meter.scanned(sum, time.Now())
	return sum, nil
}

func (e *Engine) scanAgents(ctx context.Context, slugs []string) error {
	for _, slug := range slugs {
		if _, err := e.scan(ctx, slug); err != nil {
			return err
		}
	}
	return nil
}

// searchIndexRetry is how long filling the search index waits after it has failed.
const searchIndexRetry = 2 * time.Second

// fillSearchIndex brings into the index what large looks have left out of it.
func (e *Engine) fillSearchIndex(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-e.unindexed:
		}
		e.indexing.Store(true)
		e.indexEverything(ctx)
		e.indexing.Store(false)
	}
}

// Searchable reports whether a search finds everything that is listed: after the start, and after many memories have come
// at once, the search index is filled last.
func (e *Engine) Searchable() bool { return !e.indexing.Load() }

func (e *Engine) indexEverything(ctx context.Context) {
	done := uuid.Nil // everything up to this memory
	for ctx.Err() == nil {
		last, err := e.store.IndexMore(ctx, done)
		switch {
		case ignoreCanceled(err) != nil:
			e.log.Warn("the search index could not be filled; tried again", "error", err)
			select {
			case <-ctx.Done():
			case <-time.After(searchIndexRetry):
			}
		case last == uuid.Nil:
			return
		default:
			done = last
		}
	}
}

// indexLater has the search index filled. Before the first scan is done the disk comes first; what it leaves out, and what
// a crash has left out, is brought in after it.
func (e *Engine) indexLater() {
	if !e.Ready() {
		return
	}
	e.indexing.Store(true)
	select {
	case e.unindexed <- struct{}{}:
	default:
	}
}

package sync

import (
	"context"
	"errors"
	"sync"
	"time"

	"memoir/internal/memories"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/scan"
	"memoir/internal/sync/watch"
)

// workLoop looks at what has changed as soon as it has been quiet, a few agents at a time.
func (e *Engine) workLoop(ctx context.Context) {
	slots := make(chan struct{}, agenttx.AgentsAtOnce())
	var scans sync.WaitGroup
	defer scans.Wait()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		due, next := e.queue.Take(time.Now())
		for _, w := range due {
			scans.Go(func() {
				defer e.queue.Done(w.Slug)
				select {
				case slots <- struct{}{}:
				case <-ctx.Done():
					return
				}
				release := sync.OnceFunc(func() { <-slots })
				defer release()
				// One that hangs keeps its place no longer than a scan does.
				defer time.AfterFunc(e.scans.Overdue, release).Stop()
				e.runRequest(ctx, w)
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
		case <-e.queue.Wake():
		case <-wait:
		}
	}
}

// runRequest carries out one scan. What fails is tried again, a fault of Memoir's by the next scan: no change on disk is forgotten.
func (e *Engine) runRequest(ctx context.Context, w watch.Request) {
	var err error
	switch {
	case w.Slug == "":
		err = e.scanNewAgents(ctx)
	case e.node.HoldsLease(w.Slug):
		err = e.scanPaths(ctx, w.Slug, w.Paths)
	default:
		return // another server's business; if it becomes this one's, that begins with a scan of everything
	}
	e.stats.lag(time.Since(w.Since))
	isFull := w.Slug == "" || agenttx.IsFullScan(w.Paths)
	switch {
	case err == nil:
		e.scans.Succeed(w.Slug, isFull)
		return
	case ctx.Err() != nil || isNotLocal(err) || errors.Is(err, agenttx.ErrPanic):
		return
	}
	e.log.Warn("scan failed, will retry", "agent", w.Slug, "error", err)
	if e.scans.Fail(w.Slug, isFull, err) {
		w.Paths = []string{"."} // one of the paths may be what fails
	}
	for _, path := range w.Paths {
		e.queue.AddLater(w.Slug, path, agenttx.Retry)
	}
}

// queueFullScan has agents looked for, and all of each looked at.
func (e *Engine) queueFullScan() {
	e.queue.Add("", ".")
	for _, slug := range e.agents.Slugs() {
		e.queue.Add(slug, ".")
	}
}

// scanNewAgents finds agents that have appeared, and looks at those.
func (e *Engine) scanNewAgents(ctx context.Context) error {
	appeared, err := e.discoverer.Run(ctx)
	if err != nil {
		return err
	}
	_, err = e.scanEach(ctx, appeared, e.scan)
	return err
}

// recordFullScan notes what a scan of all agents found.
func (e *Engine) recordFullScan(found scan.Result) {
	e.stats.scanned(found, time.Now())
}

// isNotLocal reports whether an agent has been forgotten, or another server holds the lease of it.
func isNotLocal(err error) bool {
	return errors.Is(err, memories.ErrNotFound) || errors.Is(err, agenttx.ErrNotHolder)
}

package sync

import (
	"context"
	"errors"
	"sync"
	"time"

	"memoir/internal/memories"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/watch"
)

// workLoop runs the scans and discoveries that the queue releases, agenttx.AgentsAtOnce at a time.
// An overdue one continues, but gives its slot to the next. It returns when ctx ends and all of
// them are done.
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

// runRequest runs one queued scan, or a discovery if the slug is empty. It records the result for
// the status, and logs a failure. It queues a failed request again after agenttx.Retry, with the
// whole directory if it fails repeatedly. After a panic it does not retry; the next full scan does.
// It ignores agents whose leases this server does not hold.
func (e *Engine) runRequest(ctx context.Context, w watch.Request) {
	var err error
	switch {
	case w.Slug == "":
		var appeared []string
		if appeared, err = e.discoverer.Run(ctx); err == nil {
			_, err = e.scanEach(ctx, appeared, e.scan)
		}
	case e.node.HoldsLease(w.Slug):
		err = e.scanPaths(ctx, w.Slug, w.Paths)
	default:
		return // the next lease term begins with a full scan
	}
	e.stats.recordLag(time.Since(w.Since))
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
		w.Paths = []string{"."} // the failure may be due to one of the paths
	}
	for _, path := range w.Paths {
		e.queue.AddLater(w.Slug, path, agenttx.Retry)
	}
}

// queueFullScan queues a discovery, and a full scan of each agent that this process knows. It does
// not wait.
func (e *Engine) queueFullScan() {
	e.queue.Add("", ".")
	for _, slug := range e.agents.Slugs() {
		e.queue.Add(slug, ".")
	}
}

// isNotLocal reports whether err means that the agent was deleted from the database
// (memories.ErrNotFound), or that another server holds its lease (memories.ErrNotHolder).
func isNotLocal(err error) bool {
	return errors.Is(err, memories.ErrNotFound) || errors.Is(err, memories.ErrNotHolder)
}

package sync

import (
	"bytes"
	"context"
	"errors"
	"runtime"
	"sync"
	"time"

	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/sync/watch"
)

// retry is how long a failed look waits before it is tried again.
const retry = time.Second

// agentsAtOnce is how many agents are worked on at the same time by one who works on many: two also where there is one processor,
// because much of the work is waiting for the disk and Postgres.
func agentsAtOnce() int { return max(2, runtime.GOMAXPROCS(0)) }

// workLoop looks at what has changed as soon as it has been quiet, a few agents at a time.
func (e *Engine) workLoop(ctx context.Context) {
	slots := make(chan struct{}, agentsAtOnce())
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
				defer time.AfterFunc(e.overdue(), release).Stop()
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
	case e.holdsLease(w.Slug):
		err = e.scanPaths(ctx, w.Slug, w.Paths)
	default:
		return // another server's business; if it becomes this one's, that begins with a scan of everything
	}
	e.stats.lag(time.Since(w.Since))
	isFull := w.Slug == "" || isFullScan(w.Paths)
	switch {
	case err == nil:
		e.scans.succeed(w.Slug, isFull)
		return
	case ctx.Err() != nil || isNotLocal(err) || errors.Is(err, errPanic):
		return
	}
	e.log.Warn("scan failed, will retry", "agent", w.Slug, "error", err)
	if e.scans.fail(w.Slug, isFull, err) {
		w.Paths = []string{"."} // one of the paths may be what fails
	}
	for _, path := range w.Paths {
		e.queue.AddLater(w.Slug, path, retry)
	}
}

// queueFullScan has agents looked for, and all of each looked at.
func (e *Engine) queueFullScan() {
	e.queue.Add("", ".")
	for _, slug := range e.slugs() {
		e.queue.Add(slug, ".")
	}
}

// scanNewAgents finds agents that have appeared, and looks at those.
func (e *Engine) scanNewAgents(ctx context.Context) error {
	appeared, err := e.discover(ctx)
	if err != nil {
		return err
	}
	_, err = e.scanEach(ctx, appeared, e.scan)
	return err
}

// recordFullScan notes what a scan of all agents found.
func (e *Engine) recordFullScan(found ScanResult) {
	e.stats.scanned(found, time.Now())
}

// isNotLocal reports whether an agent has been forgotten, or another server holds its lease.
func isNotLocal(err error) bool {
	return errors.Is(err, memories.ErrNotFound) || errors.Is(err, errNotHolder)
}

// searchIndexRetry is how long filling the search index waits after it has failed.
const searchIndexRetry = 2 * time.Second

// fillSearchIndex brings into the index what large looks have left out of it.
func (e *Engine) fillSearchIndex(ctx context.Context) {
	for {
		var first uuid.UUID
		select {
		case <-ctx.Done():
			return
		case first = <-e.unindexed:
		}
		e.indexing.Store(true)
		e.indexFrom(ctx, first)
		e.indexing.Store(false)
		if first == uuid.Nil {
			e.peerIndexingAt.Store(0) // whatever there was to do is done
		}
		e.broadcastIndexing(false)
	}
}

// broadcastIndexing tells the other servers whether this one is filling the search index.
func (e *Engine) broadcastIndexing(busy bool) {
	e.serverConn.Load().Tell([]string{message{Indexing: &busy}.payload()}) //nolint:errcheck // it is told again, or forgotten
}

const (
	// indexingInterval is how often a server that fills the search index says so.
	indexingInterval = 5 * time.Second
	// indexingTimeout is how long that holds when it does not say so any more.
	indexingTimeout = 20 * time.Second
)

// Searchable reports whether a search finds everything that is listed: after the start, and after many memories have come
// at once, the search index is filled last.
func (e *Engine) Searchable() bool {
	elsewhere := time.Unix(0, e.peerIndexingAt.Load())
	return !e.indexing.Load() && time.Since(elsewhere) > indexingTimeout
}

// indexFrom brings into the index what it lacks of the memories from the given one on, in the order of their ids.
func (e *Engine) indexFrom(ctx context.Context, first uuid.UUID) {
	var told time.Time
	for ctx.Err() == nil {
		err := e.store.Index(ctx, first, func() {
			if time.Since(told) > indexingInterval {
				told = time.Now()
				e.broadcastIndexing(true)
			}
		})
		if ignoreCanceled(err) == nil {
			return
		}
		e.log.Warn("search index not filled, will retry", "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(searchIndexRetry):
		}
	}
}

// indexLater has the search index filled from the given memory on, in the order of ids. That is the order in which memories
// were made: what has just come in large numbers is found without going over all the others. Before the first scan is done
// the disk comes first; what it leaves out, and what a crash has left out, is brought in after it.
func (e *Engine) indexLater(first uuid.UUID) {
	if !e.Ready() {
		return
	}
	e.indexing.Store(true)
	for {
		select {
		case e.unindexed <- first:
			return
		case waiting := <-e.unindexed:
			if bytes.Compare(waiting[:], first[:]) < 0 {
				first = waiting
			}
		}
	}
}

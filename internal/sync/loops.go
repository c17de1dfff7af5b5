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

// work looks at what has changed as soon as it has been quiet, a few agents at a time.
func (e *Engine) work(ctx context.Context) {
	places := make(chan struct{}, agentsAtOnce())
	var looks sync.WaitGroup
	defer looks.Wait()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		due, next := e.queue.Take(time.Now())
		for _, w := range due {
			looks.Go(func() {
				defer e.queue.Done(w.Slug)
				select {
				case places <- struct{}{}:
				case <-ctx.Done():
					return
				}
				leave := sync.OnceFunc(func() { <-places })
				defer leave()
				// One that hangs keeps its place no longer than a scan does.
				defer time.AfterFunc(e.overdue(), leave).Stop()
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
		case <-e.queue.Wake():
		case <-wait:
		}
	}
}

// do carries out one look. What fails is tried again, a fault of Memoir's by the next scan: no change on disk is forgotten.
func (e *Engine) do(ctx context.Context, w watch.Request) {
	var err error
	switch {
	case w.Slug == "":
		err = e.discoverAndLook(ctx)
	case e.looksAfter(w.Slug):
		err = e.lookAt(ctx, w.Slug, w.Paths)
	default:
		return // another server's business; if it becomes this one's, that begins with a look at everything
	}
	e.meter.lag(time.Since(w.Since))
	whole := w.Slug == "" || isWhole(w.Paths)
	switch {
	case err == nil:
		e.scanning.succeed(w.Slug, whole)
		return
	case ctx.Err() != nil || isNotHere(err) || errors.Is(err, errFault):
		return
	}
	e.log.Warn("a look at the disk failed and is tried again", "agent", w.Slug, "error", err)
	if e.scanning.fail(w.Slug, whole, err) {
		w.Paths = []string{"."} // one of the paths may be what fails
	}
	for _, path := range w.Paths {
		e.queue.AddLater(w.Slug, path, retry)
	}
}

// lookAtAll has agents looked for, and all of each looked at.
func (e *Engine) lookAtAll() {
	e.queue.Add("", ".")
	for _, slug := range e.slugs() {
		e.queue.Add(slug, ".")
	}
}

// discoverAndLook finds agents that have appeared, and looks at those.
func (e *Engine) discoverAndLook(ctx context.Context) error {
	appeared, err := e.discover(ctx)
	if err != nil {
		return err
	}
	_, err = e.scanEach(ctx, appeared, e.scan)
	return err
}

// noteScan notes what a scan of all agents found.
func (e *Engine) noteScan(found Scan) {
	e.meter.scanned(found, time.Now())
}

// isNotHere says whether an agent has been forgotten, or another server looks after it.
func isNotHere(err error) bool {
	return errors.Is(err, memories.ErrNotFound) || errors.Is(err, errElsewhere)
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
			e.filledElsewhere.Store(0) // whatever there was to do is done
		}
		e.tellIndexing(false)
	}
}

// tellIndexing tells the other servers whether this one is filling the search index.
func (e *Engine) tellIndexing(busy bool) {
	e.link.Load().Tell([]string{message{Indexing: &busy}.payload()}) //nolint:errcheck // it is told again, or forgotten
}

const (
	// indexingTold is how often a server that fills the search index says so.
	indexingTold = 5 * time.Second
	// indexingForgotten is how long that holds when it does not say so any more.
	indexingForgotten = 20 * time.Second
)

// Searchable reports whether a search finds everything that is listed: after the start, and after many memories have come
// at once, the search index is filled last.
func (e *Engine) Searchable() bool {
	elsewhere := time.Unix(0, e.filledElsewhere.Load())
	return !e.indexing.Load() && time.Since(elsewhere) > indexingForgotten
}

// indexFrom brings into the index what it lacks of the memories from the given one on, in the order of their ids.
func (e *Engine) indexFrom(ctx context.Context, first uuid.UUID) {
	var told time.Time
	for ctx.Err() == nil {
		err := e.store.Index(ctx, first, func() {
			if time.Since(told) > indexingTold {
				told = time.Now()
				e.tellIndexing(true)
			}
		})
		if ignoreCanceled(err) == nil {
			return
		}
		e.log.Warn("the search index could not be filled; tried again", "error", err)
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

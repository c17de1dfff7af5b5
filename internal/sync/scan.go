package sync

import (
	"context"
	"time"

	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/events"
	"memoir/internal/sync/removal"
	"memoir/internal/sync/scan"
)

// Scan scans of all of an agent's directory and answers when the database and CLAUDE.md agree with it. It fails with
// memories.ErrNotFound and ErrStopping.
func (e *Engine) Scan(ctx context.Context, slug string) (scan.Result, error) {
	return e.calls.scan.Do(ctx, slug, scanOp{})
}

func (e *Engine) scanLocal(ctx context.Context, slug string, op scanOp) (scan.Result, error) {
	run := e.discoverAndScan
	if op.Discovered {
		run = e.scanAndWait
	}
	return e.withScanContext(ctx, func(ctx context.Context) (scan.Result, error) { return run(ctx, slug) })
}

// discoverAndScan scans an agent, which is looked for first where its directory was gone.
func (e *Engine) discoverAndScan(ctx context.Context, slug string) (scan.Result, error) {
	if a := e.agents.Known(slug); a != nil {
		upToDate, err := e.discoverer.IsUpToDate(ctx, a)
		if err == nil && !upToDate {
			_, err = e.discoverer.Run(ctx)
		}
		if err != nil {
			return scan.Result{}, err
		}
	}
	return e.scanAndWait(ctx, slug)
}

// scan scans of all of an agent's directory, and leaves it to later looks to take in what is being written.
func (e *Engine) scan(ctx context.Context, slug string) (scan.Result, error) {
	started := time.Now()
	result, err := e.scanOnce(ctx, slug, nil)
	if err != nil {
		return scan.Result{}, err
	}
	result.Took = time.Since(started)
	e.hub.Emit(events.Event{Agent: slug, Kind: events.Scanned})
	return result, nil
}

// scanOnce is scan for one who waits for what is left to its writers; nil: nobody does.
func (e *Engine) scanOnce(ctx context.Context, slug string, empty *scan.EmptyFileWait) (result scan.Result, err error) {
	err = e.agents.Do(ctx, slug, func(tx *agenttx.Tx) error {
		if err := removal.Resume(ctx, tx); err != nil {
			return err
		}
		restored, err := e.ops.FinishRestores(ctx, tx)
		if err != nil {
			return err
		}
		tx.RecoverLateWrites()
		if tx.State.Present { // else discovery has to see first that it is back
			if result, err = e.scanner.Run(ctx, tx, scan.Request{Paths: []string{"."}, Wait: empty}); err != nil {
				return err
			}
			if _, err := e.publisher.Run(ctx, tx, append(restored, result.Memories...)); err != nil {
				return err
			}
		}
		result.NeedsAttention, err = tx.DB.NeedsAttention(ctx)
		return err
	})
	if err == nil {
		e.scans.Succeed(slug, true)
	}
	return result, err
}

// scanPaths looks at a part of an agent's directory.
func (e *Engine) scanPaths(ctx context.Context, slug string, paths []string) error {
	return e.agents.Do(ctx, slug, func(tx *agenttx.Tx) error {
		if !tx.State.Present {
			return nil
		}
		tx.RecoverLateWrites()
		result, err := e.scanner.Run(ctx, tx, scan.Request{Paths: paths})
		if err != nil {
			return err
		}
		if result.Changed {
			scan.QueueLinks(tx, paths)
			if result.Added+result.Updated+result.Removed == 0 {
				// A content that is blocked, or a copy, is no change of a memory, and is on the pages all the same.
				tx.Emit(events.Scanned, "")
			}
		}
		if e.watcher.TakeDirChanges(slug) {
			tx.RescanAllAfter(scan.FullScanDelay)
		}
		_, err = e.publisher.Run(ctx, tx, result.Memories)
		return err
	})
}

// scanAndWait is scan for somebody who waits for it: what is left to its writer is among what was found. A file that is emptied again and
// again is waited for no longer than two writers have.
func (e *Engine) scanAndWait(ctx context.Context, slug string) (scan.Result, error) {
	started := time.Now()
	empty := scan.NewEmptyFileWait()
	defer empty.End()
	result, err := e.scanOnce(ctx, slug, empty)
	for waiting := time.Now(); err == nil && !empty.IsEmpty() && time.Since(waiting) < 2*agenttx.EmptyFileTimeout; {
		var again scan.Result
		again, err = e.rescanPending(ctx, slug, empty)
		again.Scanned, result.NeedsAttention = 0, 0
		result.Add(again)
	}
	if err != nil {
		return scan.Result{}, err
	}
	result.Took = time.Since(started)
	e.hub.Emit(events.Event{Agent: slug, Kind: events.Scanned})
	return result, nil
}

// rescanPending looks once more at what was left to its writers.
func (e *Engine) rescanPending(ctx context.Context, slug string, empty *scan.EmptyFileWait) (result scan.Result, err error) {
	paths, err := empty.Wait(ctx)
	if err != nil {
		return scan.Result{}, err
	}
	err = e.agents.Do(ctx, slug, func(tx *agenttx.Tx) error {
		if tx.State.Present {
			if result, err = e.scanner.Run(ctx, tx, scan.Request{Paths: paths, Wait: empty}); err != nil {
				return err
			}
			if result.Changed {
				scan.QueueLinks(tx, paths)
			}
			if _, err := e.publisher.Run(ctx, tx, result.Memories); err != nil {
				return err
			}
		}
		result.NeedsAttention, err = tx.DB.NeedsAttention(ctx)
		return err
	})
	return result, err
}

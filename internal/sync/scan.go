package sync

import (
	"context"
	"path/filepath"
	"slices"
	"time"

	"memoir/internal/agents"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/discover"
	"memoir/internal/sync/events"
	"memoir/internal/sync/removal"
	"memoir/internal/sync/scan"
)

// Scan scans all of an agent's directory, and returns when the database and CLAUDE.md agree with
// it. It first runs a discovery if the agent may have moved. It waits for files that another
// program is writing, at most twice agenttx.EmptyFileTimeout. It scans nothing, without an error,
// if the directory is absent. It fails with memories.ErrNotFound for an unknown agent, and with
// memories.ErrStopping after StopScans.
func (e *Engine) Scan(ctx context.Context, slug string) (ScanResult, error) {
	return e.calls.scan.Do(ctx, slug, scanOp{})
}

// RequestScan queues a scan of one file, by its absolute path, and does not wait. If file is empty,
// it queues a scan of all of the agent's directory. A file of a joined agent is scanned in the
// directory of the other agent. It ignores an agent that is not on this server's disk or whose
// lease another server holds, and a file outside of the agent's directory.
func (e *Engine) RequestScan(slug, file string) {
	all := e.discoverer.Snapshot().Agents
	i := slices.IndexFunc(all, func(a agents.Agent) bool { return a.Slug == slug })
	if i < 0 {
		return
	}
	if joined := all[i].JoinedTo; joined != "" {
		if rel, err := filepath.Rel(all[i].Dir, file); err == nil && filepath.IsLocal(rel) {
			file = filepath.Join(discover.DirOf(all, joined), rel)
		}
		e.RequestScan(joined, file)
		return
	}
	path := "."
	if file != "" {
		var err error
		if path, err = filepath.Rel(all[i].Dir, file); err != nil || !filepath.IsLocal(path) {
			return
		}
	}
	e.queue.AddNow(slug, filepath.ToSlash(path))
}

// scanOp is the operation of the call scan. It is sent as JSON.
type scanOp struct {
	// Discovered reports whether the caller has just run a discovery.
	Discovered bool
}

// scanLocal runs Scan on this server. It first runs a discovery if the agent may have moved or
// changed, unless op.Discovered is set. It fails with memories.ErrStopping after StopScans.
func (e *Engine) scanLocal(ctx context.Context, slug string, op scanOp) (scan.Result, error) {
	return e.withScanContext(ctx, func(ctx context.Context) (scan.Result, error) {
		if a := e.agents.Known(slug); a != nil && !op.Discovered {
			upToDate, err := e.discoverer.IsUpToDate(ctx, a)
			if err == nil && !upToDate {
				_, err = e.discoverer.Run(ctx)
			}
			if err != nil {
				return scan.Result{}, err
			}
		}
		return e.scanAndWait(ctx, slug)
	})
}

// scan scans all of an agent's directory, and writes CLAUDE.md if it differs. It sends a Scanned event
// if it finds a change, so that repeated scans of an unchanged directory cause no work. It does not
// wait for files that another program is writing; requested scans read them later.
func (e *Engine) scan(ctx context.Context, slug string) (scan.Result, error) {
	return e.scanDeferring(ctx, slug, nil)
}

// scanAndWait is scan, but waits for files that another program is writing, and scans them too, at
// most twice agenttx.EmptyFileTimeout, because a file may be emptied repeatedly.
func (e *Engine) scanAndWait(ctx context.Context, slug string) (scan.Result, error) {
	deferred := scan.NewDeferredFiles()
	defer deferred.End()
	return e.scanDeferring(ctx, slug, deferred)
}

// scanDeferring scans all of an agent's directory, writes CLAUDE.md if it differs, and sends a Scanned
// event if it finds a change. If deferred is not nil, it waits for files that another program is
// writing and scans them again, but at most twice agenttx.EmptyFileTimeout. Otherwise requested scans
// read them later. If it fails, the result is zero, and no event is sent.
func (e *Engine) scanDeferring(ctx context.Context, slug string, deferred *scan.DeferredFiles) (scan.Result, error) {
	started := time.Now()
	result, err := e.scanOnce(ctx, slug, []string{"."}, deferred)
	for waitStart := time.Now(); err == nil && deferred != nil && !deferred.IsEmpty() && time.Since(waitStart) < 2*agenttx.EmptyFileTimeout; {
		paths, waitErr := deferred.Wait(ctx)
		if waitErr != nil {
			return scan.Result{}, waitErr
		}
		var again scan.Result
		again, err = e.scanOnce(ctx, slug, paths, deferred)
		again.Scanned, result.NeedsAttention = 0, 0
		result.Add(again)
		result.Changed = result.Changed || again.Changed
	}
	if err != nil {
		return scan.Result{}, err
	}
	result.Took = time.Since(started)
	if result.Changed {
		e.hub.Emit(events.Event{Agent: slug, Kind: events.Scanned})
	}
	return result, nil
}

// scanOnce finishes interrupted deletions and restores, scans paths of the agent's directory, and
// writes CLAUDE.md if it differs. It adds files that another program is writing to deferred. If
// deferred is nil, it requests later scans of them. It does not scan an agent that discovery has
// found absent, which is no error. It sets result.NeedsAttention for the whole agent. result.Changed
// is also set by the agent's first full scan, and by a scan after a failed one.
func (e *Engine) scanOnce(ctx context.Context, slug string, paths []string, deferred *scan.DeferredFiles) (result scan.Result, err error) {
	isFirst := false
	err = e.agents.Do(ctx, slug, func(tx *agenttx.Tx) error {
		wasScanned := tx.State.FullyScanned
		if err := removal.Resume(ctx, tx); err != nil {
			return err
		}
		restored, err := e.ops.FinishRestores(ctx, tx)
		if err != nil {
			return err
		}
		tx.RecoverLateWrites()
		if tx.State.Present { // if it is back, discovery must find it first
			if result, err = e.scanner.Run(ctx, tx, scan.Request{Paths: paths, Deferred: deferred}); err != nil {
				return err
			}
			if result.Changed {
				scan.QueueLinks(tx, paths)
			}
			if _, err := e.publisher.Run(ctx, tx, append(restored, result.Memories...)); err != nil {
				return err
			}
		}
		isFirst = !wasScanned && tx.State.FullyScanned
		result.NeedsAttention, err = tx.Rows.NeedsAttention(ctx)
		return err
	})
	if err == nil {
		hadFailed := e.scans.Succeed(slug, true)
		result.Changed = result.Changed || isFirst || hadFailed
	}
	return result, err
}

// scanPaths scans paths of the agent's directory, and writes CLAUDE.md if it differs. If
// directories have appeared or disappeared, it also requests a full scan. If files have changed but
// no memory has, it sends a Scanned event. It does nothing if discovery has found the directory
// absent.
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
				// A blocked content or a copy changes no memory, but the pages show it.
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

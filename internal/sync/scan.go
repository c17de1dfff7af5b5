package sync

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"memoir/internal/agents"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/discover"
	"memoir/internal/sync/events"
	"memoir/internal/sync/removal"
	"memoir/internal/sync/scan"
)

// Scan scans all of an agent's directory, and returns when the database and CLAUDE.md agree with
// it. It waits for files that another program is writing. It fails with memories.ErrNotFound and
// ErrStopping.
func (e *Engine) Scan(ctx context.Context, slug string) (ScanResult, error) {
	return e.calls.scan.Do(ctx, slug, scanOp{})
}

// RequestScan requests a scan of one file, by its absolute path, and does not wait. If file is
// empty, it requests a scan of all of the agent's directory. A file of a joined agent is scanned in
// the directory of the other agent. An agent that is not on disk, and a file outside of the agent's
// directory, are ignored.
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
		if path, err = filepath.Rel(all[i].Dir, file); err != nil || path == ".." || strings.HasPrefix(path, ".."+string(filepath.Separator)) {
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

// scanLocal runs Scan on this server. Unless the caller has just run a discovery, it runs one if
// the agent may have changed.
func (e *Engine) scanLocal(ctx context.Context, slug string, op scanOp) (scan.Result, error) {
	run := e.discoverAndScan
	if op.Discovered {
		run = e.scanAndWait
	}
	return e.withScanContext(ctx, func(ctx context.Context) (scan.Result, error) { return run(ctx, slug) })
}

// discoverAndScan runs a discovery if the state of the agent is not up to date, then scanAndWait.
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

// scan scans all of an agent's directory and sends a Scanned event. It leaves out files that
// another program is writing; later scans read them.
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

// scanOnce finishes interrupted deletions and restores, scans all of the agent's directory, and
// publishes. It adds files that another program is writing to empty. If empty is nil, later scans
// read them. It does not scan an agent that discovery has found absent.
func (e *Engine) scanOnce(ctx context.Context, slug string, empty *scan.DeferredFiles) (result scan.Result, err error) {
	err = e.agents.Do(ctx, slug, func(tx *agenttx.Tx) error {
		if err := removal.Resume(ctx, tx); err != nil {
			return err
		}
		restored, err := e.ops.FinishRestores(ctx, tx)
		if err != nil {
			return err
		}
		tx.RecoverLateWrites()
		if tx.State.Present { // if it is back, discovery must find it first
			if result, err = e.scanner.Run(ctx, tx, scan.Request{Paths: []string{"."}, Deferred: empty}); err != nil {
				return err
			}
			if _, err := e.publisher.Run(ctx, tx, append(restored, result.Memories...)); err != nil {
				return err
			}
		}
		result.NeedsAttention, err = tx.Rows.NeedsAttention(ctx)
		return err
	})
	if err == nil {
		e.scans.Succeed(slug, true)
	}
	return result, err
}

// scanPaths scans paths of the agent's directory, and publishes. It does nothing for an absent
// agent.
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

// scanAndWait is like scan, but waits for files that another program is writing, and reads them
// too. It stops waiting after twice agenttx.EmptyFileTimeout, because a file may be emptied
// repeatedly.
func (e *Engine) scanAndWait(ctx context.Context, slug string) (scan.Result, error) {
	started := time.Now()
	empty := scan.NewDeferredFiles()
	defer empty.End()
	result, err := e.scanOnce(ctx, slug, empty)
	for waitStart := time.Now(); err == nil && !empty.IsEmpty() && time.Since(waitStart) < 2*agenttx.EmptyFileTimeout; {
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

// rescanPending waits until the writers of the files in empty have had their time, scans these
// files again, and publishes. Files that are still being written are added to empty again.
func (e *Engine) rescanPending(ctx context.Context, slug string, empty *scan.DeferredFiles) (result scan.Result, err error) {
	paths, err := empty.Wait(ctx)
	if err != nil {
		return scan.Result{}, err
	}
	err = e.agents.Do(ctx, slug, func(tx *agenttx.Tx) error {
		if tx.State.Present {
			if result, err = e.scanner.Run(ctx, tx, scan.Request{Paths: paths, Deferred: empty}); err != nil {
				return err
			}
			if result.Changed {
				scan.QueueLinks(tx, paths)
			}
			if _, err := e.publisher.Run(ctx, tx, result.Memories); err != nil {
				return err
			}
		}
		result.NeedsAttention, err = tx.Rows.NeedsAttention(ctx)
		return err
	})
	return result, err
}

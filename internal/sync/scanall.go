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

	"golang.org/x/sync/errgroup"

	"memoir/internal/memories"
)

// ScanAll finds every agent and looks at all of each, on whichever server that is to be done, and returns what was found. One that cannot be
// scanned keeps no other from it: the error then says which that is and why. One whose scan has been going on for longer than the others
// wait for it is left out, with a [memories.ConflictError]. It fails with ErrStopping where Memoir is being stopped.
func (e *Engine) ScanAll(ctx context.Context) (Scan, error) { return e.whileLooking(ctx, e.scanAll) }

func (e *Engine) scanAll(ctx context.Context) (Scan, error) {
	started := time.Now()
	if _, err := e.discover(ctx); err != nil {
		return Scan{}, err
	}
	late := e.scanning.late(e.overdue())
	var own, others []string
	for _, slug := range e.slugs() {
		switch {
		case slices.Contains(late, slug):
		case e.looksAfter(slug):
			own = append(own, slug)
		default:
			others = append(others, slug)
		}
	}
	here, failed := e.scanEach(ctx, own, e.scanToTheEnd)
	if failed == nil && len(late) == 0 {
		e.noteScan(here)
	}
	there, alsoFailed := e.scanEach(ctx, others, func(ctx context.Context, slug string) (Scan, error) {
		return callScan.do(ctx, e, slug, scanOp{Discovered: true})
	})
	sum := here
	sum.add(there)
	sum.Took = time.Since(started)
	return sum, cmp.Or(failed, alsoFailed, leftOut(late))
}

// scanEach looks at all of each agent, a few at a time, also where it fails for one of them, which the error then names. Agents that are
// forgotten or change hands meanwhile are left out.
func (e *Engine) scanEach(ctx context.Context, slugs []string, scan func(context.Context, string) (Scan, error)) (Scan, error) {
	started := time.Now()
	var mu sync.Mutex
	var sum Scan
	var failed int
	var why error // of one of those
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(agentsAtOnce())
	for _, slug := range slugs {
		group.Go(func() error {
			found, err := scan(ctx, slug)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				sum.add(found)
			case isNotHere(err):
			case errors.Is(err, memories.ErrUnavailable) || ctx.Err() != nil:
				return err // it would be the same with all others
			default:
				failed++
				why = fmt.Errorf("scan %s: %w", slug, err)
			}
			return nil
		})
	}
	err := group.Wait()
	sum.Took = time.Since(started)
	if err == nil && failed > 0 {
		err = fmt.Errorf("%d of %d agents could not be scanned, among them: %w", failed, len(slugs), why)
	}
	return sum, err
}

// leftOut says that agents were not scanned with the others, nil where there are none.
func leftOut(slugs []string) error {
	if len(slugs) == 0 {
		return nil
	}
	return &memories.ConflictError{Reason: fmt.Sprintf("All agents were scanned but for these, whose scan hangs or takes very long and goes on by itself: %s. "+
		"Nothing that was mirrored is lost. The sync page says how long it takes already.", strings.Join(slugs, ", "))}
}

package sync

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"memoir/internal/agents"
	"memoir/internal/memories"
	"memoir/internal/records"
)

// What an agent of the layout shared remembers stands in the CLAUDE.md of all others. So whoever publishes it publishes them all, in the
// same hold, and they follow before anybody is answered. By the stamp of what is shared, which is in the recipe of each (publish_key.go), a
// CLAUDE.md that was not reached then is known to be not up to date, and follows at the next scan of its agent, whichever server that
// is on. Nobody who holds an agent that shares nothing waits for one that does: that would be the other way round.

// sharing is what of that this process has brought to its end.
type sharing struct {
	mu    sync.Mutex
	stamp *string // of what was shared when all others had followed last; nil: they have not
}

// otherServersTimeout is how long all the agents that other servers look after may take to follow. Those that take longer follow by themselves.
const otherServersTimeout = 5 * time.Second

// publishOthers has every other agent's CLAUDE.md say what is shared, if that is not what it was, and returns why some cannot. The caller
// holds an agent that shares what it remembers, or has just forgotten it.
func (e *Engine) publishOthers(ctx context.Context) (problem string, err error) {
	if !e.Ready() {
		return "", nil // each is published by the first scan, and all of them once more after it
	}
	e.sharing.mu.Lock()
	defer e.sharing.mu.Unlock()
	stamp, err := e.store.SharedStamp(ctx)
	if err != nil || e.sharing.stamp != nil && *e.sharing.stamp == stamp {
		return "", err
	}
	rows, err := e.store.AgentsUncounted(ctx)
	if err != nil {
		return "", err
	}
	problem, err = e.publishEach(ctx, slices.DeleteFunc(rows, func(row records.Agent) bool {
		return row.SharesMemories() || row.ClaudeMD.Path == "" || !row.Present
	}))
	if err == nil {
		e.sharing.stamp = &stamp
	}
	return problem, err
}

// publishEach publishes agents, a few at a time. Where one cannot be written, or is held for long, the others are all the same.
func (e *Engine) publishEach(ctx context.Context, rows []records.Agent) (problem string, err error) {
	here, cancelHere := context.WithTimeout(ctx, e.overdue())
	defer cancelHere()
	elsewhere, cancelElsewhere := context.WithTimeout(ctx, otherServersTimeout)
	defer cancelElsewhere()
	overdue := e.scans.late(e.overdue())
	var mu sync.Mutex
	var unpublished []string
	var failures []error
	var group errgroup.Group
	group.SetLimit(agentsAtOnce())
	for _, row := range rows {
		group.Go(func() error {
			within := here
			if e.term(row.ID) == 0 {
				within = elsewhere
			}
			err := errNotPublished
			if !slices.Contains(overdue, row.Slug) {
				err = e.publishWithin(within, row.Slug)
			}
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil, errors.Is(err, memories.ErrNotFound): // forgotten meanwhile
			case errors.Is(err, errNotPublished), errors.Is(err, errPanic), within.Err() != nil && ctx.Err() == nil:
				unpublished = append(unpublished, row.Slug)
			default:
				failures = append(failures, err)
			}
			return nil
		})
	}
	group.Wait() //nolint:errcheck // the errors are those above
	slices.Sort(unpublished)
	return unpublishedText(unpublished), errors.Join(failures...)
}

// errNotPublished means that an agent's CLAUDE.md could not follow, and does so by itself.
var errNotPublished = errors.New("CLAUDE.md not published")

// publishWithin publishes an agent, and waits for that until ctx ends: what hangs on a disk cannot be called off.
func (e *Engine) publishWithin(ctx context.Context, slug string) error {
	done := make(chan error, 1)
	go func() {
		in, err := callPublish.do(ctx, e, slug, publishOp{})
		if err == nil && in.Problem != "" {
			err = errNotPublished
		}
		done <- err
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// maxNamed is how many agents are named whose CLAUDE.md has not followed.
const maxNamed = 5

func unpublishedText(slugs []string) string {
	switch n := len(slugs); {
	case n == 0:
		return ""
	case n > maxNamed:
		return fmt.Sprintf("CLAUDE.md of %d other agents could not follow, among them %s: their pages say why.", n, strings.Join(slugs[:maxNamed], ", "))
	default:
		return fmt.Sprintf("CLAUDE.md of %s could not follow: its page says why.", strings.Join(slugs, ", "))
	}
}

// publishResult says why an agent's CLAUDE.md is not what it should be; empty: it is.
type publishResult struct{ Problem string }

// publishLocal brings an agent's CLAUDE.md up to date with what it remembers and is given.
func (e *Engine) publishLocal(ctx context.Context, slug string, _ publishOp) (publishResult, error) {
	var in publishResult
	err := e.withAgent(ctx, slug, func(h *hold) error {
		if err := h.publishOwn(ctx); err != nil || h.claudeMD == nil {
			return err
		}
		in.Problem = h.claudeMD.Problem
		return nil
	})
	return in, err
}

// publishShared has the other agents follow, where this one shares what it remembers. What is in their way counts as what is in the way
// of its own CLAUDE.md, and what could not be tried is tried again.
func (h *hold) publishShared(ctx context.Context) error {
	if h.onDisk.Layout != agents.Shared {
		return nil
	}
	problem, err := h.publishOthers(ctx)
	if problem != "" && h.claudeMD != nil {
		state := *h.claudeMD
		state.Problem = problem
		h.claudeMD = &state
	}
	if err != nil {
		h.queue.AddLater(h.onDisk.Slug, ".", retry)
	}
	return err
}

// queueShared has a scan at what is shared by agents that this server looks after, and all others follow.
func (e *Engine) queueShared(ctx context.Context) {
	for _, slug := range e.leasedSlugs() {
		if a := e.known(slug); a != nil && e.isShared(ctx, a) {
			e.queue.Add(slug, ".")
		}
	}
}

func (e *Engine) isShared(ctx context.Context, a *agent) bool {
	if !a.lockOrSkip(ctx) {
		return true // for all that is known: a look more does no harm
	}
	defer e.unlock(a)
	return a.onDisk.Layout == agents.Shared
}

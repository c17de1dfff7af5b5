package publish

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/internal/sync/agenttx"
)

// What an agent of the layout shared remembers stands in the CLAUDE.md of all others. So whoever publishes it publishes them all, in the
// same hold, and they follow before anybody is answered. By the stamp of what is shared, which is in the recipe of each (instep.go), a
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
func (p *Publisher) PublishOthers(ctx context.Context) (problem string, err error) {
	if !p.Ready() {
		return "", nil // each is published by the first scan, and all of them once more after it
	}
	p.sharing.mu.Lock()
	defer p.sharing.mu.Unlock()
	stamp, err := p.Store.SharedStamp(ctx)
	if err != nil || p.sharing.stamp != nil && *p.sharing.stamp == stamp {
		return "", err
	}
	rows, err := p.Store.AgentsUncounted(ctx)
	if err != nil {
		return "", err
	}
	problem, err = p.publishEach(ctx, slices.DeleteFunc(rows, func(row records.Agent) bool {
		return row.SharesMemories() || row.ClaudeMD.Path == "" || !row.Present
	}))
	if err == nil {
		p.sharing.stamp = &stamp
	}
	return problem, err
}

// publishEach publishes agents, a few at a time. Where one cannot be written, or is held for long, the others are all the same.
func (p *Publisher) publishEach(ctx context.Context, rows []records.Agent) (problem string, err error) {
	here, cancelHere := context.WithTimeout(ctx, p.Overdue)
	defer cancelHere()
	elsewhere, cancelElsewhere := context.WithTimeout(ctx, otherServersTimeout)
	defer cancelElsewhere()
	late := p.Late()
	var mu sync.Mutex
	var behind []string
	var failures []error
	var group errgroup.Group
	group.SetLimit(agenttx.AgentsAtOnce())
	for _, row := range rows {
		group.Go(func() error {
			within := here
			if !p.HoldsLease(row.ID) {
				within = elsewhere
			}
			err := errNotPublished
			if !slices.Contains(late, row.Slug) {
				err = p.publishWithin(within, row.Slug)
			}
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil, errors.Is(err, memories.ErrNotFound): // forgotten meanwhile
			case errors.Is(err, errNotPublished), errors.Is(err, agenttx.ErrPanic), within.Err() != nil && ctx.Err() == nil:
				behind = append(behind, row.Slug)
			default:
				failures = append(failures, err)
			}
			return nil
		})
	}
	group.Wait() //nolint:errcheck // the errors are those above
	slices.Sort(behind)
	return unpublishedText(behind), errors.Join(failures...)
}

// errNotPublished means that an agent's CLAUDE.md could not follow, and does so by itself.
var errNotPublished = errors.New("CLAUDE.md not published")

// publishWithin publishes an agent, and waits for that until ctx ends: what hangs on a disk cannot be called off.
func (p *Publisher) publishWithin(ctx context.Context, slug string) error {
	done := make(chan error, 1)
	go func() {
		in, err := p.PublishAgent(ctx, slug)
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
type PublishResult struct{ Problem string }

func (p *Publisher) Publish(ctx context.Context, slug string, _ PublishOp) (PublishResult, error) {
	var result PublishResult
	err := p.Agents.Do(ctx, slug, func(tx *agenttx.Tx) error {
		state, err := p.publishOwn(ctx, tx, nil)
		result.Problem = state.Problem
		return err
	})
	return result, err
}

type PublishOp struct{}

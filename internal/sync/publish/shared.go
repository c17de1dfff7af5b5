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

// The CLAUDE.md of every agent has the memories of the shared agent. So Run publishes all others
// before the transaction of the shared agent ends. An agent that is not reached then follows at its
// next scan, because its publish key has another stamp. A transaction of another agent never waits
// for the shared agent, so there is no deadlock.

// sharing is the state of PublishOthers in this process.
type sharing struct {
	mu    sync.Mutex
	stamp *string // SharedStamp of the last complete run; nil before the first one
}

// otherServersTimeout is how long PublishOthers waits for the agents of other servers, all
// together. Later ones are published at their next scan. Arbitrary.
const otherServersTimeout = 5 * time.Second

// PublishOthers writes the CLAUDE.md and the targets of all other agents if the shared memories have changed since
// its last call without an error, and waits for them. problem names the agents whose file could not
// be written in time, without an error; it is "" if all were written. Their next scan writes it. It
// skips missing agents. It does nothing before the first full scan is done. The caller is in the
// transaction of the shared agent, or has deleted it.
func (p *Publisher) PublishOthers(ctx context.Context) (problem string, err error) {
	if !p.Ready() {
		// The first full scan publishes each agent, and after it all are published again.
		return "", nil
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
	withTargets, err := p.Store.AgentsWithTargets(ctx)
	if err != nil {
		return "", err
	}
	problem, err = p.publishEach(ctx, slices.DeleteFunc(rows, func(row records.Agent) bool {
		return row.SharesMemories() || row.ClaudeMD.Path == "" && !slices.Contains(withTargets, row.ID) || !row.Present
	}))
	if err == nil {
		p.sharing.stamp = &stamp
	}
	return problem, err
}

// publishEach writes the CLAUDE.md of each agent if it differs, several at a time. problem is a
// sentence that names the agents whose file could not be written, or that took too long. It is ""
// if all were written. It ignores agents that do not exist by now. err joins the other errors. A
// failure does not stop the others.
func (p *Publisher) publishEach(ctx context.Context, rows []records.Agent) (problem string, err error) {
	localCtx, cancelLocal := context.WithTimeout(ctx, p.Overdue)
	defer cancelLocal()
	remoteCtx, cancelRemote := context.WithTimeout(ctx, otherServersTimeout)
	defer cancelRemote()
	late := p.Late()
	var mu sync.Mutex
	var unpublished []string
	var failures []error
	var group errgroup.Group
	group.SetLimit(agenttx.AgentsAtOnce())
	for _, row := range rows {
		group.Go(func() error {
			timeoutCtx := localCtx
			if !p.HoldsLease(row.ID) {
				timeoutCtx = remoteCtx
			}
			err := errNotPublished
			if !slices.Contains(late, row.Slug) {
				err = p.publishWithin(timeoutCtx, row.Slug)
			}
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil, errors.Is(err, memories.ErrNotFound): // the agent was forgotten
			case errors.Is(err, errNotPublished), errors.Is(err, agenttx.ErrPanic), timeoutCtx.Err() != nil && ctx.Err() == nil:
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

// errNotPublished means that an agent's CLAUDE.md was not published. The agent's next scan
// publishes it.
var errNotPublished = errors.New("CLAUDE.md not published")

// publishWithin writes the CLAUDE.md of an agent if it differs. It returns errNotPublished if
// CLAUDE.md could not be written. If ctx ends first, it returns the error of ctx, and the write may
// continue. Other errors are those of PublishAgent.
func (p *Publisher) publishWithin(ctx context.Context, slug string) error {
	done := make(chan error, 1)
	go func() {
		result, err := p.PublishAgent(ctx, slug)
		if err == nil && result.Problem != "" {
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

// maxNamed is the number of agents that a problem names. Arbitrary.
const maxNamed = 5

func unpublishedText(slugs []string) string {
	switch n := len(slugs); {
	case n == 0:
		return ""
	case n > maxNamed:
		return fmt.Sprintf("CLAUDE.md of %d other agents not updated, among them %s. Context shows why.", n, strings.Join(slugs[:maxNamed], ", "))
	default:
		return fmt.Sprintf("CLAUDE.md of %s not updated. Context shows why.", strings.Join(slugs, ", "))
	}
}

// Result is the result of Publish. Problem is the reason if CLAUDE.md is not up to date. It
// is empty otherwise.
type Result struct{ Problem string }

// PublishOp is the argument of Publish.
type PublishOp struct{}

// Publish compiles an agent's CLAUDE.md and writes it if it differs, in a transaction of its own.
// If the file cannot be written, Problem of the result is the reason, without an error. Publish
// never writes files of other agents. It returns memories.ErrNotFound for an unknown slug, and
// memories.ErrNotHolder if another server holds the agent's lease.
func (p *Publisher) Publish(ctx context.Context, slug string, _ PublishOp) (Result, error) {
	return agenttx.Do(ctx, p.Agents, slug, func(tx *agenttx.Tx) (Result, error) {
		state, err := p.publishOwn(ctx, tx, nil)
		return Result{state.Problem}, err
	})
}

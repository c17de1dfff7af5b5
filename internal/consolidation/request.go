package consolidation

import (
	"context"
	"errors"
	gosync "sync"
	"time"

	"memoir/internal/memories"
)

// requests are the plans that somebody on this server has asked for, by the slugs of their agents.
type requests struct {
	mu      gosync.Mutex
	running map[string]*request
	failed  map[string]string // why the last one came to nothing, in a sentence for people
}

type request struct {
	done chan struct{}
	err  error // once done is closed
}

// Request has a plan made for an agent, and waits for it as long as it may: a model can take its time. It returns false where the plan
// is still being made, which goes on, and is told to whoever listens. It fails as MakePlan does. Whoever asks while one is being made
// waits for that.
func (c *Consolidator) Request(ctx context.Context, slug string, by memories.Actor, wait time.Duration) (made bool, err error) {
	if c.options.Mode == Off {
		return false, errOff
	}
	if _, err := c.store.AgentUncounted(ctx, slug); err != nil {
		return false, err
	}
	asked := c.begin(context.WithoutCancel(ctx), slug, by)
	enough := time.NewTimer(wait)
	defer enough.Stop()
	select {
	case <-asked.done:
		return asked.err == nil, asked.err
	case <-enough.C:
		return false, nil
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

func (c *Consolidator) begin(ctx context.Context, slug string, by memories.Actor) *request {
	r := &c.requests
	r.mu.Lock()
	defer r.mu.Unlock()
	if asked := r.running[slug]; asked != nil {
		return asked
	}
	asked := &request{done: make(chan struct{})}
	r.running[slug] = asked
	delete(r.failed, slug)
	ctx, cancel := context.WithCancel(ctx)
	stopped := context.AfterFunc(c.ctx, cancel)
	c.running.Go(func() {
		defer cancel()
		defer stopped()
		_, asked.err = c.MakePlan(ctx, slug, by)
		r.mu.Lock()
		delete(r.running, slug)
		if asked.err != nil {
			r.failed[slug] = whyNoPlan(asked.err)
		}
		r.mu.Unlock()
		close(asked.done)
		c.engine.Learned(slug)
	})
	return asked
}

// whyNoPlan is a sentence about a failure that nobody may have waited for.
func whyNoPlan(err error) string {
	var conflict *memories.ConflictError
	if errors.As(err, &conflict) {
		return conflict.Reason
	}
	return "The plan could not be made. Nothing was changed. Try again; the server's log says more."
}

// standing returns whether a plan is being made for an agent on this server, and why the last one came to nothing.
func (r *requests) standing(slug string) (planning bool, failed string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.running[slug] != nil, r.failed[slug]
}

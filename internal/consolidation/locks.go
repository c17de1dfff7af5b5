package consolidation

import (
	"context"
	"errors"
	"maps"
	"slices"

	"memoir/internal/lockfile"
	"memoir/internal/memories"
)

// heldLock is a lock that a consolidation of this server has taken, and how that has ended. It is held until it can be let go: where
// Postgres has gone away, or the server that looks after the agent, that is later. Until then nobody else could consolidate, and what
// takes the lock next would take the time of this attempt for that of the last consolidation.
type heldLock struct {
	taken lockfile.Taken
	came  bool // it has come to something, so that the lock keeps its time
}

func (c *Consolidator) keep(slug string, l heldLock) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held[slug] = l
}

// letGo lets an agent's lock go, if it is held. It is called while nobody else consolidates the agent.
func (c *Consolidator) letGo(ctx context.Context, slug string) error {
	c.mu.Lock()
	l, held := c.held[slug]
	c.mu.Unlock()
	if !held {
		return nil
	}
	err := c.engine.EndConsolidation(ctx, slug, l.taken, !l.came)
	if err != nil && !errors.Is(err, memories.ErrNotFound) { // forgotten: its lock is nobody's business any more
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.held, slug)
	return nil
}

// letGoAll lets go what could not be let go before. What somebody consolidates at the moment is left to them.
func (c *Consolidator) letGoAll(ctx context.Context) error {
	c.mu.Lock()
	slugs := slices.Collect(maps.Keys(c.held))
	c.mu.Unlock()
	for _, slug := range slugs {
		agent, err := c.store.AgentUncounted(ctx, slug)
		if err == nil {
			err = c.alone(ctx, agent, func() error { return c.letGo(ctx, slug) })
		}
		if err != nil && conflictIn(err) == "" {
			return err
		}
	}
	return nil
}

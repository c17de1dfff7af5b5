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

// releaseLock releases the agent's consolidation lock if this server holds it. Only one consolidation per agent
// may call it at a time.
func (c *Consolidator) releaseLock(ctx context.Context, slug string) error {
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

// releaseLocks releases the locks that could not be released before. It leaves those of running consolidations.
func (c *Consolidator) releaseLocks(ctx context.Context) error {
	c.mu.Lock()
	slugs := slices.Collect(maps.Keys(c.held))
	c.mu.Unlock()
	for _, slug := range slugs {
		agent, err := c.store.AgentUncounted(ctx, slug)
		if err == nil {
			err = c.alone(ctx, agent, func() error { return c.releaseLock(ctx, slug) })
		}
		if err != nil && conflictIn(err) == "" {
			return err
		}
	}
	return nil
}

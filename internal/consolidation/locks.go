package consolidation

import (
	"context"
	"errors"

	"memoir/internal/lockfile"
	"memoir/internal/memories"
)

// heldLock is a lock that this server took, kept until it can be released. The database or the
// agent's server may be unavailable at the end of a consolidation. Until the release no other
// program can consolidate the agent.
type heldLock struct {
	taken  lockfile.Taken
	isDone bool // whether the lock keeps the new time
}

// releaseLock releases the agent's consolidation lock if this server holds it. Only one
// consolidation per agent may call it at a time.
func (c *Consolidator) releaseLock(ctx context.Context, slug string) error {
	value, isHeld := c.held.Load(slug)
	if !isHeld {
		return nil
	}
	l := value.(heldLock)
	err := c.engine.EndConsolidation(ctx, slug, l.taken, !l.isDone)
	// The lock of a forgotten agent does not matter.
	if err != nil && !errors.Is(err, memories.ErrNotFound) {
		return err
	}
	c.held.Delete(slug)
	return nil
}

// releaseLocks releases the locks that could not be released before. It skips locks of running
// consolidations.
func (c *Consolidator) releaseLocks(ctx context.Context) error {
	for slug := range c.held.Range {
		slug := slug.(string)
		agent, err := c.store.AgentUncounted(ctx, slug)
		if err == nil {
			err = c.exclusive(ctx, agent, func() error { return c.releaseLock(ctx, slug) })
		}
		if err != nil && conflictIn(err) == "" {
			return err
		}
	}
	return nil
}

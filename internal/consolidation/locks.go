package consolidation

import (
	"context"
	"errors"

	"memoir/internal/lockfile"
	"memoir/internal/memories"
)

// heldLock is a lock file that this server took and has not released yet. The database or the
// agent's server may be unavailable at the end of a consolidation, so that the release must be
// tried again. Until then no other program can consolidate the agent.
type heldLock struct {
	taken    lockfile.Taken
	keepTime bool // whether the lock file keeps the new time of consolidation
}

// releaseLock releases the agent's lock file if this server has taken it, else it returns nil. A
// forgotten agent is no error. After an error the lock stays taken, and a later call tries again.
// Only one goroutine per agent may call it at a time.
func (c *Consolidator) releaseLock(ctx context.Context, slug string) error {
	value, isHeld := c.held.Load(slug)
	if !isHeld {
		return nil
	}
	l := value.(heldLock)
	err := c.engine.EndConsolidation(ctx, slug, l.taken, !l.keepTime)
	if err != nil && !errors.Is(err, memories.ErrNotFound) { // not found: the agent was forgotten
		return err
	}
	c.held.Delete(slug)
	return nil
}

// releaseLocks tries again to release the lock files that could not be released after a
// consolidation. It skips agents that are being consolidated and unknown ones. It stops at the
// first error that is not a conflict, and returns it.
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

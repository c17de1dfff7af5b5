package sync

import (
	"context"

	"golang.org/x/sync/semaphore"
)

// Whoever works on an agent locks it, and may be at that for long: for ever where its disk hangs, or another server that has come to a
// standstill holds it. So each waits for the lock as long as it can do without, and no longer.

func newAgent(id int64) *agent { return &agent{inUse: semaphore.NewWeighted(1), id: id} }

// lock waits until nobody else works on the agent, or until ctx ends.
func (a *agent) lock(ctx context.Context) error { return a.inUse.Acquire(ctx, 1) }

// lockOrSkip locks the agent, unless somebody works on it for longer than its turn. Then agents are looked for again as soon as that is
// over.
func (a *agent) lockOrSkip(ctx context.Context) (locked bool) {
	if a.inUse.TryAcquire(1) {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, agentTurn)
	defer cancel()
	if a.lock(ctx) == nil {
		return true
	}
	a.skipped.Store(true)
	return a.inUse.TryAcquire(1) // who held it may have let go just before that was noted
}

// unlock lets the next one work on the agent.
func (e *Engine) unlock(a *agent) {
	a.inUse.Release(1)
	if a.skipped.Swap(false) {
		e.queue.AddNow("", ".")
	}
}

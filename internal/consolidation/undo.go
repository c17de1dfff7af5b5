package consolidation

import (
	"context"
	"slices"

	"memoir/internal/memories"
	"memoir/internal/records"
	engine "memoir/internal/sync"
)

// Undo reverts all changes of an applied step: it restores deleted memories and old texts. It
// returns the step as stored. It returns memories.ErrNotFound for an unknown agent or step. It
// returns *memories.ConflictError if the step is not applied, one of its texts has changed since,
// or another consolidation runs. Then nothing has changed, unless a text changes during the undo.
// After another error a server finishes an undo that has begun.
func (c *Consolidator) Undo(ctx context.Context, slug, id string, actor memories.Actor) (records.Step, error) {
	agent, err := c.store.AgentUncounted(ctx, slug)
	if err != nil {
		return records.Step{}, err
	}
	var step records.Step
	err = c.exclusive(ctx, agent, func() error {
		if step, err = c.store.ConsolidationStep(ctx, agent.ID, id); err != nil {
			return err
		}
		if step.State != records.StepApplied {
			return &memories.ConflictError{Reason: "This step is not applied. Nothing was changed."}
		}
		for _, change := range step.Changes {
			state, _, err := c.planner.stateOf(ctx, agent, change)
			if err != nil {
				return err
			}
			if state != stateAfter {
				return changedSince(change)
			}
		}
		// An undo is no consolidation, so the lock gets its old time back.
		return c.withLock(ctx, slug, func(func() error) (bool, error) {
			step.State, step.Actor = records.StepUndoing, actor
			if err := c.store.SaveStep(ctx, step); err != nil {
				return false, err
			}
			defer c.engine.EmitScanned(slug)
			return false, c.undoStep(ctx, agent, &step)
		})
	})
	if err == nil && step.State != records.StepUndone {
		err = &memories.ConflictError{Reason: step.Problem}
	}
	return step, err
}

// undoStep reverts the changes of a step, last one first, and stores it as undone. If a text has
// changed since, it stops, stores the step as applied with the reason as its problem, and returns
// nil. Texts that it has reverted before stay reverted.
func (c *Consolidator) undoStep(ctx context.Context, agent records.Agent, step *records.Step) error {
	ctx = engine.As(ctx, step.Actor)
	for i, change := range slices.Backward(step.Changes) {
		if !change.Done {
			continue
		}
		if c.options.Stop(*step, i, false) {
			return errStopped
		}
		if err := c.revert(ctx, agent, change); err != nil {
			reason := conflictIn(err)
			if reason == "" {
				return err
			}
			step.State, step.Problem = records.StepApplied, "Not fully undone. "+reason
			return c.store.SaveStep(ctx, *step)
		}
		if c.options.Stop(*step, i, true) {
			return errStopped
		}
		step.Changes[i].Done, step.Changes[i].Doing = false, false
		if err := c.store.SaveStep(ctx, *step); err != nil {
			return err
		}
	}
	step.State, step.Problem, step.UndoneAt = records.StepUndone, "", records.Now()
	return c.store.SaveStep(ctx, *step)
}

package consolidation

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/records"
	engine "memoir/internal/sync"
)

// Result is the result of one step that Apply was asked to apply.
type Result struct {
	ID    string
	Step  records.Step // zero if the step does not exist
	Error error        // nil if the step is applied
}

// Apply applies the plan's steps with these ids, in the plan's order, and returns a Result for
// each id, in the order of ids. Result.Error is the reason if a step is unknown or conflicts, for
// example because a memory has changed. Such a step is reverted, and the others are applied.
// Before any change, Apply returns memories.ErrNotFound for an unknown agent, and
// *memories.ConflictError if consolidation or the agent's memory is off or another consolidation
// runs. After another error, the server applies the rest in the background.
func (c *Consolidator) Apply(ctx context.Context, slug string, ids []string, actor memories.Actor) ([]Result, error) {
	agent, err := c.permitted(ctx, slug)
	if err != nil {
		return nil, err
	}
	results := make([]Result, len(ids))
	err = c.exclusive(ctx, agent, func() error {
		selected, err := c.selectSteps(ctx, agent, ids, results)
		if err != nil || len(selected) == 0 {
			return err
		}
		return c.withLock(ctx, slug, func(checkLock func() error) (bool, error) {
			if err := c.store.ChooseSteps(ctx, agent.ID, selected, actor); err != nil {
				return false, err
			}
			return c.runSteps(ctx, agent, checkLock)
		})
	})
	if err != nil {
		return nil, err
	}
	for i := range results {
		if results[i].Error == nil {
			results[i].Step, err = c.store.ConsolidationStep(ctx, agent.ID, results[i].ID)
			if results[i].Error = err; err == nil && results[i].Step.State != records.StepApplied {
				results[i].Error = &memories.ConflictError{Reason: results[i].Step.Problem}
			}
		}
	}
	return results, nil
}

// selectSteps returns the ids of those steps in ids that are proposed or chosen in the agent's
// plan. It sets ID and Error of results, which has an element for each id. Error is
// memories.ErrNotFound for a step that is not in the plan, and *memories.ConflictError for one
// that was refused or undone. An applied step gets no error and is not returned. It stores
// nothing.
func (c *Consolidator) selectSteps(ctx context.Context, agent records.Agent, ids []string, results []Result) ([]uuid.UUID, error) {
	plan, err := c.store.Consolidation(ctx, agent.ID)
	if err != nil && !errors.Is(err, memories.ErrNotFound) {
		return nil, err
	}
	var selected []uuid.UUID
	for i, id := range ids {
		results[i].ID = id
		at := slices.IndexFunc(plan.Steps, func(s records.Step) bool { return s.ID.String() == id })
		switch {
		case at < 0:
			results[i].Error = memories.ErrNotFound
		// chosen: an earlier run was interrupted
		case plan.Steps[at].State == records.StepProposed, plan.Steps[at].State == records.StepChosen:
			selected = append(selected, plan.Steps[at].ID)
		case plan.Steps[at].State != records.StepApplied:
			results[i].Error = &memories.ConflictError{Reason: "This step can no longer be applied. Nothing was changed. Make a new plan."}
		}
	}
	return selected, nil
}

// errStopped simulates a crash in tests.
var errStopped = errors.New("stopped")

// runSteps applies the agent's chosen steps and finishes its interrupted undos, plan by plan and
// in each plan's order. A step that conflicts is stored as refused; that is no error. checkLock
// returns an error if the lock was lost; then a step that has not begun becomes proposed again.
// applied reports whether a step was applied, also with an error. After an error the remaining
// steps keep their states, and a later call runs them. It emits an event for open pages.
func (c *Consolidator) runSteps(ctx context.Context, agent records.Agent, checkLock func() error) (applied bool, err error) {
	steps, err := c.store.UnfinishedSteps(ctx, agent.ID)
	if err != nil {
		return false, err
	}
	defer c.engine.EmitScanned(agent.Slug)
	for _, planned := range steps {
		// An earlier step may have changed the expected content of the index.
		step, err := c.store.ConsolidationStep(ctx, agent.ID, planned.ID.String())
		if err != nil {
			return applied, err
		}
		if step.State == records.StepUndoing {
			if err := c.undoStep(ctx, agent, &step); err != nil {
				return applied, err
			}
			continue
		}
		if step.State != records.StepChosen {
			continue
		}
		if err := checkLock(); err != nil {
			if reason := conflictIn(err); reason == "" {
				return applied, err
			} else if err := c.postpone(ctx, step, reason); err != nil {
				return applied, err
			}
			continue
		}
		index, err := c.pendingIndexStep(ctx, agent, step)
		if err != nil {
			return applied, err
		}
		if err := c.applyStep(ctx, agent, &step); err != nil {
			return applied, err
		}
		if step.State != records.StepApplied {
			continue
		}
		applied = true
		if index != nil {
			if err := c.updateIndexStep(ctx, agent, *index); err != nil {
				return applied, err
			}
		}
	}
	return applied, nil
}

// postpone stores a step as proposed again, with reason as its problem, so that a person can
// choose it later. If a change of the step was begun or made, it does nothing and returns nil.
func (c *Consolidator) postpone(ctx context.Context, step records.Step, reason string) error {
	if slices.ContainsFunc(step.Changes, func(ch records.StepChange) bool { return ch.Doing || ch.Done }) {
		return nil // the step is finished after the other program has ended
	}
	step.State, step.Problem = records.StepProposed, reason
	return c.store.SaveStep(ctx, step)
}

// conflictIn returns the reason, a sentence for users, if err is a *memories.ConflictError, a
// *memories.InvalidError, memories.ErrChanged, memories.ErrNoFile or memories.ErrNotFound. For any
// other error, such as a database failure, and for nil it returns "".
func conflictIn(err error) string {
	var conflict *memories.ConflictError
	var invalid *memories.InvalidError
	switch {
	case errors.As(err, &conflict):
		return conflict.Reason
	case errors.As(err, &invalid):
		return invalid.Error()
	case errors.Is(err, memories.ErrChanged), errors.Is(err, memories.ErrNoFile):
		return "The memory has changed since the plan. Nothing was changed. Make a new plan."
	case errors.Is(err, memories.ErrNotFound):
		return "The memory was deleted. Nothing was changed. Make a new plan."
	}
	return ""
}

// applyStep makes the changes of a step in order and stores the step as applied. If a memory or
// the index has changed since the plan was made, or another conflict occurs, it reverts its
// changes. It then stores the step as refused and returns nil, so callers test step.State. It
// stores the step before and after each change. After an error, such as a database failure, a
// later call continues the step.
func (c *Consolidator) applyStep(ctx context.Context, agent records.Agent, step *records.Step) error {
	ctx = engine.As(ctx, step.Actor)
	// A conflict is found before anything is changed.
	for i := range step.Changes {
		if change := &step.Changes[i]; !change.Doing && !change.Done {
			if state, _, err := c.planner.stateOf(ctx, agent, *change); err != nil {
				return c.refuse(ctx, agent, step, *change, err)
			} else if state != stateBefore {
				return c.refuse(ctx, agent, step, *change, memories.ErrChanged)
			}
		}
	}
	for i := range step.Changes {
		change := &step.Changes[i]
		if change.Done {
			continue
		}
		if c.options.Stop(*step, i, false) {
			return errStopped
		}
		state, match, err := c.planner.stateOf(ctx, agent, *change)
		if err != nil {
			return c.refuse(ctx, agent, step, *change, err)
		}
		switch {
		case state == stateAfter && change.Doing: // a crash prevented the record
		case state == stateBefore:
			change.Doing = true
			if err := c.store.SaveStep(ctx, *step); err != nil {
				return err
			}
			if err := c.apply(ctx, agent, *change, match); err != nil {
				return c.refuse(ctx, agent, step, *change, err)
			}
			if c.options.Stop(*step, i, true) {
				return errStopped
			}
		default:
			return c.refuse(ctx, agent, step, *change, memories.ErrChanged)
		}
		change.Done = true
		if err := c.store.SaveStep(ctx, *step); err != nil {
			return err
		}
	}
	step.State, step.Problem, step.AppliedAt = records.StepApplied, "", records.Now()
	return c.store.SaveStep(ctx, *step)
}

// refuse reverts the finished changes of a step, last one first, and stores the step as refused.
// Its problem is the name in about and the reason in err. A change whose text has changed since is
// not reverted, and the problem names it. If conflictIn(err) is "", such as for a database
// failure, refuse changes nothing and returns err.
func (c *Consolidator) refuse(ctx context.Context, agent records.Agent, step *records.Step, about records.StepChange, err error) error {
	reason := conflictIn(err)
	if reason == "" {
		return err
	}
	step.Problem = fmt.Sprintf("“%s”: %s", about.Name, reason)
	for i, change := range slices.Backward(step.Changes) {
		if !change.Done {
			step.Changes[i].Doing = false
			continue
		}
		if err := c.revert(ctx, agent, change); err != nil {
			if conflictIn(err) == "" {
				return err
			}
			step.Problem += fmt.Sprintf(" The change to “%s” was not undone (%s).", change.Name, conflictIn(err))
			continue
		}
		step.Changes[i].Done, step.Changes[i].Doing = false, false
	}
	step.State = records.StepRefused
	return c.store.SaveStep(ctx, *step)
}

// pendingIndexStep returns the step of the agent's plan that updates the index, if it is proposed
// or chosen. It returns nil if current is that step, or if the plan or the step does not exist. It
// also returns nil if the index cannot be read, or is not the text in the plan any longer.
func (c *Consolidator) pendingIndexStep(ctx context.Context, agent records.Agent, current records.Step) (*records.Step, error) {
	if current.Kind == kindReindex {
		return nil, nil
	}
	plan, err := c.store.Consolidation(ctx, agent.ID)
	if err != nil && !errors.Is(err, memories.ErrNotFound) {
		return nil, err
	}
	at := slices.IndexFunc(plan.Steps, func(s records.Step) bool {
		return s.Kind == kindReindex && (s.State == records.StepProposed || s.State == records.StepChosen)
	})
	if at < 0 {
		return nil, nil
	}
	state, _, err := c.planner.stateOf(ctx, agent, plan.Steps[at].Changes[0])
	if err != nil && conflictIn(err) == "" {
		return nil, err
	}
	if state != stateBefore {
		return nil, nil
	}
	return &plan.Steps[at], nil
}

// updateIndexStep replaces the change of a step for the index by one from the present MEMORY.md,
// and stores the step. It does not write MEMORY.md. If indexChange returns no change, it stores
// the step as refused and returns nil.
func (c *Consolidator) updateIndexStep(ctx context.Context, agent records.Agent, step records.Step) error {
	change, reason, err := c.planner.indexChange(ctx, agent)
	if err != nil {
		return err
	}
	if change == nil {
		step.State, step.Problem = records.StepRefused, "MEMORY.md is up to date. Nothing was changed."
		return c.store.SaveStep(ctx, step)
	}
	step.Changes, step.Reason = []records.StepChange{*change}, reason
	return c.store.SaveStep(ctx, step)
}

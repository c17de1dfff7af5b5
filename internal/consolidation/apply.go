package consolidation

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/internal/sync"
)

// Result is what has become of one step that was to be applied.
type Result struct {
	ID    string
	Step  records.Step // zero where there is none
	Error error        // nil: it is applied
}

// Apply applies steps of an agent's plan for whoever asks, in the order of the plan, and returns a result for each, in the order of
// ids. A step is applied as a whole: one of which a memory has changed since the plan was made is refused, and changes nothing. What a
// crash cuts short is carried on by whichever server lives.
//
// It fails with memories.ErrNotFound for an unknown agent, and with *memories.ConflictError where somebody else consolidates; then
// nothing has happened.
func (c *Consolidator) Apply(ctx context.Context, slug string, ids []string, actor memories.Actor) ([]Result, error) {
	agent, err := c.permitted(ctx, slug)
	if err != nil {
		return nil, err
	}
	results := make([]Result, len(ids))
	err = c.alone(ctx, agent, func() error {
		wanted, err := c.wanted(ctx, agent, ids, results)
		if err != nil || len(wanted) == 0 {
			return err
		}
		return c.locked(ctx, slug, func(still func() error) (bool, error) {
			if err := c.store.ChooseSteps(ctx, agent.ID, wanted, actor); err != nil {
				return false, err
			}
			return c.carryOut(ctx, agent, still)
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

// wanted returns the steps that can be applied. Of the others it notes why not.
func (c *Consolidator) wanted(ctx context.Context, agent records.Agent, ids []string, results []Result) ([]uuid.UUID, error) {
	plan, err := c.store.Consolidation(ctx, agent.ID)
	if err != nil && !errors.Is(err, memories.ErrNotFound) {
		return nil, err
	}
	var wanted []uuid.UUID
	for i, id := range ids {
		results[i].ID = id
		at := slices.IndexFunc(plan.Steps, func(s records.Step) bool { return s.ID.String() == id })
		switch {
		case at < 0:
			results[i].Error = memories.ErrNotFound
		case plan.Steps[at].State == records.StepProposed, plan.Steps[at].State == records.StepChosen: // chosen: it was cut short
			wanted = append(wanted, plan.Steps[at].ID)
		case plan.Steps[at].State != records.StepApplied: // what is applied already is what was asked for
			results[i].Error = &memories.ConflictError{Reason: "This step cannot be applied any more. Nothing was changed. Make a new plan."}
		}
	}
	return wanted, nil
}

// errStopped ends everything where a test wants a crash.
var errStopped = errors.New("stopped")

func (c *Consolidator) stops(step records.Step, change int, made bool) bool {
	return c.options.Stop != nil && c.options.Stop(step, change, made)
}

// carryOut carries on with all steps of an agent that are decided, in their order. It returns whether one was applied. What fails with
// an error stays decided, and is carried on later.
func (c *Consolidator) carryOut(ctx context.Context, agent records.Agent, still func() error) (applied bool, err error) {
	steps, err := c.store.UnfinishedSteps(ctx, agent.ID)
	if err != nil {
		return false, err
	}
	defer c.engine.EmitScanned(agent.Slug)
	for _, planned := range steps {
		// An earlier step may have changed what the index is to be.
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
		if err := still(); err != nil {
			if reason := conflictIn(err); reason == "" {
				return applied, err
			} else if err := c.putOff(ctx, step, reason); err != nil {
				return applied, err
			}
			continue
		}
		index, fresh, err := c.freshIndexStep(ctx, agent, step)
		if err != nil {
			return applied, err
		}
		if err := c.applyStep(ctx, agent, &step); err != nil {
			return applied, err
		}
		applied = applied || step.State == records.StepApplied
		if fresh && step.State == records.StepApplied {
			if err := c.followIndex(ctx, agent, index); err != nil {
				return applied, err
			}
		}
	}
	return applied, nil
}

// putOff takes back that a step was to be applied, as long as nothing has been done of it.
func (c *Consolidator) putOff(ctx context.Context, step records.Step, reason string) error {
	if slices.ContainsFunc(step.Changes, func(ch records.StepChange) bool { return ch.Doing || ch.Done }) {
		return nil // it is ended when the other program has
	}
	step.State, step.Problem = records.StepProposed, reason
	return c.store.SaveStep(ctx, step)
}

// conflictIn returns why a step cannot be applied; empty: the error is no such reason, and it is tried again.
func conflictIn(err error) string {
	var conflict *memories.ConflictError
	var invalid *memories.InvalidError
	switch {
	case errors.As(err, &conflict):
		return conflict.Reason
	case errors.As(err, &invalid):
		return invalid.Error()
	case errors.Is(err, memories.ErrChanged), errors.Is(err, sync.ErrNoFile):
		return "It has changed since the plan was made. Nothing was changed. Make a new plan."
	case errors.Is(err, memories.ErrNotFound):
		return "It is gone. Nothing was changed. Make a new plan."
	}
	return ""
}

// applyStep makes the changes of a step, one after the other. Each is noted before and after, so that after a crash it is known which
// are made.
func (c *Consolidator) applyStep(ctx context.Context, agent records.Agent, step *records.Step) error {
	ctx = sync.As(ctx, step.Actor)
	// What stands in the way is found before anything is changed.
	for i := range step.Changes {
		if change := &step.Changes[i]; !change.Doing && !change.Done {
			if is, _, err := c.stands(ctx, agent, *change); err != nil {
				return c.refuse(ctx, agent, step, *change, err)
			} else if is != asBefore {
				return c.refuse(ctx, agent, step, *change, memories.ErrChanged)
			}
		}
	}
	for i := range step.Changes {
		change := &step.Changes[i]
		if change.Done {
			continue
		}
		if c.stops(*step, i, false) {
			return errStopped
		}
		is, match, err := c.stands(ctx, agent, *change)
		if err != nil {
			return c.refuse(ctx, agent, step, *change, err)
		}
		switch {
		case is == asAfter && change.Doing: // a crash came between the change and the note of it
		case is == asBefore:
			change.Doing = true
			if err := c.store.SaveStep(ctx, *step); err != nil {
				return err
			}
			if err := c.make(ctx, agent, *change, match); err != nil {
				return c.refuse(ctx, agent, step, *change, err)
			}
			if c.stops(*step, i, true) {
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

// refuse takes back what was done of a step and notes why it is not applied. An error that is no reason is returned.
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
		if err := c.unmake(ctx, agent, change); err != nil {
			if conflictIn(err) == "" {
				return err
			}
			step.Problem += fmt.Sprintf(" What was done of this step to “%s” could not be taken back (%s).", change.Name, conflictIn(err))
			continue
		}
		step.Changes[i].Done, step.Changes[i].Doing = false, false
	}
	step.State = records.StepRefused
	return c.store.SaveStep(ctx, *step)
}

// freshIndexStep returns the step of the plan that is about the index, where that is as the plan has seen it and the step given is
// another one: whatever this one does to the index, the other follows.
func (c *Consolidator) freshIndexStep(ctx context.Context, agent records.Agent, current records.Step) (step records.Step, fresh bool, err error) {
	if current.Kind == kindReindex {
		return step, false, nil
	}
	plan, err := c.store.Consolidation(ctx, agent.ID)
	if errors.Is(err, memories.ErrNotFound) {
		return step, false, nil
	}
	if err != nil {
		return step, false, err
	}
	at := slices.IndexFunc(plan.Steps, func(s records.Step) bool {
		return s.Kind == kindReindex && (s.State == records.StepProposed || s.State == records.StepChosen)
	})
	if at < 0 {
		return step, false, nil
	}
	is, _, err := c.stands(ctx, agent, plan.Steps[at].Changes[0])
	if err != nil && conflictIn(err) != "" {
		return step, false, nil
	}
	return plan.Steps[at], is == asBefore, err
}

// followIndex makes the step about the index start from what another step has left of it.
func (c *Consolidator) followIndex(ctx context.Context, agent records.Agent, step records.Step) error {
	change, reason, err := c.indexChange(ctx, agent)
	if err != nil {
		return err
	}
	if change == nil {
		step.State, step.Problem = records.StepRefused, "Nothing is left to do: the index is in step already."
		return c.store.SaveStep(ctx, step)
	}
	step.Changes, step.Reason = []records.StepChange{*change}, reason
	return c.store.SaveStep(ctx, step)
}

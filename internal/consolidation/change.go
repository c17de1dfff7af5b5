package consolidation

import (
	"context"

	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/records"
	engine "memoir/internal/sync"
)

// textState compares a memory or the index with a planned change.
type textState int

const (
	stateOther  textState = iota // neither text
	stateBefore                  // the text when the plan was made
	stateAfter                   // the text after the change
)

// stateOf returns the state of a change's memory or index, and its ETag or hash. It returns
// memories.ErrNotFound for a purged memory.
func (c *Consolidator) stateOf(ctx context.Context, agent records.Agent, change records.StepChange) (textState, string, error) {
	if change.Op == records.ChangeIndex {
		raw, err := c.engine.ReadFile(ctx, agent.Slug, change.Name)
		if err != nil {
			return stateOther, "", err
		}
		switch hash := files.Hash(raw); string(raw) {
		case change.Before.Body:
			return stateBefore, hash, nil
		case change.After.Body:
			return stateAfter, hash, nil
		}
		return stateOther, "", nil
	}
	m, err := c.store.Memory(ctx, agent, change.Memory)
	if err != nil {
		return stateOther, "", err
	}
	match := engine.ETag(m)
	switch {
	case m.State == memories.Deleted && change.After == nil:
		return stateAfter, match, nil
	case m.State != memories.Active || m.Name != change.Name:
	case hasText(m, *change.Before):
		return stateBefore, match, nil
	case change.After != nil && hasText(m, *change.After):
		return stateAfter, match, nil
	}
	return stateOther, match, nil
}

// hasText reports whether a memory has the text t, in canonical form.
func hasText(m memories.Memory, t records.StepText) bool {
	now := records.StepText{Type: m.Type, Description: m.Description, Body: m.Body}
	return canonical(m.Name, now) == canonical(m.Name, t)
}

// apply makes a change. match is the ETag or hash that the memory or index must have.
func (c *Consolidator) apply(ctx context.Context, agent records.Agent, change records.StepChange, match string) error {
	switch change.Op {
	case records.ChangeDelete:
		_, err := c.engine.Delete(ctx, agent.Slug, change.Memory, match)
		return err
	case records.ChangeWrite:
		return c.writeText(ctx, agent, change.Memory, match, *change.After)
	}
	return c.engine.ReplaceFile(ctx, agent.Slug, change.Name, match, []byte(change.After.Body))
}

// revert restores the text before a change. It returns *memories.ConflictError if the text has
// changed since.
func (c *Consolidator) revert(ctx context.Context, agent records.Agent, change records.StepChange) error {
	state, match, err := c.stateOf(ctx, agent, change)
	switch {
	case err != nil:
		return err
	case state == stateBefore:
		return nil
	case state != stateAfter:
		return changedSince(change)
	}
	switch change.Op {
	case records.ChangeDelete:
		_, err := c.engine.Restore(ctx, agent.Slug, change.Memory, match)
		return err
	case records.ChangeWrite:
		return c.writeText(ctx, agent, change.Memory, match, *change.Before)
	}
	return c.engine.ReplaceFile(ctx, agent.Slug, change.Name, match, []byte(change.Before.Body))
}

func (c *Consolidator) writeText(ctx context.Context, agent records.Agent, id, match string, text records.StepText) error {
	_, err := c.engine.Patch(ctx, agent.Slug, id, match, engine.Patch{Type: &text.Type, Description: &text.Description, Body: &text.Body})
	return err
}

func changedSince(change records.StepChange) error {
	return &memories.ConflictError{Reason: "“" + change.Name + "” has been changed since this step was applied. Nothing was undone. What it said before is in its history."}
}

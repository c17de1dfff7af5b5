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

// stateOf compares the memory or index of a change with its texts before and after the change. The
// string is the memory's ETag, or the index's hash ("" with stateOther). A memory in the trash is
// stateAfter if the change deletes it, else stateOther. A missing or renamed memory is stateOther.
// It returns memories.ErrNotFound for a purged memory, and an error if the index does not exist.
func (p *planner) stateOf(ctx context.Context, agent records.Agent, change records.StepChange) (textState, string, error) {
	if change.Op == records.ChangeIndex {
		raw, err := p.engine.ReadFile(ctx, agent.Slug, change.Name)
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
	m, err := p.store.Memory(ctx, agent, change.Memory)
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

// hasText reports whether a memory's type, description and body equal t, both in canonical form.
func hasText(m memories.Memory, t records.StepText) bool {
	now := records.StepText{Type: m.Type, Description: m.Description, Body: m.Body}
	return canonical(m.Name, now) == canonical(m.Name, t)
}

// apply deletes or rewrites the memory of a change, or repairs the index. If the memory's ETag is
// not match, or the repair would differ from the plan, it changes nothing and returns
// memories.ErrChanged.
func (c *Consolidator) apply(ctx context.Context, agent records.Agent, change records.StepChange, match string) error {
	switch change.Op {
	case records.ChangeDelete:
		_, err := c.engine.Delete(ctx, agent.Slug, change.Memory, match)
		return err
	case records.ChangeIndex:
		_, err := c.engine.RepairIndex(ctx, agent.Slug, change.Seen)
		return err
	}
	return writeText(ctx, c.engine, agent.Slug, change, match, *change.After)
}

// revert restores a deleted memory, or writes the text before the change into the memory or index.
// If the memory or index is as before the change already, it does nothing. If it has changed since
// the change was made, revert writes nothing and returns *memories.ConflictError. It returns
// memories.ErrNotFound for a purged memory.
func (c *Consolidator) revert(ctx context.Context, agent records.Agent, change records.StepChange) error {
	state, match, err := c.planner.stateOf(ctx, agent, change)
	switch {
	case err != nil:
		return err
	case state == stateBefore:
		return nil
	case state != stateAfter:
		return changedSince(change)
	}
	if change.Op == records.ChangeDelete {
		_, err := c.engine.Restore(ctx, agent.Slug, change.Memory, match)
		return err
	}
	return writeText(ctx, c.engine, agent.Slug, change, match, *change.Before)
}

func writeText(ctx context.Context, e *engine.Engine, slug string, change records.StepChange, match string, text records.StepText) error {
	if change.Op == records.ChangeIndex {
		return e.ReplaceFile(ctx, slug, change.Name, match, []byte(text.Body))
	}
	_, err := e.Patch(ctx, slug, change.Memory, match, engine.Patch{Type: &text.Type, Description: &text.Description, Body: &text.Body})
	return err
}

func changedSince(change records.StepChange) error {
	return &memories.ConflictError{Reason: "“" + change.Name + "” has been changed since this step was applied. Nothing was undone. The earlier text is in its history."}
}

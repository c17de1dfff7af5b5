package consolidation

import (
	"context"

	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/internal/sync"
)

// standing is how what a change is about stands.
type standing int

const (
	asOther  standing = iota // it says something that the plan does not know
	asBefore                 // it says what it said when the plan was made
	asAfter                  // it says what the change makes of it
)

// stands returns how what a change is about stands, with the ETag or hash of it. It fails with memories.ErrNotFound for a memory that
// was purged.
func (c *Consolidator) stands(ctx context.Context, agent records.Agent, change records.StepChange) (standing, string, error) {
	if change.Op == records.ChangeIndex {
		raw, err := c.engine.ReadFile(ctx, agent.Slug, change.Name)
		if err != nil {
			return asOther, "", err
		}
		switch hash := files.Hash(raw); string(raw) {
		case change.Before.Body:
			return asBefore, hash, nil
		case change.After.Body:
			return asAfter, hash, nil
		}
		return asOther, "", nil
	}
	m, err := c.store.Memory(ctx, agent, change.Memory)
	if err != nil {
		return asOther, "", err
	}
	match := sync.ETag(m)
	switch {
	case m.State == memories.Deleted && change.After == nil:
		return asAfter, match, nil
	case m.State != memories.Active || m.Name != change.Name:
	case says(m, *change.Before):
		return asBefore, match, nil
	case change.After != nil && says(m, *change.After):
		return asAfter, match, nil
	}
	return asOther, match, nil
}

// says reports whether a memory says a text, however its file spells it.
func says(m memories.Memory, t records.StepText) bool {
	now := memories.Content{Name: m.Name, Type: m.Type, Description: m.Description, Body: m.Body}.Canonical()
	return now == memories.Content{Name: m.Name, Type: t.Type, Description: t.Description, Body: t.Body}.Canonical()
}

// make makes a change of what matches.
func (c *Consolidator) make(ctx context.Context, agent records.Agent, change records.StepChange, match string) error {
	switch change.Op {
	case records.ChangeDelete:
		_, err := c.engine.Delete(ctx, agent.Slug, change.Memory, match)
		return err
	case records.ChangeWrite:
		return c.writeText(ctx, agent, change.Memory, match, *change.After)
	}
	return c.engine.ReplaceFile(ctx, agent.Slug, change.Name, match, []byte(change.After.Body))
}

// unmake brings back what a change was made of. It fails with *memories.ConflictError where somebody has changed it since.
func (c *Consolidator) unmake(ctx context.Context, agent records.Agent, change records.StepChange) error {
	is, match, err := c.stands(ctx, agent, change)
	switch {
	case err != nil:
		return err
	case is == asBefore:
		return nil
	case is != asAfter:
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
	_, err := c.engine.Patch(ctx, agent.Slug, id, match, sync.Patch{Type: &text.Type, Description: &text.Description, Body: &text.Body})
	return err
}

func changedSince(change records.StepChange) error {
	return &memories.ConflictError{Reason: "“" + change.Name + "” has been changed since this step was applied. Nothing was undone. What it said before is in its history."}
}

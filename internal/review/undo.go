package review

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"memoir/internal/findings"
	"memoir/internal/memories"
	"memoir/internal/records"
	engine "memoir/internal/sync"
)

// undo describes how to take a decision back, besides deleting it. It is stored as JSON.
type undo struct {
	Final    bool              `json:"final,omitempty"`    // it cannot be taken back
	Also     []string          `json:"also,omitempty"`     // other items that the decision has settled
	Restore  []string          `json:"restore,omitempty"`  // memories to restore from the trash
	Text     *formerText       `json:"text,omitempty"`     // file to write as before
	Unverify *formerAge        `json:"unverify,omitempty"` // memory whose age to set back
	Hold     string            `json:"hold,omitempty"`     // memory to put back into quarantine
	Delete   *engine.MemoryRef `json:"delete,omitempty"`   // memory to move to the trash
	Files    []formerFile      `json:"files,omitempty"`    // files to write as before, the first one surely
	Proposal string            `json:"proposal,omitempty"` // proposal that waits again
	Step     string            `json:"step,omitempty"`     // step of a plan to undo
	// Deletion waits for a decision again, after the changes above.
	Deletion *records.DeletionConflict `json:"deletion,omitempty"`

	Item    *decidedItem                         `json:"item,omitempty"`
	Batch   string                               `json:"batch,omitempty"`
	Changes map[memories.Type]records.ReviewSize `json:"changes,omitempty"` // for Outcome
}

// formerText is a file of a memory, and the hash of bytes that the memory had before.
type formerText struct {
	ID   string `json:"id"`
	ETag string `json:"etag"` // after the decision
	Path string `json:"path"`
	Hash string `json:"hash"`
	// At is the memory's modification time before.
	At time.Time `json:"at"`
}

// formerAge is the modification time of a memory before it was verified.
type formerAge struct {
	ID   string    `json:"id"`
	ETag string    `json:"etag"` // after the decision
	At   time.Time `json:"at"`
}

// isDecisionOnly reports whether the decision has changed nothing but the queue.
func (e effect) isDecisionOnly() bool {
	u := e.undo
	return e.holds && u.Text == nil && u.Unverify == nil && u.Hold == ""
}

// IsUndoable reports whether Undo can take a decision back, unless something has changed since.
func IsUndoable(d records.ReviewDecision) bool {
	var u undo
	return len(d.Undo) > 0 && json.Unmarshal(d.Undo, &u) == nil && !u.Final
}

// errFinal is the error for a decision that cannot be taken back.
var errFinal = &memories.ConflictError{Reason: "This decision cannot be undone. Nothing was changed."}

// errChangedSince is the error for memories that were changed after the decision.
var errChangedSince = &memories.ConflictError{Reason: "A memory or file has changed since the decision. Nothing was undone. Its history has the earlier text."}

// Undo takes a decision about an item back: memories and files are as before, and the next
// examination finds the item again. It fails with memories.ErrNotFound without a decision about the
// item. It fails with *memories.ConflictError, and changes nothing, if the decision is final or a
// memory has changed since.
func (r *Reviewer) Undo(ctx context.Context, id string) error {
	release, err := r.claim(id)
	if err != nil {
		return err
	}
	defer release()
	found, err := r.store.ReviewDecisions(ctx, []string{id})
	if err != nil {
		return err
	}
	d, ok := found[id]
	if !ok || len(d.Undo) == 0 {
		return memories.ErrNotFound
	}
	var u undo
	if err := json.Unmarshal(d.Undo, &u); err != nil {
		return err
	}
	if u.Final {
		return errFinal
	}
	agent, err := r.store.AgentUncounted(ctx, d.Agent)
	if err != nil {
		return err
	}
	err = r.reverse(ctx, agent, findings.Kind(d.Kind), u)
	if errors.Is(err, memories.ErrChanged) || errors.Is(err, memories.ErrNotFound) || errors.Is(err, memories.ErrNoFile) || errors.Is(err, memories.ErrFileExists) {
		err = errChangedSince
	}
	if err != nil {
		return err
	}
	if err := r.store.ReopenReview(ctx, agent.ID, records.Now(), append(u.Also, id)...); err != nil {
		return err
	}
	if err := r.relist(ctx, agent, d, u.Item); err != nil {
		return err
	}
	r.engine.EmitScanned(d.Agent) // the server with the agent's lease examines it
	return nil
}

// reverse changes memories and files back. It fails with memories.ErrChanged and
// memories.ErrNotFound if they are not as the decision has left them.
func (r *Reviewer) reverse(ctx context.Context, agent records.Agent, k findings.Kind, u undo) error {
	slug := agent.Slug
	if u.Text != nil {
		m, err := r.store.Memory(ctx, agent, u.Text.ID)
		if err != nil {
			return err
		}
		if engine.ETag(m) != u.Text.ETag {
			return memories.ErrChanged
		}
	}
	restored, err := r.restore(ctx, agent, u.Restore)
	if err != nil {
		return err
	}
	if err := r.revertText(ctx, slug, u.Text); err != nil {
		return errors.Join(err, r.trash(ctx, slug, restored))
	}
	switch {
	case u.Unverify != nil:
		_, err = r.engine.Unverify(ctx, slug, u.Unverify.ID, u.Unverify.ETag, u.Unverify.At)
	case u.Hold != "":
		_, err = r.engine.Hold(ctx, slug, u.Hold, "", string(k))
	case u.Delete != nil:
		_, err = r.engine.Delete(ctx, slug, u.Delete.ID, u.Delete.ETag)
	case len(u.Files) > 0:
		err = primaryFiles{r.engine, r.store, agent}.revert(ctx, u.Files)
	case u.Step != "" && r.options.Plans == nil:
		err = errOff
	case u.Step != "":
		err = r.options.Plans.Undo(ctx, slug, u.Step)
	}
	if err == nil && u.Proposal != "" {
		err = r.store.ReopenProposal(ctx, agent.ID, u.Proposal)
	}
	if err == nil && u.Deletion != nil {
		err = r.store.ReopenDeletionConflict(ctx, agent.ID, *u.Deletion)
	}
	return err
}

// restore restores all memories from the trash, or none, and takes pending deletions back. It fails
// with memories.ErrChanged if one is not deleted.
func (r *Reviewer) restore(ctx context.Context, agent records.Agent, ids []string) ([]engine.MemoryRef, error) {
	all := make([]engine.MemoryRef, len(ids))
	for i, id := range ids {
		m, err := r.store.Memory(ctx, agent, id)
		if err != nil {
			return nil, err
		}
		if m.State != memories.Deleted && m.Pending() != memories.PendingDeletion {
			return nil, memories.ErrChanged
		}
		all[i].ID = id
	}
	return all, allOrNone(ctx, agent.Slug, all, r.engine.RestoreMany, r.engine.DeleteMany)
}

// revertText writes the former bytes of a memory's file, and sets its age back. It does nothing for
// nil.
func (r *Reviewer) revertText(ctx context.Context, slug string, t *formerText) error {
	if t == nil {
		return nil
	}
	result, err := r.engine.UndoFix(ctx, slug, t.ID, t.ETag, t.Path, t.Hash)
	if err != nil || result.Memory.ModifiedAt.Equal(t.At) {
		return err
	}
	_, err = r.engine.Unverify(ctx, slug, result.Memory.ID, engine.ETag(result.Memory), t.At)
	return err
}

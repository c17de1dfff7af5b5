// Package undo takes events of the journal back: deletions, restores, edits, renames, changes of type,
// moves and verifications, one of them or all of an action. It is the one definition of how an event
// is undone. The journal has the memory's state before and after the event. If the memory is still as
// after it, Undo makes it as before.
//
// It does not know decisions of the review: package review takes these back.
package undo

import (
	"context"
	"errors"
	"fmt"

	"memoir/internal/agents"
	"memoir/internal/memories"
	"memoir/internal/records"
	engine "memoir/internal/sync"
)

// Store reads the journal, and memories without masks. *postgres.Store and masked.Store implement it.
type Store interface {
	EventChanges(ctx context.Context, event string) ([]records.EventChange, error)
	Activity(ctx context.Context, list records.ActivityList) (records.ActivityPage, error)
	AgentUncounted(ctx context.Context, slug string) (records.Agent, error)
	Revealed(ctx context.Context, agent records.Agent, id string) (memories.Memory, error)
	RawOfHash(ctx context.Context, agent records.Agent, id, hash string) ([]byte, error)
}

// Undoer undoes events. Its methods are safe for concurrent use.
type Undoer struct {
	Store  Store
	Engine *engine.Engine
}

// Result is what an Undo has done. Memories that were as before already are in neither list.
type Result struct {
	Done    []records.EventChange
	Refused []Refusal
}

// Refusal is a memory that was left as it is, and why.
type Refusal struct {
	records.EventChange
	Err error
}

// ErrDone means that everything is as before the event already.
var ErrDone = errors.New("already undone")

var (
	errFinal    = &memories.ConflictError{Reason: "This event cannot be undone. Nothing was changed."}
	errPurged   = &memories.ConflictError{Reason: "The memory was deleted permanently after that. Nothing was undone."}
	errNotKept  = &memories.ConflictError{Reason: "The earlier text is no longer stored. Nothing was undone."}
	errTogether = &memories.ConflictError{Reason: "The other memory has changed since. Nothing was undone."}
)

// Undo takes an event back. The changes of one agent are independent of each other: a refused one does
// not stop the others. If an event has changed memories of several agents, all are undone or none. It
// fails with memories.ErrNotFound for an unknown event, and with ErrDone if it was undone before. A
// refusal is a *memories.ConflictError that names the change that prevents it.
func (u Undoer) Undo(ctx context.Context, event string) (Result, error) {
	changes, err := u.Store.EventChanges(ctx, event)
	if err == nil && len(changes) == 0 {
		err = memories.ErrNotFound
	}
	if err != nil {
		return Result{}, err
	}
	ctx = records.InAction(ctx, records.Action{ID: records.UndoAction(event), Browser: records.ActionOf(ctx).Browser})
	var result Result
	var open []records.EventChange
	for _, c := range changes {
		switch why, err := u.prevents(ctx, c); {
		case err != nil:
			return Result{}, err
		case why != nil:
			result.Refused = append(result.Refused, Refusal{c, why})
		case !c.IsBefore():
			open = append(open, c)
		}
	}
	if len(open) == 0 && len(result.Refused) == 0 {
		return Result{}, ErrDone
	}
	if len(result.Refused) > 0 && spansAgents(changes) {
		for _, c := range open {
			result.Refused = append(result.Refused, Refusal{c, errTogether})
		}
		return result, nil
	}
	err = u.takeBack(ctx, open, &result)
	return result, err
}

func spansAgents(changes []records.EventChange) bool {
	for _, c := range changes {
		if c.Agent != changes[0].Agent {
			return true
		}
	}
	return false
}

// prevents returns why a change cannot be undone; nil means that it can, or was.
func (u Undoer) prevents(ctx context.Context, c records.EventChange) (why, err error) {
	switch {
	case !c.CanUndo():
		return errFinal, nil
	case c.Now.State == "" && c.Before.Lives():
		return errPurged, nil
	case c.IsBefore(), c.IsAfter():
		return nil, nil
	}
	return u.changedSince(ctx, c)
}

// changedSince returns the refusal that names the last change of the memory after c.
func (u Undoer) changedSince(ctx context.Context, c records.EventChange) (why, err error) {
	page, err := u.Store.Activity(ctx, records.ActivityList{MemoryID: c.MemoryID, Limit: 10})
	if err != nil {
		return nil, err
	}
	for _, a := range page.Activity {
		if a.State == "" || !a.At.After(c.At) {
			continue
		}
		kind := string(a.Kind)
		if a.Kind == memories.ActivityVerified {
			kind = "marked as still true"
		}
		who := a.Actor.By(a.Person, memories.IsReader(a.Browser, records.ActionOf(ctx).Browser) && a.Person == records.ActionOf(ctx).Person)
		return &memories.ConflictError{Reason: fmt.Sprintf("The memory was %s by %s after that. Nothing was undone.", kind, who)}, nil
	}
	return &memories.ConflictError{Reason: "The memory has changed after that. Nothing was undone."}, nil
}

// takeBack makes the memories as before the changes, and adds the outcome to result. Restores come
// first and deletions last, so that a moved memory always exists somewhere.
func (u Undoer) takeBack(ctx context.Context, changes []records.EventChange, result *Result) error {
	var restored, reverted, deleted []records.EventChange
	for _, c := range changes {
		switch {
		case !c.After.Lives():
			restored = append(restored, c)
		case c.Before.Lives():
			reverted = append(reverted, c)
		default:
			deleted = append(deleted, c)
		}
	}
	note := func(c records.EventChange, err error) error {
		var conflict *memories.ConflictError
		if errors.Is(err, memories.ErrChanged) || errors.Is(err, memories.ErrNotFound) {
			var failed error
			if err, failed = u.changedSince(ctx, c); failed != nil {
				return failed
			}
		}
		var taken *memories.NameTakenError
		if errors.As(err, &taken) {
			err = &memories.ConflictError{Reason: fmt.Sprintf("Another memory has the name %q now. Nothing was undone.", c.Before.Name)}
		}
		switch {
		case err == nil:
			result.Done = append(result.Done, c)
		case errors.As(err, &conflict):
			result.Refused = append(result.Refused, Refusal{c, err})
		default:
			return err
		}
		return nil
	}
	for len(restored) > 0 {
		n := ofOneAgent(restored)
		refs := make([]engine.MemoryRef, n)
		for i, c := range restored[:n] {
			refs[i].ID = c.MemoryID
		}
		for i, err := range u.Engine.RestoreMany(ctx, restored[0].Agent, refs) {
			if err := note(restored[i], err); err != nil {
				return err
			}
		}
		restored = restored[n:]
	}
	if len(result.Refused) > 0 && spansAgents(changes) {
		return nil
	}
	for _, c := range reverted {
		if err := note(c, u.revert(ctx, c)); err != nil {
			return err
		}
	}
	for _, c := range deleted {
		m, _, err := u.asAfter(ctx, c)
		if err == nil {
			_, err = u.Engine.Delete(ctx, c.Agent, c.MemoryID, engine.ETag(m))
		}
		if err := note(c, err); err != nil {
			return err
		}
	}
	return nil
}

// ofOneAgent returns the number of changes at the beginning that are of the same agent.
func ofOneAgent(changes []records.EventChange) int {
	n := 1
	for n < len(changes) && changes[n].Agent == changes[0].Agent {
		n++
	}
	return n
}

// asAfter returns the memory of a change, with its agent, if it is as after the change. Else it fails
// with memories.ErrChanged.
func (u Undoer) asAfter(ctx context.Context, c records.EventChange) (memories.Memory, records.Agent, error) {
	agent, err := u.Store.AgentUncounted(ctx, c.Agent)
	if err != nil {
		return memories.Memory{}, agent, err
	}
	m, err := u.Store.Revealed(ctx, agent, c.MemoryID)
	if err != nil {
		return m, agent, err
	}
	c.Now = records.MemoryState{State: m.State, Name: m.Name, Team: m.Team, Fingerprint: m.Fingerprint, ModifiedAt: m.ModifiedAt}
	if !c.IsAfter() {
		err = memories.ErrChanged
	}
	return m, agent, err
}

// revert gives a living memory the age, scope, name and text that it had before a change.
func (u Undoer) revert(ctx context.Context, c records.EventChange) error {
	m, agent, err := u.asAfter(ctx, c)
	if err != nil {
		return err
	}
	before, etag := c.Before, engine.ETag(m)
	switch {
	case c.After.SameText(before):
		_, err = u.Engine.Unverify(ctx, c.Agent, m.ID, etag, before.ModifiedAt)
		return err
	case before.Team != m.Team:
		result, err := u.Engine.Move(ctx, c.Agent, m.ID, etag, engine.Destination{Scope: memories.ScopeOf(before.Team)})
		if err != nil || before.Name == m.Name && before.Fingerprint == m.Fingerprint {
			return err
		}
		m, etag = result.Memory, engine.ETag(result.Memory)
	case before.Name != m.Name && before.Fingerprint == m.Fingerprint:
		_, err = u.Engine.Patch(ctx, c.Agent, m.ID, etag, engine.Patch{Name: &before.Name})
		return err
	}
	raw, err := u.Store.RawOfHash(ctx, agent, m.ID, before.Hash)
	if err != nil {
		return err
	}
	if raw == nil {
		return errNotKept
	}
	// The earlier bytes say the name, or the path does.
	layout := agents.Agent{Layout: agents.Layout(agent.Layout)}
	text := layout.Parse(raw, m.Path)
	if layout.IsNote(m.Path) || text.Name == m.Name && before.Name == m.Name {
		_, err = u.Engine.Revert(ctx, c.Agent, m.ID, etag, m.Path, before.Hash, before.ModifiedAt)
	} else {
		patch := engine.Patch{Name: &before.Name, Type: &text.Type, Description: &text.Description, Body: &text.Body}
		_, err = u.Engine.Patch(ctx, c.Agent, m.ID, etag, patch)
	}
	return err
}

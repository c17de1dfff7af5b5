package records

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"memoir/internal/access"
	"memoir/internal/memories"
)

// Action identifies the request that makes a change. The journal records it with each change.
type Action struct {
	// ID is the same for all changes of the request. It is empty if they are not to be undone together.
	ID string
	// Browser is the random id of the browser that made the request; empty for other programs.
	Browser string
	// Person is the name of the principal that made the request; empty for the owner, and for the tokens
	// of the settings.
	Person string
}

type actionKey struct{}

// InAction returns a copy of ctx for changes that are part of the action. It does not apply to changes
// that a scan finds on disk.
func InAction(ctx context.Context, a Action) context.Context {
	return context.WithValue(ctx, actionKey{}, a)
}

// ActionOf returns the action set by InAction, or the zero Action. Without a Person, it has the name in
// the grant of ctx.
func ActionOf(ctx context.Context) Action {
	a, _ := ctx.Value(actionKey{}).(Action)
	a.Person = cmp.Or(a.Person, access.Of(ctx).Name)
	return a
}

const reviewAction, undoAction = "review-", "undo-"

// ReviewAction returns the id of the action that decides about an item of the review.
func ReviewAction(item string) string { return reviewAction + item }

// ReviewedItem returns the item that the action with the id decides about. ok is false for any other
// action.
func ReviewedItem(action string) (item string, ok bool) {
	return strings.CutPrefix(action, reviewAction)
}

// UndoAction returns the id of the action that undoes an event.
func UndoAction(event string) string { return undoAction + event }

// IsUndo reports whether the action with the id undoes an event.
func IsUndo(action string) bool { return strings.HasPrefix(action, undoAction) }

// EventKey returns the id of the event that is one entry of the journal. The ids of other events are
// those of actions.
func EventKey(agentID int64, at time.Time, id int64) string {
	return fmt.Sprintf("%d.%d.%d", agentID, at.UnixMicro(), id)
}

// ParseEventKey returns the entry of the journal that EventKey identifies. ok is false for the id of an
// action.
func ParseEventKey(event string) (agentID int64, at time.Time, id int64, ok bool) {
	var micro int64
	n, err := fmt.Sscanf(event, "%d.%d.%d", &agentID, &micro, &id)
	return agentID, time.UnixMicro(micro).UTC(), id, err == nil && n == 3 && EventKey(agentID, time.UnixMicro(micro), id) == event
}

// EventChange is what an event of the journal, one entry or all of an action, has changed of a memory.
type EventChange struct {
	Agent    string // slug
	MemoryID string
	Kind     memories.ActivityKind // of the last entry
	At       time.Time             // of the last entry
	IsNew    bool                  // the event has created the memory
	// Before and After are the memory before and after the event, and Now as it is.
	Before, After, Now MemoryState
}

// MemoryState is a memory at a moment. It is zero if the memory did not exist.
type MemoryState struct {
	State       memories.State
	Name        string // not masked
	Team        bool
	Fingerprint memories.Fingerprint // zero if the content is no longer stored
	Hash        string               // of the file; empty for the state now
	ModifiedAt  time.Time
}

// Lives reports whether the memory exists and is not in the trash.
func (s MemoryState) Lives() bool { return s.State != "" && s.State != memories.Deleted }

// SameText reports whether both states have the same name, scope and content, or do not live.
func (s MemoryState) SameText(o MemoryState) bool {
	if !s.Lives() || !o.Lives() {
		return s.Lives() == o.Lives()
	}
	return s.Name == o.Name && s.Team == o.Team && s.Fingerprint == o.Fingerprint
}

// isVerification reports whether the event has changed nothing but the age.
func (c EventChange) isVerification() bool { return c.Before.SameText(c.After) }

// statedPrecision is the precision of a modification time that a file states in its text.
const statedPrecision = time.Second

// IsBefore and IsAfter report whether the memory is as before or after the event.
func (c EventChange) IsBefore() bool { return c.isNow(c.Before, c.After) }
func (c EventChange) IsAfter() bool  { return c.isNow(c.After, c.Before) }

// isNow reports whether the memory is in the state s, and not in the other one.
func (c EventChange) isNow(s, other MemoryState) bool {
	if !c.isVerification() {
		return c.Now.SameText(s)
	}
	distance := c.Now.ModifiedAt.Sub(s.ModifiedAt).Abs()
	return c.Now.SameText(s) && distance < statedPrecision && distance < c.Now.ModifiedAt.Sub(other.ModifiedAt).Abs()
}

// CanUndo reports whether the event can be undone, unless the memory has changed since.
func (c EventChange) CanUndo() bool {
	switch {
	case !c.After.Lives():
		return c.Kind == memories.ActivityDeleted
	case c.IsNew, c.Before.State == memories.Deleted:
		return true
	case !c.Before.Lives(), c.Before.State == memories.Missing, c.After.State == memories.Missing, c.Before.Fingerprint == memories.Fingerprint{}:
		return false
	}
	return c.Kind == memories.ActivityChanged || c.Kind == memories.ActivityRenamed || c.Kind == memories.ActivityVerified
}

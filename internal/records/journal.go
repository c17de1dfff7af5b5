package records

import (
	"time"

	"github.com/google/uuid"

	"memoir/internal/memories"
)

// JournalEntry records one change of a memory. It is written in the transaction of the change, so
// exactly once or not at all.
type JournalEntry struct {
	At            time.Time
	Kind          memories.ActivityKind
	Actor         memories.Actor
	MemoryID      uuid.UUID // uuid.Nil for a blocked content without a memory
	Name          string
	Path, Session string
	// The memory after the change. State is empty for entries about blocked contents; Type is then the
	// content's.
	State      memories.State
	Type       memories.Type
	RevisionID uuid.UUID // uuid.Nil if its contents are deleted
	ModifiedAt time.Time
	Before     CountKey
	OtherName  string // the memory's other name, where it was renamed
	Team       bool   // it is in team memory
}

// CountKey is the state and type of a memory in counts. It is zero before the memory's first entry.
type CountKey struct {
	State memories.State
	Type  memories.Type
}

// IsLiving reports whether the state is neither empty nor Deleted. Memories with other keys are not
// counted as living.
func (l CountKey) IsLiving() bool { return l.State != "" && l.State != memories.Deleted }

// NewJournalEntry returns the journal entry of a change, with the data of h, the memory after the
// change. before is the memory's state and type before the change; it is zero for a new memory.
// OtherName is empty. Nothing is saved.
func NewJournalEntry(h MemoryRow, before CountKey, at time.Time, kind memories.ActivityKind, actor memories.Actor) JournalEntry {
	return JournalEntry{
		At: at, Kind: kind, Actor: actor, MemoryID: h.UUID, Name: h.Name, Path: h.Path, Session: h.Session,
		State: h.State, Type: h.Type, RevisionID: h.RevisionID, ModifiedAt: h.ModifiedAt, Before: before, Team: h.Team,
	}
}

// LastJournalEntry returns the journal entry of a change that removes the memory h and its
// contents. Its State is Deleted, its RevisionID is uuid.Nil, and its Before is h's state and type.
// Nothing is saved.
func LastJournalEntry(h MemoryRow, at time.Time, kind memories.ActivityKind, actor memories.Actor) JournalEntry {
	end := NewJournalEntry(h, h.CountKey(), at, kind, actor)
	end.State, end.RevisionID = memories.Deleted, uuid.Nil
	return end
}

// JournalCleared returns the journal entry, of the kind ActivityCleared, for the removal of h, the
// row of an unreadable file. Its State is Deleted and its RevisionID is uuid.Nil. Nothing is saved.
func JournalCleared(h MemoryRow, at time.Time, actor memories.Actor) JournalEntry {
	return LastJournalEntry(h, at, memories.ActivityCleared, actor)
}

// ActivityList selects a part of the journal. A zero field selects all.
type ActivityList struct {
	AgentID  int64
	Kind     memories.ActivityKind
	Actor    memories.Actor
	Session  string
	Name     string // of the memory, exact
	MemoryID string
	Limit    int    // 1 to MaxLimit
	Cursor   string // the NextCursor of the page before, for the same list
}

// ActivityPage is one part of the journal, newest first.
type ActivityPage struct {
	Activity   []memories.Activity
	NextCursor string // empty at the end
}

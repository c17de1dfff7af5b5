package exchange

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"memoir/internal/memories"
)

// Known is what this Memoir has of a memory, or of a name without one.
type Known struct {
	ID       uuid.UUID // uuid.Nil without a memory
	Readable bool
	Living   bool
	Current  Fingerprint
	History  []Fingerprint // all contents, also the current one
	// Since is when the memory got its content, or was restored. For a deleted memory, it is when it
	// was deleted.
	Since time.Time
	// Restored means that the last change was a restore: a person knows of the deletion.
	Restored bool
	// Pending means that a person has yet to decide about the memory.
	Pending    bool
	Tombstones map[Fingerprint]time.Time
}

func (k Known) had(content Fingerprint) bool { return slices.Contains(k.History, content) }

// Outcome is what an import makes of a memory.
type Outcome string

// The outcomes, as the API spells them.
const (
	New        Outcome = "new"        // the memory is added, with its history
	Changed    Outcome = "changed"    // it gets the newer content
	Deleted    Outcome = "deleted"    // it was deleted there since, and goes to the trash
	Same       Outcome = "same"       // nothing to do, except that its history can grow
	Newer      Outcome = "newer"      // the content here is newer and stays
	Tombstoned Outcome = "tombstoned" // it was deleted here, and stays deleted
	Conflict   Outcome = "conflict"   // both have changed: a person decides in the review
	Pending    Outcome = "pending"    // a person has yet to decide about it, here or there
	Failed     Outcome = "failed"     // it could not be imported
)

// Conflicting is what makes a conflict.
type Conflicting string

// The kinds of conflicts.
const (
	BothChanged  Conflicting = "both changed"
	DeletedHere  Conflicting = "deleted here, changed there"
	DeletedThere Conflicting = "deleted there, changed here"
)

// Decide returns what theirs makes of mine: of a memory or name here. theirs has the same meaning as
// mine. The rules compare histories: a content that the other side had before is older than its
// present one. A deletion is never undone, and it does not remove a later change.
func Decide(mine, theirs Known) (Outcome, Conflicting) {
	switch {
	case mine.Pending || theirs.Pending:
		return Pending, ""
	case theirs.Living && mine.Living:
		return decideLiving(mine, theirs)
	case theirs.Living:
		return decideDeletedHere(mine, theirs)
	case mine.Living:
		return decideDeletedThere(mine, theirs)
	case mine.ID == uuid.Nil && theirs.ID != uuid.Nil:
		return New, "" // in the trash
	}
	return Same, ""
}

func decideLiving(mine, theirs Known) (Outcome, Conflicting) {
	_, deletedHere := mine.Tombstones[theirs.Current]
	_, deletedThere := theirs.Tombstones[mine.Current]
	had, hadThere := mine.had(theirs.Current) || deletedHere, theirs.had(mine.Current) || deletedThere
	switch {
	case mine.Current == theirs.Current:
		return Same, ""
	case had && hadThere && theirs.Since.After(mine.Since):
		return Changed, ""
	case had:
		return Newer, ""
	case hadThere:
		return Changed, ""
	}
	return Conflict, BothChanged
}

// decideDeletedHere decides about a memory that lives there and not here.
func decideDeletedHere(mine, theirs Known) (Outcome, Conflicting) {
	at, isTombstoned := mine.Tombstones[theirs.Current]
	if mine.ID != uuid.Nil && !isTombstoned && mine.had(theirs.Current) {
		at, isTombstoned = mine.Since, true // removed on disk
	}
	switch {
	case isTombstoned && !theirs.Since.After(at):
		return Tombstoned, ""
	case isTombstoned:
		return Conflict, DeletedHere
	case mine.ID == uuid.Nil && len(mine.Tombstones) == 0:
		return New, ""
	}
	// They may have deleted what was deleted here, and learned it again.
	for content := range mine.Tombstones {
		if _, known := theirs.Tombstones[content]; !known {
			return Conflict, DeletedHere
		}
	}
	if mine.ID != uuid.Nil && !theirs.had(mine.Current) {
		return Conflict, DeletedHere
	}
	return New, ""
}

// decideDeletedThere decides about a memory that lives here and not there.
func decideDeletedThere(mine, theirs Known) (Outcome, Conflicting) {
	at, isTombstoned := theirs.Tombstones[mine.Current]
	if theirs.ID != uuid.Nil && !isTombstoned && theirs.had(mine.Current) {
		at, isTombstoned = theirs.Since, true // removed on disk
	}
	switch {
	case isTombstoned && !mine.Since.After(at):
		return Deleted, ""
	case isTombstoned && mine.Restored:
		return Newer, ""
	case theirs.ID == uuid.Nil && !anyOf(mine.History, theirs.Tombstones):
		return Same, "" // they only deleted another memory of this name
	}
	for content := range theirs.Tombstones {
		if _, known := mine.Tombstones[content]; !known {
			return Conflict, DeletedThere
		}
	}
	if theirs.ID != uuid.Nil && len(theirs.Tombstones) == 0 {
		return Conflict, DeletedThere
	}
	return Newer, "" // it was learned again after the same deletions
}

func anyOf(contents []Fingerprint, tombstones map[Fingerprint]time.Time) bool {
	return slices.ContainsFunc(contents, func(f Fingerprint) bool {
		_, ok := tombstones[f]
		return ok
	})
}

// KnownOf returns the names of an agent from elsewhere, as Decide takes them.
func KnownOf(a Agent) map[Key]Known {
	all := map[Key]Known{}
	for _, t := range a.Tombstones {
		k := all[t.Key()]
		if k.Tombstones == nil {
			k.Tombstones = map[Fingerprint]time.Time{}
		}
		k.Tombstones[t.Content] = t.DeletedAt
		all[t.Key()] = k
	}
	last := lastChanges(a.Journal)
	for _, m := range a.Memories {
		if !m.Readable {
			continue // identified by its path, so never the same memory
		}
		k := all[m.Key()]
		k.ID, k.Readable, k.Living, k.Current, k.Since = m.ID, true, m.Deleted == nil, m.Current, m.ContentAt
		for _, r := range m.Revisions {
			k.History = append(k.History, r.Content)
		}
		if change, ok := last[m.ID]; ok && change.At.After(k.Since) {
			k.Since = change.At
		}
		k.Restored = IsRestore(last[m.ID].Kind)
		if m.Deleted != nil {
			k.Since = m.Deleted.At
		}
		all[m.Key()] = k
	}
	for _, key := range a.Pending {
		k := all[key]
		k.Pending = true
		all[key] = k
	}
	return all
}

// lastChanges returns the last change of each memory's content or of its being deleted.
func lastChanges(journal []Entry) map[uuid.UUID]Entry {
	last := map[uuid.UUID]Entry{}
	for _, e := range journal {
		if e.Memory != nil && slices.Contains(ContentKinds, e.Kind) {
			last[*e.Memory] = e
		}
	}
	return last
}

// ContentKinds are the kinds of journal entries that make a content new.
var ContentKinds = []string{
	string(memories.ActivityLearned), string(memories.ActivityChanged), string(memories.ActivityRestored), string(memories.ActivityAllowed),
}

// IsRestore reports whether a kind of journal entry brings a deleted memory back.
func IsRestore(kind string) bool {
	return kind == string(memories.ActivityRestored) || kind == string(memories.ActivityAllowed)
}

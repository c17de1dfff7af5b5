package exchange

import (
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"memoir/internal/memories"
)

// Known is what a Memoir has of a memory, or of a name without one.
type Known struct {
	ID       uuid.UUID // uuid.Nil without a memory
	Readable bool
	Living   bool
	Current  Fingerprint
	History  []Fingerprint // all contents, also the current one
	// Since is when the memory got its content, or was restored. For a deleted memory, it is when it
	// was deleted.
	Since time.Time
	// KeptAt is when a person last restored the memory, or kept it although another machine had deleted
	// it. It is zero if that never happened.
	KeptAt time.Time
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
		switch judge(theirs, mine) {
		case ends:
			return Tombstoned, ""
		case lives:
			return New, ""
		}
		return Conflict, DeletedHere
	case mine.Living:
		switch judge(mine, theirs) {
		case ends:
			return Deleted, ""
		case lives:
			return Newer, ""
		}
		return Conflict, DeletedThere
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

// verdict is what a deletion on one side means for the memory of the other side.
type verdict int

const (
	unclear verdict = iota // a person decides
	ends                   // the deletion ends the memory
	lives                  // the memory outlives the deletion
)

// judge returns what the deletions of gone mean for living, a memory of the same name. A deletion
// ends the content that was deleted. A memory outlives the deletions that its side knew before: a
// person has kept it after all of them, or its side has tombstones of their contents.
func judge(living, gone Known) verdict {
	deletions := gone.Deletions()
	at, isDeleted := deletions[living.Current]
	isKnown, isRelated := true, gone.ID != uuid.Nil
	for content := range deletions {
		if _, ok := living.Tombstones[content]; !ok {
			isKnown = false
		}
		isRelated = isRelated || living.had(content)
	}
	switch {
	case isDeleted && !living.Since.After(at):
		return ends
	case !isRelated, isKnown, living.KeptAt.After(gone.LastDeletion()):
		return lives
	}
	return unclear
}

// Deletions returns when the contents of a name without a living memory were deleted. Those without a
// tombstone were removed on disk.
func (k Known) Deletions() map[Fingerprint]time.Time {
	all := map[Fingerprint]time.Time{}
	for _, content := range k.History {
		all[content] = k.Since
	}
	maps.Copy(all, k.Tombstones)
	return all
}

// LastDeletion returns the time of the last of Deletions.
func (k Known) LastDeletion() (last time.Time) {
	for _, at := range k.Deletions() {
		if at.After(last) {
			last = at
		}
	}
	return last
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
	since, kept := lastEntries(a.Journal)
	for _, m := range a.Memories {
		if !m.Readable {
			continue // identified by its path, so never the same memory
		}
		k := all[m.Key()]
		k.ID, k.Readable, k.Living, k.Current, k.Since, k.KeptAt = m.ID, true, m.Deleted == nil, m.Current, m.ContentAt, kept[m.ID]
		for _, r := range m.Revisions {
			k.History = append(k.History, r.Content)
		}
		if at := since[m.ID]; at.After(k.Since) {
			k.Since = at
		}
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

// lastEntries returns, for each memory of a journal, the time of the last entry that makes its content
// new, and of the last one by which a person has kept it.
func lastEntries(journal []Entry) (since, kept map[uuid.UUID]time.Time) {
	since, kept = map[uuid.UUID]time.Time{}, map[uuid.UUID]time.Time{}
	for _, e := range journal {
		if e.Memory == nil {
			continue
		}
		if slices.Contains(ContentKinds, e.Kind) {
			since[*e.Memory] = e.At
		}
		if slices.Contains(KeepingKinds, e.Kind) && e.Actor.IsRequest() {
			kept[*e.Memory] = e.At
		}
	}
	return since, kept
}

// ContentKinds are the kinds of journal entries that make a content new.
var ContentKinds = []string{
	string(memories.ActivityLearned), string(memories.ActivityChanged), string(memories.ActivityRestored), string(memories.ActivityAllowed),
	string(memories.ActivityKept),
}

// KeepingKinds are the kinds of journal entries by which a person keeps a memory that was deleted. A
// file that returns on disk restores its memory too, without a person.
var KeepingKinds = []string{string(memories.ActivityRestored), string(memories.ActivityKept)}

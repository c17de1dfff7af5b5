package reconcile

import (
	"slices"
	"strings"
	"time"

	"memoir/internal/memories"
	"memoir/internal/records"
)

// journalCreated adds an entry for a new memory, or for a further content that it gets in the same
// scan. The entry has the time of the file's content, so the history starts before the scan.
func (r *reconciler) journalCreated(m *memoryState, s ScannedFile) {
	kind := memories.ActivityLearned
	if m.countKey != (records.CountKey{}) {
		kind = memories.ActivityChanged
	}
	state := memories.Active
	if s.File.Type == "" || s.File.Unreadable {
		state = memories.NeedsAttention
	}
	entry := records.NewJournalEntry(m.row, m.countKey, r.knownTime(s.ContentAt), kind, r.origin.actorFor(&s))
	entry.State = state
	if kind == memories.ActivityLearned {
		m.createdIndex = len(r.out.ChangeSet.Activity)
	}
	m.countKey = records.CountKey{State: state, Type: entry.Type}
	r.out.ChangeSet.Activity = append(r.out.ChangeSet.Activity, entry)
}

// journalBlocked adds an entry for a blocked content. It adds none if the file had the same blocked
// content at the last scan.
func (r *reconciler) journalBlocked(s ScannedFile, row records.File) {
	if s.wasPresent() && s.Known.Status == records.Blocked && s.Known.Fingerprint == s.Fingerprint {
		return
	}
	r.out.ChangeSet.Activity = append(r.out.ChangeSet.Activity, records.JournalEntry{
		At: r.at, Kind: memories.ActivityBlocked, Actor: r.origin.actorFor(&s), MemoryID: row.MemoryID, Name: s.File.Name,
		Path: s.Path, Session: s.Session, Type: s.File.Type,
	})
}

// journalChanged adds the entries for the changed memories that existed before the scan, sorted by
// name. It removes the entries of new memories that were dropped in the same scan.
func (r *reconciler) journalChanged() {
	var entries []records.JournalEntry
	for _, m := range r.ordered() {
		switch {
		case m.isNew && m.dropped:
			r.out.ChangeSet.Activity = slices.DeleteFunc(r.out.ChangeSet.Activity, func(entry records.JournalEntry) bool { return entry.MemoryID == m.row.UUID })
		case !m.merged && (m.isNew || !m.touched):
		case m.dropped, m.merged:
			entries = append(entries, records.JournalCleared(m.before, r.at, r.origin.actorFor(nil)))
		default:
			if kind := m.activityKind(); kind != "" {
				entries = append(entries, m.journalEntry(r.at, kind, r.origin.actorFor(m.changedBy)))
			}
		}
	}
	slices.SortStableFunc(entries, func(a, b records.JournalEntry) int { return strings.Compare(a.Name, b.Name) })
	r.linkSuccessors(entries)
	r.out.ChangeSet.Activity = append(r.out.ChangeSet.Activity, entries...)
}

// journalEntry returns the entry for a memory that existed before the scan. For a deletion, it also
// sets the actor in the memory's row.
func (m *memoryState) journalEntry(at time.Time, kind memories.ActivityKind, actor memories.Actor) records.JournalEntry {
	if kind == memories.ActivityDeleted {
		m.row.DeletedActor = actor
	}
	entry := records.NewJournalEntry(m.row, m.before.CountKey(), at, kind, actor)
	if kind == memories.ActivityRenamed {
		entry.OtherName = m.before.Name
	}
	return entry
}

// activityKind returns the kind of entry for a memory that existed before the scan. It is empty if
// name, state and content are unchanged.
func (m *memoryState) activityKind() memories.ActivityKind {
	before, after := m.before.State, m.row.State
	switch {
	case m.isRenamed():
		return memories.ActivityRenamed
	case after == before && m.row.Fingerprint == m.before.Fingerprint:
		return ""
	case before == memories.Deleted:
		return memories.ActivityRestored
	case after == memories.Deleted:
		return memories.ActivityDeleted
	case after == before:
		return memories.ActivityChanged
	case after == memories.Missing:
		return memories.ActivityMissing
	case before == memories.Missing:
		return memories.ActivityReturned
	default:
		return memories.ActivityChanged
	}
}

// linkSuccessors sets OtherName in the entry of each deleted memory and in the first entry of its
// successor. The successor is the new memory that has its file now. Otherwise it is the new one of
// the same name and content in the other scope. A deleted memory without a successor stays as it
// is.
func (r *reconciler) linkSuccessors(entries []records.JournalEntry) {
	for i := range entries {
		deleted := &entries[i]
		if deleted.Kind != memories.ActivityDeleted {
			continue
		}
		successor := r.successors[deleted.MemoryID]
		if successor == nil {
			successor = r.movedTo(r.byID[deleted.MemoryID])
		}
		if successor != nil {
			deleted.OtherName = successor.row.Name
			r.out.ChangeSet.Activity[successor.createdIndex].OtherName = deleted.Name
		}
	}
}

// movedTo returns the memory that this scan has created with the name and content of a deleted one,
// in the other scope (private or team). It is nil if that memory does not exist.
func (r *reconciler) movedTo(deleted *memoryState) *memoryState {
	key := deleted.row.Key()
	key.Team = !key.Team
	if m := r.byKey[key]; m != nil && m.isNew && m.row.Fingerprint == deleted.row.Fingerprint {
		return m
	}
	return nil
}

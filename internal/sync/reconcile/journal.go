package reconcile

import (
	"slices"
	"strings"
	"time"

	"memoir/internal/memories"
	"memoir/internal/records"
)

// journalCreated notes that the file has brought a new memory, or the next content of one that is new in this scan: its story
// begins as far back as its files tell.
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

// journalBlocked notes that a content was blocked, once for as long as it stays in the file.
func (r *reconciler) journalBlocked(s ScannedFile, row records.File) {
	if s.wasPresent() && s.Known.Status == records.Blocked && s.Known.Fingerprint == s.Fingerprint {
		return
	}
	r.out.ChangeSet.Activity = append(r.out.ChangeSet.Activity, records.JournalEntry{
		At: r.at, Kind: memories.ActivityBlocked, Actor: r.origin.actorFor(&s), MemoryID: row.MemoryID, Name: s.File.Name,
		Path: s.Path, Session: s.Session, Type: s.File.Type,
	})
}

// journalChanged notes what the scan means for the memories that were there before, by name.
func (r *reconciler) journalChanged() {
	var known []records.JournalEntry
	for _, m := range r.byID {
		switch {
		case m.isNew && m.dropped:
			r.out.ChangeSet.Activity = slices.DeleteFunc(r.out.ChangeSet.Activity, func(entry records.JournalEntry) bool { return entry.MemoryID == m.row.UUID })
		case !m.merged && (m.isNew || !m.touched):
		case m.dropped, m.merged:
			known = append(known, records.JournalCleared(m.before, r.at, r.origin.actorFor(nil)))
		default:
			if kind := m.activityKind(); kind != "" {
				known = append(known, m.journalEntry(r.at, kind, r.origin.actorFor(m.changedBy)))
			}
		}
	}
	slices.SortFunc(known, func(a, b records.JournalEntry) int { return strings.Compare(a.Name, b.Name) })
	r.linkRenamed(known)
	r.out.ChangeSet.Activity = append(r.out.ChangeSet.Activity, known...)
}

// journalEntry returns the journal's entry for a memory that was there before. The trash names the same actor.
func (m *memoryState) journalEntry(at time.Time, kind memories.ActivityKind, actor memories.Actor) records.JournalEntry {
	if kind == memories.ActivityDeleted {
		m.row.DeletedActor = actor
	}
	entry := records.NewJournalEntry(m.row, m.before.CountKey(), at, kind, actor)
	if kind == memories.ActivityRenamed {
		entry.Renamed = m.before.Name
	}
	return entry
}

// activityKind says what the scan means for a memory that was there before; empty: nothing that anybody should know.
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

// linkRenamed names to each other the memory that went and the new one that its file carries now.
func (r *reconciler) linkRenamed(known []records.JournalEntry) {
	for i := range known {
		went := &known[i]
		if went.Kind != memories.ActivityDeleted {
			continue
		}
		m := r.renamed[went.MemoryID]
		if m == nil {
			m = r.movedTo(r.byID[went.MemoryID])
		}
		if m != nil {
			went.Renamed = m.row.Name
			r.out.ChangeSet.Activity[m.createdIndex].Renamed = went.Name
		}
	}
}

// movedTo returns what a memory that has gone is between private and team memory now, where the very content came up there; nil: it
// did not.
func (r *reconciler) movedTo(went *memoryState) *memoryState {
	key := went.row.Key()
	key.Team = !key.Team
	if m := r.byKey[key]; m != nil && m.isNew && m.row.Fingerprint == went.row.Fingerprint {
		return m
	}
	return nil
}

package sync

import (
	"slices"
	"strings"
	"time"

	"memoir/internal/memories"
	"memoir/internal/records"
)

// learn notes that the file has brought a new memory, or the next content of one that is new in this look: its story
// begins as far back as its files tell.
func (d *desk) learn(pg *page, s sighting) {
	kind := memories.ActivityLearned
	if pg.life != (records.CountKey{}) {
		kind = memories.ActivityChanged
	}
	state := memories.Active
	if s.file.Type == "" || s.file.Unreadable {
		state = memories.NeedsAttention
	}
	h := records.NewJournalEntry(pg.head, pg.life, d.knownTime(s.contentAt), kind, d.cause.actorIn(&s))
	h.State = state
	if kind == memories.ActivityLearned {
		pg.learned = len(d.out.batch.Activity)
	}
	pg.life = records.CountKey{State: state, Type: h.Type}
	d.out.batch.Activity = append(d.out.batch.Activity, h)
}

// keptOut notes that a content was kept out, once for as long as it stays in the file.
func (d *desk) keptOut(s sighting, row records.File) {
	if s.wasThere() && s.known.Status == records.Blocked && s.known.Fingerprint == s.fingerprint {
		return
	}
	d.out.batch.Activity = append(d.out.batch.Activity, records.JournalEntry{
		At: d.at, Kind: memories.ActivityBlocked, Actor: d.cause.actorIn(&s), MemoryID: row.MemoryID, Name: s.file.Name,
		Path: s.path, Session: s.session, Type: s.file.Type,
	})
}

// journal notes what the look means for the memories that were there before, by name.
func (d *desk) journal() {
	var known []records.JournalEntry
	for _, pg := range d.byID {
		switch {
		case pg.isNew && pg.dropped:
			d.out.batch.Activity = slices.DeleteFunc(d.out.batch.Activity, func(h records.JournalEntry) bool { return h.MemoryID == pg.head.UUID })
		case !pg.merged && (pg.isNew || !pg.touched):
		case pg.dropped, pg.merged:
			known = append(known, records.JournalCleared(pg.before, d.at, d.cause.actorIn(nil)))
		default:
			if kind := pg.becomes(); kind != "" {
				known = append(known, pg.happens(d.at, kind, d.cause.actorIn(pg.by)))
			}
		}
	}
	slices.SortFunc(known, func(a, b records.JournalEntry) int { return strings.Compare(a.Name, b.Name) })
	d.linkRenamed(known)
	d.out.batch.Activity = append(d.out.batch.Activity, known...)
}

// happens returns the journal's entry for a memory that was there before. The trash names the same actor.
func (pg *page) happens(at time.Time, kind memories.ActivityKind, actor memories.Actor) records.JournalEntry {
	if kind == memories.ActivityDeleted {
		pg.head.DeletedActor = actor
	}
	h := records.NewJournalEntry(pg.head, pg.before.CountKey(), at, kind, actor)
	if kind == memories.ActivityRenamed {
		h.Renamed = pg.before.Name
	}
	return h
}

// becomes says what the look means for a memory that was there before; empty: nothing that anybody should know.
func (pg *page) becomes() memories.ActivityKind {
	before, after := pg.before.State, pg.head.State
	switch {
	case pg.isRenamed():
		return memories.ActivityRenamed
	case after == before && pg.head.Fingerprint == pg.before.Fingerprint:
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
func (d *desk) linkRenamed(known []records.JournalEntry) {
	for i := range known {
		went := &known[i]
		if went.Kind != memories.ActivityDeleted {
			continue
		}
		pg := d.renamed[went.MemoryID]
		if pg == nil {
			pg = d.movedTo(d.byID[went.MemoryID])
		}
		if pg != nil {
			went.Renamed = pg.head.Name
			d.out.batch.Activity[pg.learned].Renamed = went.Name
		}
	}
}

// movedTo returns what a memory that has gone is between private and team memory now, where the very content came up there; nil: it
// did not.
func (d *desk) movedTo(went *page) *page {
	key := went.head.Key()
	key.Team = !key.Team
	if pg := d.byKey[key]; pg != nil && pg.isNew && pg.head.Fingerprint == went.head.Fingerprint {
		return pg
	}
	return nil
}

package reconcile

import (
	"slices"
	"time"

	"memoir/internal/memories"
	"memoir/internal/records"
)

// Observed is the result of reading a part of an agent's directory in one scan.
type Observed struct {
	At      time.Time // of the scan
	Scanned []ScannedFile
	Removed []records.File // files that were present before and are absent now
	// PrimaryCount is the number of memories that files of the primary directory mirrored before
	// the scan. It may be 0 if the scan can remove at most MassRemoval memories.
	PrimaryCount int
	// PrimaryAway reports whether the primary directory is absent, or was replaced and not fully
	// scanned since. The absence of its files then has no effect on memories.
	PrimaryAway bool
	// PrimaryReplaced reports whether another directory has replaced the primary one. Memories that
	// have no file in it become missing, not deleted.
	PrimaryReplaced bool
	// PrimaryID identifies the primary directory that was walked. It is nil if the directory is
	// absent.
	PrimaryID *records.DirectoryID
	Origin    Origin
	// IsNote reports whether the file at a path is a note, by which Memoir asks a client to change a
	// memory. It is nil if the agent has none. A note and the client's file are no conflict, and many
	// notes may end at once.
	IsNote func(path string) bool
}

// MaxRemovals returns the largest number of files that can have left their memories: the removed
// files, and the scanned files that were present before.
func (o Observed) MaxRemovals() int {
	n := len(o.Removed)
	for _, s := range o.Scanned {
		if s.wasPresent() {
			n++
		}
	}
	return n
}

// ContainsKey reports whether a readable scanned file states the key, with a content that has no
// tombstone in tombstones. A content whose only tombstone is allowed counts too.
func (o Observed) ContainsKey(key memories.Key, tombstones map[records.Tombstone]bool, allowed records.Tombstone) bool {
	return slices.ContainsFunc(o.Scanned, func(s ScannedFile) bool {
		t := records.Tombstone{Key: s.Key(), Fingerprint: s.Fingerprint}
		return !s.File.Unreadable && t.Key == key && (t == allowed || !tombstones[t])
	})
}

// advanceTime makes At later than every known time of the given memories, because the clock may
// have been set back. Scanned files whose ContentAt is the old At get the new time. If At is later
// already, nothing changes.
func (o *Observed) advanceTime(rows []records.MemoryRow) {
	at := o.At
	for _, row := range rows {
		at = row.After(at)
	}
	for i := range o.Scanned {
		if o.Scanned[i].ContentAt.Equal(o.At) {
			o.Scanned[i].ContentAt = at
		}
	}
	o.At = at
}

// Origin is the reason why a file has changed. The zero Origin is a change on disk by another
// program.
type Origin struct {
	// Actor is recorded in the journal. If it is empty, the actor follows from the file.
	Actor memories.Actor
	// Rename gives a memory the key that a scanned file states. It is nil if no memory is renamed.
	Rename *records.Rename
}

// actorFor returns the journal's actor for a change by the file s: Actor if it is set, else
// memories.BySession for a session's file, and memories.ByDisk for any other. s is nil if no single
// file made the change.
func (o Origin) actorFor(s *ScannedFile) memories.Actor {
	switch {
	case o.Actor != "":
		return o.Actor
	case s != nil && !s.isPrimary():
		return memories.BySession
	default:
		return memories.ByDisk
	}
}

// KnownState contains the rows and texts that Run compares a scan with.
type KnownState struct {
	records.KnownState
	// Sources are primary files of the memories in Heads, with another content than the memory. Run
	// may make one of them the source of its memory.
	Sources []ScannedFile
}

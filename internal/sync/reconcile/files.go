package reconcile

import (
	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/internal/sync/events"
)

// applyRemoved records in the file's row that it is absent, and detaches it from its memory. It
// ends the block of a blocked file, and removes the entry for an unreadable one. A file that is
// marked for removal keeps the mark.
func (r *reconciler) applyRemoved(f records.File) {
	r.detach(f)
	r.dropUnreadable(f.Path)
	if f.Status == records.Blocked {
		r.out.ChangeSet.Unblock = append(r.out.ChangeSet.Unblock, f.Path)
	}
	f.Present, f.Signature, f.Flaws, f.Unfinished = false, 0, 0, 0
	if f.Status != records.Removing { // the deletion has still to take it out of the indexes
		f.Status, f.Problem = records.Mirrored, ""
	}
	r.out.ChangeSet.Files = append(r.out.ChangeSet.Files, f)
}

// detach removes a present file from its memory. If the file is primary, removeOrphans checks later
// whether the memory has lost its last file. It does nothing for an absent file and for one without
// a known memory.
func (r *reconciler) detach(f records.File) {
	m := r.byID[f.MemoryID]
	if m == nil || !f.Present {
		return
	}
	delete(m.files, f.Path)
	m.touched = true
	if f.IsPrimary() && !r.primaryAway {
		if r.isNote != nil && r.isNote(f.Path) {
			r.lostNotes = append(r.lostNotes, m)
		} else {
			r.lostPrimary = append(r.lostPrimary, m)
		}
		if f.Status == records.Mirrored {
			m.formerContents = append(m.formerContents, f.Fingerprint)
		}
	}
}

// applyScanned decides the status of a scanned file: unfinished, blocked, unreadable or mirrored.
// It adds the file's row to the change set, but only collects a blocked file in r.blocked. It
// ignores a file that a deletion has still to remove.
func (r *reconciler) applyScanned(s ScannedFile) {
	if s.AwaitsRemoval() {
		return
	}
	row := records.File{
		Path: s.Path, Session: s.Session, Status: records.Mirrored, Present: true, Fingerprint: s.Fingerprint, Hash: s.Hash,
		Size: s.Size, ModTime: s.ModTime, ModifiedAt: s.ModifiedAt, ContentAt: s.ContentAt, Signature: s.Signature, Flaws: s.Flaws,
	}
	if m := r.unfinished(s); m != nil {
		r.keepLastGood(m, s, row)
		return
	}
	// Without a hash the content is unknown, and no tombstone applies.
	blocked := s.Hash != "" && r.wasDeleted(s)
	if s.wasPresent() && s.Known.Status == records.Blocked && !(blocked && s.Known.Fingerprint == s.Fingerprint) {
		// A content that stays blocked keeps its entry and ID: a user may be about to allow it.
		r.out.ChangeSet.Unblock = append(r.out.ChangeSet.Unblock, s.Path)
	}
	switch {
	case blocked:
		r.blocked = append(r.blocked, blockedFile{s, row})
		return
	case s.File.Unreadable:
		r.applyUnreadable(s, &row)
	default:
		r.dropUnreadable(s.Path)
		r.attach(s, &row)
	}
	addFile(&r.out.ChangeSet, s, row)
}

// addFile adds the row of a scanned file to the change set: to NewFiles if the file had no row
// before, else to Files.
func addFile(b *records.ChangeSet, s ScannedFile, row records.File) {
	if s.Known == nil {
		b.NewFiles = append(b.NewFiles, row)
	} else {
		b.Files = append(b.Files, row)
	}
}

// wasDeleted reports whether the file's content has a tombstone under the name and scope that the
// file states.
func (r *reconciler) wasDeleted(s ScannedFile) bool {
	return r.tombstones[records.Tombstone{Key: s.Key(), Fingerprint: s.Fingerprint}]
}

// block records that the file's content is blocked, saves its row, and adds a journal entry. If a
// memory has the file's key, the file belongs to it, but does not change its content.
func (r *reconciler) block(s ScannedFile, row records.File) {
	r.dropUnreadable(s.Path)
	row.Status, row.Signature = records.Blocked, 0 // a user may allow it, and a scan must read it then
	m := r.byKey[s.Key()]
	if s.File.Unreadable {
		m = nil
	}
	r.detachPrevious(s, m)
	if m != nil {
		row.MemoryID = m.row.UUID
		m.files[s.Path] = row
		m.touched = true
	}
	addFile(&r.out.ChangeSet, s, row)
	r.out.ChangeSet.Block = append(r.out.ChangeSet.Block, records.BlockedFile{
		Blocked: memories.Blocked{
			Name: s.File.Name, Team: s.Team, Type: s.File.Type, Description: s.File.Description, Body: s.File.Body, Path: s.Path,
			Session: s.Session, Hash: s.Hash, SeenAt: r.at,
		},
		Fingerprint: s.Fingerprint,
	})
	r.journalBlocked(s, row)
}

// applyUnreadable records the file as unreadable, and lists it as a memory of its own, by its path.
// It restores that memory if it is in the trash. The memory that the file mirrored when it was
// readable keeps the file and its content.
func (r *reconciler) applyUnreadable(s ScannedFile, row *records.File) {
	row.Status = records.Unreadable
	row.Problem = s.File.Problems[0].Code
	if s.wasPresent() {
		row.MemoryID, row.Flaws = s.Known.MemoryID, s.Known.Flaws
	}
	if previous := r.byID[row.MemoryID]; previous != nil {
		previous.files[s.Path] = *row
		previous.touched = true
	}
	m := r.unreadable[s.Path]
	if m == nil {
		m = r.create(s)
		r.unreadable[s.Path] = m
	}
	if m.row.State == memories.Deleted {
		r.undelete(m, s)
	} else {
		r.setContent(m, s)
	}
}

// dropUnreadable removes the entry for an unreadable file at path, if there is one.
func (r *reconciler) dropUnreadable(path string) {
	if m := r.unreadable[path]; m != nil {
		m.dropped, m.touched = true, true
		delete(r.unreadable, path)
	}
}

// attach assigns a readable file to the memory whose key it states. It first renames a memory to
// that key if the scan is one of a requested rename. It creates the memory if none has the key. It
// does not set the memory's content: resolveFile does later.
func (r *reconciler) attach(s ScannedFile, row *records.File) {
	m := r.byKey[s.Key()]
	r.detachPrevious(s, m)
	if renaming := r.origin.Rename; renaming != nil && renaming.To == s.Key() {
		m = r.rename(*renaming)
	}
	if m == nil {
		m = r.create(s)
		r.byKey[s.Key()] = m
	}
	if m.isNew && s.Known != nil && s.Known.MemoryID != uuid.Nil {
		r.successors[s.Known.MemoryID] = m
	}
	row.MemoryID = m.row.UUID
	m.files[s.Path] = *row
	m.touched = true
	r.contents = append(r.contents, s)
	if s.isPrimary() {
		r.sources[s.Path] = s
	}
}

// detachPrevious detaches the file from the memory that it belonged to before the scan, unless that
// memory is m. A nil m means that no known memory has the file now. It does nothing for a file that
// was not present.
func (r *reconciler) detachPrevious(s ScannedFile, m *memoryState) {
	if !s.wasPresent() || s.Known.MemoryID == uuid.Nil || m != nil && s.Known.MemoryID == m.row.UUID {
		return
	}
	r.detach(*s.Known)
	previous := r.byID[s.Known.MemoryID]
	if previous != nil && previous.row.Fingerprint == s.Known.Fingerprint && s.IsExtension && s.Known.Unfinished == 0 {
		r.renamedInPlace = append(r.renamedInPlace, previous)
	}
}

// create returns a new memory with the key of the file. The caller adds it to byKey or unreadable,
// and sets its content.
func (r *reconciler) create(s ScannedFile) *memoryState {
	id := uuid.Must(uuid.NewV7())
	m := &memoryState{isNew: true, touched: true, kind: events.Saved, files: map[string]records.File{}, row: records.MemoryRow{
		UUID: id,
		Memory: memories.Memory{
			ID: id.String(), Name: s.File.Name, Team: s.Team, Readable: !s.File.Unreadable, State: memories.Active,
			CreatedAt: r.knownTime(s.ContentAt), UpdatedAt: r.knownTime(s.ContentAt),
		},
	}}
	r.byID[id] = m
	return m
}

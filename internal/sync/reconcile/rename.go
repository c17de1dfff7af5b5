package reconcile

import (
	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/internal/sync/events"
)

// rename gives a known memory the key renaming.To and returns it; a second rename does nothing. The
// history of a deleted memory with that key becomes its own. If a living memory has the key, rename
// returns that one instead. It returns nil if the ID is unknown. It empties the memory's files: the
// caller attaches the scanned file with the new name.
func (r *reconciler) rename(renaming records.Rename) *memoryState {
	m := r.byID[renaming.ID]
	if m == nil || m.isRenamed() {
		return m
	}
	renaming.From, renaming.At = m.row.Key(), r.at
	deleted := r.byKey[renaming.To]
	if deleted != nil && deleted.row.State != memories.Deleted {
		return deleted
	}
	m.files, m.formerContents = map[string]records.File{}, nil
	if deleted != nil {
		renaming.Deleted, deleted.merged, m.files = deleted.row.UUID, true, deleted.files
		m.row.CreatedAt = earlier(m.row.CreatedAt, deleted.row.CreatedAt)
	}
	delete(r.byKey, renaming.From)
	r.byKey[renaming.To] = m
	m.row.Name, m.row.Team = renaming.To.Name, renaming.To.Team
	if m.row.State == memories.Missing {
		m.row.State = memories.Active
	}
	m.touched, m.kind, m.row.UpdatedAt = true, events.Saved, r.at
	r.out.ChangeSet.Renames = append(r.out.ChangeSet.Renames, renaming)
	return m
}

// isRenamed reports whether a memory that existed before the scan has another key now.
func (m *memoryState) isRenamed() bool {
	return m.before.UUID != uuid.Nil && m.row.Key() != m.before.Key()
}

// findSlugRenames sets newKeys: it finds the memories whose files all state the slug of the name.
// Claude Code changes a name to its slug when it first edits a file.
func (r *reconciler) findSlugRenames(o Observed) {
	candidates := map[string]ScannedFile{} // files that may state another name than before, by path
	stated := map[memories.Key]bool{}      // keys that the readable scanned files state
	for _, s := range o.Scanned {
		if s.mayStateOtherName() {
			candidates[s.Path] = s
		}
		if !s.File.Unreadable && !r.wasDeleted(s) {
			stated[s.Key()] = true
		}
	}
	for _, s := range o.Scanned {
		if _, ok := candidates[s.Path]; !ok || !s.isPrimary() {
			continue
		}
		m := r.byID[s.Known.MemoryID]
		if m == nil || !m.isLive() || !memories.IsSlugOf(s.File.Name, m.row.Name) || !r.isFree(s.Key()) || stated[m.row.Key()] {
			continue
		}
		if m.allFilesState(s.Key(), candidates) && !r.isBlocked(s, m) && r.unfinished(s) == nil {
			r.newKeys[m.row.UUID] = s.Key()
		}
	}
}

// mayStateOtherName reports whether a file mirrored a memory at the last scan and can state another
// name now: it is readable and not nameless.
func (s ScannedFile) mayStateOtherName() bool {
	return s.wasPresent() && s.Known.Status == records.Mirrored && s.Known.MemoryID != uuid.Nil && !s.File.Unreadable && s.Flaws&memories.FlawNameless == 0
}

// isFree reports whether the key is unused, or used by a deleted memory.
func (r *reconciler) isFree(key memories.Key) bool {
	m := r.byKey[key]
	return m == nil || m.row.State == memories.Deleted
}

// allFilesState reports whether every file of the memory states the key now. It ignores blocked
// files.
func (m *memoryState) allFilesState(key memories.Key, scanned map[string]ScannedFile) bool {
	for p, f := range m.files {
		s, ok := scanned[p]
		if f.Status != records.Blocked && (!ok || s.Key() != key) {
			return false
		}
	}
	return true
}

// isBlocked reports whether the file's content was deleted under the name that the file states. The
// memory's own content is never blocked.
func (r *reconciler) isBlocked(s ScannedFile, m *memoryState) bool {
	return s.Fingerprint != m.row.Fingerprint && r.wasDeleted(s)
}

// slugRename returns the rename that findSlugRenames found for the memory that the file mirrored,
// or nil.
func (r *reconciler) slugRename(s ScannedFile) *records.Rename {
	if s.Known == nil {
		return nil
	}
	if to, ok := r.newKeys[s.Known.MemoryID]; !ok || to != s.Key() {
		return nil
	}
	return &records.Rename{ID: s.Known.MemoryID, To: s.Key(), Content: s.Fingerprint, ByFile: true}
}

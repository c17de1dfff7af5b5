package reconcile

import (
	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/internal/sync/events"
)

// rename gives a known memory another key, and returns its page. The memory keeps its history, and gets that of a deleted memory
// which had the key. Files that said the old name are no longer its files. The caller attaches the file with the new name.
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

// isRenamed reports whether a known memory has another key than before the scan.
func (m *memoryState) isRenamed() bool {
	return m.before.UUID != uuid.Nil && m.row.Key() != m.before.Key()
}

// renamedOnDisk finds the memories whose files all state the slug of the name now. Claude Code gives a name that form
// when it edits a file for the first time.
func (r *reconciler) renamedOnDisk(o Observed) {
	r.newKeys = map[uuid.UUID]memories.Key{}
	leaves := map[string]ScannedFile{} // by path: the files that may state another name than before
	stated := map[memories.Key]bool{}  // the names that the files of this scan state
	for _, s := range o.Scanned {
		if s.mayStateOtherName() {
			leaves[s.Path] = s
		}
		if !s.File.Unreadable && !r.wasDeleted(s) {
			stated[s.Key()] = true
		}
	}
	for _, s := range o.Scanned {
		if _, ok := leaves[s.Path]; !ok || !s.isPrimary() {
			continue
		}
		m := r.byID[s.Known.MemoryID]
		if m == nil || !m.isLive() || !memories.IsSlugOf(s.File.Name, m.row.Name) || !r.isFree(s.Key()) || stated[m.row.Key()] {
			continue
		}
		if m.allFilesState(s.Key(), leaves) && !r.isBlocked(s, m) && r.unfinished(s) == nil {
			r.newKeys[m.row.UUID] = s.Key()
		}
	}
}

// mayStateOtherName reports whether a file carried a memory and may state another name by now.
func (s ScannedFile) mayStateOtherName() bool {
	return s.wasPresent() && s.Known.Status == records.Mirrored && s.Known.MemoryID != uuid.Nil && !s.File.Unreadable && s.Flaws&memories.FlawNameless == 0
}

// isFree reports whether no living memory has the key.
func (r *reconciler) isFree(key memories.Key) bool {
	m := r.byKey[key]
	return m == nil || m.row.State == memories.Deleted
}

// allFilesState reports whether every file that carries the memory states the key now.
func (m *memoryState) allFilesState(key memories.Key, leaves map[string]ScannedFile) bool {
	for p, f := range m.files {
		s, ok := leaves[p]
		if f.Status != records.Blocked && (!ok || s.Key() != key) {
			return false
		}
	}
	return true
}

// isBlocked reports whether the content of the file was deleted under its name. It is not if it is the memory's own.
func (r *reconciler) isBlocked(s ScannedFile, m *memoryState) bool {
	return s.Fingerprint != m.row.Fingerprint && r.wasDeleted(s)
}

// slugRename returns the rename of the memory that the file carried, if the file states the slug of its name.
func (r *reconciler) slugRename(s ScannedFile) *records.Rename {
	if s.Known == nil {
		return nil
	}
	if to, ok := r.newKeys[s.Known.MemoryID]; !ok || to != s.Key() {
		return nil
	}
	return &records.Rename{ID: s.Known.MemoryID, To: s.Key(), Content: s.Fingerprint, ByFile: true}
}

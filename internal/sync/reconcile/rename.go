package reconcile

import (
	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/internal/sync/events"
)

// rename gives a known memory the key renaming.To and returns it. If the memory was renamed before,
// it does nothing and returns it. If a living memory has the key, it returns that one instead, and
// nil if the ID is unknown. The history of a deleted memory with that key becomes the renamed
// one's. Its files are then those of the deleted memory, or none: the caller attaches the scanned
// file.
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

// isRenamed reports whether a memory that existed before the scan has another name or scope now.
func (m *memoryState) isRenamed() bool {
	return m.before.UUID != uuid.Nil && m.row.Key() != m.before.Key()
}

// renameToSlugs renames the live memories whose files all state the slug of the name now. It skips a
// slug that another living memory has, and a blocked or unfinished file. The memory's own content is
// allowed under the slug, even if it was deleted under it. Claude Code changes a name to its slug
// when it first edits a file. The caller must not have attached scanned files: one that is older and
// states the slug too would create a memory with that name.
func (r *reconciler) renameToSlugs(o Observed) {
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
			own := records.Tombstone{Key: s.Key(), Fingerprint: m.row.Fingerprint}
			r.rename(records.Rename{ID: m.row.UUID, To: own.Key, Content: own.Fingerprint, ByFile: true})
			delete(r.tombstones, own)
		}
	}
}

// mayStateOtherName reports whether a file mirrored a memory at the last scan and can state another
// name now: it is readable and not nameless.
func (s ScannedFile) mayStateOtherName() bool {
	return s.wasPresent() && s.Known.Status == records.Mirrored && s.Known.MemoryID != uuid.Nil && !s.File.Unreadable && s.Flaws&memories.FlawNameless == 0
}

// isFree reports whether no memory has the key, or only a deleted one.
func (r *reconciler) isFree(key memories.Key) bool {
	m := r.byKey[key]
	return m == nil || m.row.State == memories.Deleted
}

// allFilesState reports whether each file of the memory is in scanned and states the key there. It
// ignores blocked files.
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

package reconcile

import (
	"time"

	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/internal/sync/events"
)

// resolveFile decides whether the file's content becomes the content of its memory. It does for the
// first file of a new or just renamed memory, and for a memory in the trash, which this restores.
// For any other memory it does only if the file's content is newer, as resolveContent decides. A
// missing memory becomes active in any case.
func (r *reconciler) resolveFile(s ScannedFile) {
	m := r.byKey[s.Key()]
	switch {
	case m.source == nil && (m.isNew || m.isRenamed()):
		r.setContent(m, s)
	case m.row.State == memories.Deleted:
		r.undelete(m, s)
	case m.row.State == memories.Missing:
		r.markFound(m, s)
	default:
		r.resolveContent(m, s)
	}
}

// undelete restores the memory from the trash, active and with the file's content.
func (r *reconciler) undelete(m *memoryState, s ScannedFile) {
	m.row.State = memories.Active
	m.row.DeletedAt, m.row.DeletedBy, m.row.DeletedActor = time.Time{}, "", ""
	m.kind = events.Restored
	r.setContent(m, s)
}

// markFound makes a missing memory active, because it has a file again. It takes the file's content
// only if that is newer.
func (r *reconciler) markFound(m *memoryState, s ScannedFile) {
	m.row.State, m.row.UpdatedAt = memories.Active, r.at
	m.kind, m.changedBy = events.Restored, &s
	r.resolveContent(m, s)
}

// resolveContent makes the file's content the memory's if it is newer. A copy of another file never
// wins. A file with known bytes loses too, unless it was just saved, was unreadable, or is a
// primary file that is back. It can also win if its memory was in the trash. A losing content that
// is not known becomes a past revision.
func (r *reconciler) resolveContent(m *memoryState, s ScannedFile) {
	setInThisScan := m.source != nil
	newer := s.ContentAt.After(m.row.ContentAt) || setInThisScan && s.ContentAt.Equal(m.row.ContentAt)
	isBack := s.isPrimary() && !s.wasPresent()
	// Several files can bring a memory back from the trash; the newest of them wins.
	wasKnown := s.hasKnownBytes() && s.Known.Status != records.Unreadable && !isBack && m.before.State != memories.Deleted
	switch {
	case s.IsFinished() && s.Fingerprint == m.row.Fingerprint && s.Path == m.row.Path:
		r.setContent(m, s)
	case wasKnown || !newer || m.isCopy(m.files[s.Path]):
		r.addPastRevision(m, s)
	case s.Fingerprint == m.row.Fingerprint && s.Path != m.row.Path:
		m.row.ContentAt = s.ContentAt
	default:
		r.setContent(m, s)
	}
}

// addPastRevision adds the file's content to the history of the memory, unless the file's row or
// the memory has that content. The memory's own content stays.
func (r *reconciler) addPastRevision(m *memoryState, s ScannedFile) {
	known := s.hasKnownBytes() && s.Known.Fingerprint == s.Fingerprint
	if !known && s.Fingerprint != m.row.Fingerprint {
		r.addRevision(m, s, false)
	}
}

// setContent makes the file's content, type, description, path, times and problems those of the
// memory. Name and state stay. It adds a revision if the content or the bytes differ. It adds a
// journal entry if the memory is new.
func (r *reconciler) setContent(m *memoryState, s ScannedFile) {
	h := &m.row
	m.touched = true
	if m.isNew || h.Fingerprint != s.Fingerprint || h.Hash != s.Hash {
		r.addRevision(m, s, true)
	}
	if !m.isNew && (h.Fingerprint != s.Fingerprint || m.kind == events.Restored) {
		h.UpdatedAt = r.at
		if m.kind == "" {
			m.kind = events.Saved
		}
	}
	if m.isNew {
		h.CreatedAt, h.UpdatedAt = earlier(h.CreatedAt, r.knownTime(s.ContentAt)), r.knownTime(s.ContentAt)
	}
	h.Type, h.Description, h.Fingerprint, h.Hash, h.Size = s.File.Type, s.File.Description, s.Fingerprint, s.Hash, s.Size
	h.Path, h.Session, h.ModifiedAt, h.ContentAt = s.Path, s.Session, s.ModifiedAt, s.ContentAt
	h.Problems = s.File.Problems
	m.source, m.changedBy = &s, &s
	if m.isNew {
		r.journalCreated(m, s)
	}
}

// addRevision adds the file's content to the revisions to save, unless this scan has added it
// already. If current, that revision becomes the memory's current one; otherwise it is a past one.
func (r *reconciler) addRevision(m *memoryState, s ScannedFile, current bool) {
	for i := range m.revisions {
		if m.revisions[i].Fingerprint == s.Fingerprint {
			if current {
				m.revisions[i].Current = true
				m.row.RevisionID = m.revisions[i].ID
			}
			return
		}
	}
	seenAt := s.ContentAt
	if m.isRenamed() && s.Fingerprint == m.before.Fingerprint {
		seenAt = m.before.ContentAt // only the name is new
	}
	revision := records.Revision{
		ID: uuid.Must(uuid.NewV7()), MemoryID: m.row.UUID, Fingerprint: s.Fingerprint, Hash: s.Hash, Type: s.File.Type,
		Description: s.File.Description, Body: s.File.Body, Raw: s.Raw, Path: s.Path, Session: s.Session,
		SeenAt: r.knownTime(seenAt), Current: current,
	}
	m.revisions = append(m.revisions, revision)
	if current {
		m.row.RevisionID = revision.ID
	}
}

package reconcile

import (
	"slices"
	"strings"

	"memoir/internal/memories"
	"memoir/internal/records"
)

// The source of a memory is the file whose content is current. A session's file stays the source
// after its removal. A primary source must exist and must not be a copy, as long as there is such a
// file.

// isCopy reports whether the file's name looks like a copy, and the memory has an original. If
// memories.CopyOf is not sure, an original is a file at one of the paths that it returns. If it is
// sure, an original is any file of the same session that is not surely a copy. A blocked file is
// never an original.
func (m *memoryState) isCopy(f records.File) bool {
	originals, sure := memories.CopyOf(f.Path)
	for _, p := range originals {
		if original, ok := m.files[p]; ok && original.Status != records.Blocked && !sure {
			return true
		}
	}
	if !sure {
		return false
	}
	for p, other := range m.files {
		if _, isCopyToo := memories.CopyOf(p); !isCopyToo && other.Session == f.Session && other.Status != records.Blocked {
			return true
		}
	}
	return false
}

// updateSource makes the newest primary file the source if the present primary source has lost the
// memory's content or is a copy. Without such a file it does nothing. It also does nothing for a
// session's source, for a memory that is unreadable or not live, and while the primary directory is
// away.
func (r *reconciler) updateSource(m *memoryState) {
	h := &m.row
	if r.primaryAway || !m.isLive() || !h.Readable || h.Session != "" {
		return
	}
	if m.hasPrimarySource() && !slices.Contains(m.formerContents, h.Fingerprint) {
		return
	}
	newest, ok := m.newestPrimary(r.sources)
	switch {
	case !ok:
	case newest.Fingerprint == h.Fingerprint:
		h.ContentAt = newest.ContentAt
	default:
		r.setContent(m, r.sources[newest.Path])
	}
}

// hasPrimarySource reports whether a primary file that is not a copy has the memory's content. A
// primary file with unknown content, because it is unreadable, counts as one.
func (m *memoryState) hasPrimarySource() bool {
	for _, f := range m.files {
		hasContent := f.Status == records.Mirrored && f.Fingerprint == m.row.Fingerprint && !m.isCopy(f)
		isUnknown := f.Status == records.Unreadable || f.Unfinished != 0 && f.Fingerprint == memories.Fingerprint{}
		if f.IsPrimary() && (hasContent || isUnknown) {
			return true
		}
	}
	return false
}

// newestPrimary returns the mirrored primary file with the newest content. It skips copies. It also
// skips a file whose content is not the memory's own and not in sources. ok is false if no file
// remains.
func (m *memoryState) newestPrimary(sources map[string]ScannedFile) (newest records.File, ok bool) {
	for _, f := range m.files {
		if !f.IsPrimary() || f.Status != records.Mirrored || m.isCopy(f) {
			continue
		}
		isContent := f.Fingerprint == m.row.Fingerprint
		if _, known := sources[f.Path]; !known && !isContent {
			continue
		}
		order := f.ContentAt.Compare(newest.ContentAt)
		if order == 0 {
			order = compareBool(isContent, newest.Fingerprint == m.row.Fingerprint)
		}
		if order == 0 {
			order = strings.Compare(newest.Path, f.Path)
		}
		if !ok || order > 0 {
			newest, ok = f, true
		}
	}
	return newest, ok
}

// WithoutCopies removes the present copies from the primary files of one memory, in place, and
// returns the rest. Absent files stay. A save into a copy would not change the memory. Only present
// files, readable or not, count as originals.
func WithoutCopies(all []records.PrimaryFile) []records.PrimaryFile {
	m := memoryState{files: map[string]records.File{}}
	for _, f := range all {
		if f.Present {
			m.files[f.Path] = records.File{Path: f.Path, Status: records.Mirrored}
		}
	}
	return slices.DeleteFunc(all, func(f records.PrimaryFile) bool { return f.Present && m.isCopy(m.files[f.Path]) })
}

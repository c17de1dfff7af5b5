package reconcile

import (
	"slices"
	"strings"

	"memoir/internal/memories"
	"memoir/internal/records"
)

// The source of a memory is the file whose content is the memory's. A session's file stays the source when it has gone. Where the source
// is a primary file, the memory says what a primary file says that exists, and no copy of another one, as long as there is any.

// isCopy reports whether the file is a copy of another file that carries the memory, in the same memory directory.
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

// updateSource makes the newest primary file the source of the memory where the one that was the source says its content no longer, or
// turns out to be a copy. A file that could not be read may say it still.
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

// hasPrimarySource reports whether a primary file that is no copy says the memory's content, or may do so because it cannot be read.
func (m *memoryState) hasPrimarySource() bool {
	for _, f := range m.files {
		says := f.Status == records.Mirrored && f.Fingerprint == m.row.Fingerprint && !m.isCopy(f)
		isUnknown := f.Status == records.Unreadable || f.Unfinished != 0 && f.Fingerprint == memories.Fingerprint{}
		if f.IsPrimary() && (says || isUnknown) {
			return true
		}
	}
	return false
}

// newestPrimary returns the primary file with the newest content among those that carry the memory and are no copies. texts has what
// each of these says, except for the memory's own content.
func (m *memoryState) newestPrimary(texts map[string]ScannedFile) (newest records.File, ok bool) {
	for _, f := range m.files {
		if !f.IsPrimary() || f.Status != records.Mirrored || m.isCopy(f) {
			continue
		}
		isContent := f.Fingerprint == m.row.Fingerprint
		if _, known := texts[f.Path]; !known && !isContent {
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

// withoutCopies leaves out the primary files of a memory that are copies of others. A save into a copy would change nothing, also where
// the original cannot be read.
func WithoutCopies(all []records.PrimaryFile) []records.PrimaryFile {
	pg := memoryState{files: map[string]records.File{}}
	for _, f := range all {
		if f.Present {
			pg.files[f.Path] = records.File{Path: f.Path, Status: records.Mirrored}
		}
	}
	return slices.DeleteFunc(all, func(f records.PrimaryFile) bool { return f.Present && pg.isCopy(pg.files[f.Path]) })
}

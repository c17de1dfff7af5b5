package reconcile

import (
	"slices"

	"memoir/internal/memories"
	"memoir/internal/records"
)

// unfinished returns the memory of the file if the file is unfinished, so that the memory keeps its
// last good content. An unfinished file is a primary file with a new flaw that belonged to a live,
// readable memory. For any other file, and for a just saved one, the result is nil.
func (r *reconciler) unfinished(s ScannedFile) *memoryState {
	k := s.Known
	if s.Flaws == 0 || s.File.Unreadable || s.Saved || !s.isPrimary() || k == nil || !k.Present && k.Unfinished == 0 {
		return nil
	}
	m := r.byID[k.MemoryID]
	wasMirrored := k.Status == records.Mirrored || k.Status == records.Unreadable
	if m == nil || !m.isLive() || !m.row.Readable || !wasMirrored || !hasNewFlaw(s.Flaws, k.Flaws) {
		return nil
	}
	return m
}

// hasNewFlaw reports whether a file has a flaw now that it did not have before. A file that was
// empty before never has a new flaw.
func hasNewFlaw(now, before memories.Flaw) bool {
	return now&^before != 0 && before&memories.FlawEmpty == 0
}

// keepLastGood records the file as unfinished in the change set. The file keeps mirroring m, with
// the fingerprint and the times of its last good content. The content of m stays.
func (r *reconciler) keepLastGood(m *memoryState, s ScannedFile, row records.File) {
	r.dropUnreadable(s.Path)
	k := s.Known
	row.MemoryID, row.Flaws, row.Unfinished = m.row.UUID, k.Flaws, s.Flaws
	row.Fingerprint, row.ContentAt, row.ModifiedAt = k.Fingerprint, k.ContentAt, k.ModifiedAt
	if s.Hash == k.Hash && s.ModTime != k.ModTime { // touched, not written
		row.ModifiedAt = s.ModifiedAt
	}
	if k.Status == records.Unreadable {
		row.Fingerprint = memories.Fingerprint{}
		if s.Path == m.row.Path {
			row.Fingerprint = m.row.Fingerprint
		}
	}
	m.files[s.Path] = row
	m.touched = true
	r.out.ChangeSet.Files = append(r.out.ChangeSet.Files, row)
}

// withLastGood returns a copy of the problems of a memory, with one LastGood problem for each
// unfinished file, sorted by path. It replaces earlier LastGood problems.
func withLastGood(problems []memories.Problem, files map[string]records.File) []memories.Problem {
	problems = slices.DeleteFunc(slices.Clone(problems), func(p memories.Problem) bool { return p.Code == memories.CodeLastGood })
	var paths []string
	for p, f := range files {
		if f.Unfinished != 0 && f.Status == records.Mirrored {
			paths = append(paths, p)
		}
	}
	slices.Sort(paths)
	for _, p := range paths {
		problems = append(problems, memories.LastGood(p, files[p].Unfinished))
	}
	return problems
}

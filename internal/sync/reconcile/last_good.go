package reconcile

import (
	"slices"

	"memoir/internal/memories"
	"memoir/internal/records"
)

// unfinished returns the memory that the file carried, if the file is unfinished. It is nil otherwise.
func (r *reconciler) unfinished(s ScannedFile) *memoryState {
	k := s.Known
	if s.Flaws == 0 || s.File.Unreadable || s.Saved || !s.isPrimary() || k == nil || !k.Present && k.Unfinished == 0 {
		return nil
	}
	m := r.byID[k.MemoryID]
	carried := k.Status == records.Mirrored || k.Status == records.Unreadable
	if m == nil || !m.isLive() || !m.row.Readable || !carried || !isWorse(s.Flaws, k.Flaws) {
		return nil
	}
	return m
}

// isWorse reports whether a file has a flaw that it had not before. Nothing is worse than an empty file.
func isWorse(now, before memories.Flaw) bool {
	return now&^before != 0 && before&memories.FlawEmpty == 0
}

// keepLastGood notes that the file is unfinished. It goes on carrying the memory with its last good content.
func (r *reconciler) keepLastGood(m *memoryState, s ScannedFile, row records.File) {
	r.dropUnreadable(s.Path)
	k := s.Known
	row.MemoryID, row.Flaws, row.Unfinished = m.row.UUID, k.Flaws, s.Flaws
	row.Fingerprint, row.ContentAt, row.ModifiedAt = k.Fingerprint, k.ContentAt, k.ModifiedAt
	if s.Hash == k.Hash && s.ModTime != k.ModTime { // it was only touched
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

// withLastGood flags a memory for each of its files that is unfinished.
func withLastGood(problems []memories.Problem, all map[string]records.File) []memories.Problem {
	problems = slices.DeleteFunc(slices.Clone(problems), func(p memories.Problem) bool { return p.Code == memories.CodeLastGood })
	var paths []string
	for p, f := range all {
		if f.Unfinished != 0 && f.Status == records.Mirrored {
			paths = append(paths, p)
		}
	}
	slices.Sort(paths)
	for _, p := range paths {
		problems = append(problems, memories.LastGood(p, all[p].Unfinished))
	}
	return problems
}

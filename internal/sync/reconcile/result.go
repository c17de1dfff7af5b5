package reconcile

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/internal/sync/events"
)

// Result is the outcome of Run.
type Result struct {
	ChangeSet records.ChangeSet // to commit
	Changes   []Change          // events to send after the commit, by name
	Added     int               // memories that are new, or were deleted or missing
	Updated   int               // memories with another content or name
	Removed   int               // memories that are deleted or missing now
}

// Change is an event about one memory.
type Change struct {
	Kind events.Kind
	Name string // of the memory
}

// removeOrphans deletes the live, readable memories that have lost a primary file and have no file
// left, except blocked ones. They become missing instead if the primary directory was replaced, or if
// they are too many.
// Too many are more than MassRemoval and more than half of primaryCount. If such a memory's file
// has only grown and states another name now, its row is dropped without a deletion.
func (r *reconciler) removeOrphans(primaryCount int) {
	for _, m := range r.renamedInPlace {
		if m.isOrphan() && !m.isNew {
			m.dropped, m.touched = true, true
		}
	}
	for _, m := range r.lostNotes {
		if m.isOrphan() && !m.dropped {
			r.markDeleted(m)
		}
	}
	var orphans []*memoryState
	for _, m := range r.lostPrimary {
		if m.isOrphan() && !m.dropped && !slices.Contains(orphans, m) {
			orphans = append(orphans, m)
		}
	}
	mayBeAccident := r.primaryReplaced || len(orphans) > MassRemoval && 2*len(orphans) > primaryCount
	for _, m := range orphans {
		if mayBeAccident {
			r.markMissing(m)
		} else {
			r.markDeleted(m)
		}
	}
}

// isOrphan reports whether a memory is live and readable, and has no file but blocked ones.
func (m *memoryState) isOrphan() bool {
	if !m.isLive() || !m.row.Readable {
		return false
	}
	for _, f := range m.files {
		if f.Status != records.Blocked {
			return false
		}
	}
	return true
}

// isLive reports whether the memory is active or needs attention, so not deleted or missing.
func (m *memoryState) isLive() bool {
	return m.row.State == memories.Active || m.row.State == memories.NeedsAttention
}

func (r *reconciler) markDeleted(m *memoryState) {
	m.touched = true
	m.row.State, m.kind = memories.Deleted, events.Deleted
	m.row.UpdatedAt, m.row.DeletedAt, m.row.DeletedBy = r.at, r.at, records.ByDisk
}

func (r *reconciler) markMissing(m *memoryState) {
	m.touched = true
	m.row.State, m.kind, m.row.UpdatedAt = memories.Missing, events.Missing, r.at
}

// updateStates completes the touched memories, except dropped and merged ones. updateSource may
// give one the content of another primary file. Then path, conflict and problems follow from the
// files. A live memory becomes Active if it is readable and has a type, else NeedsAttention.
func (r *reconciler) updateStates() {
	for _, m := range r.ordered() {
		if !m.touched || m.dropped || m.merged {
			continue
		}
		h := &m.row
		r.updateSource(m)
		m.updatePath()
		h.Conflict = conflictOf(r.withoutNotes(m.files))
		h.Problems = withLastGood(withDuplicates(h.Problems, m.files), m.files)
		if h.State == memories.Active || h.State == memories.NeedsAttention {
			h.State = memories.Active
			if h.Type == "" || !h.Readable {
				h.State = memories.NeedsAttention
			}
		}
	}
}

// withoutNotes returns the files that are no notes.
func (r *reconciler) withoutNotes(files map[string]records.File) map[string]records.File {
	if r.isNote == nil {
		return files
	}
	files = maps.Clone(files)
	maps.DeleteFunc(files, func(path string, _ records.File) bool { return r.isNote(path) })
	return files
}

// conflictOf returns the conflict between the mirrored files of a memory. It is PrimaryConflict if
// two primary files have different contents. Otherwise it is SessionConflict if any two files have
// different contents and the newest content is a session's. Otherwise it is NoConflict.
func conflictOf(files map[string]records.File) memories.Conflict {
	var contents, primaries []memories.Fingerprint // distinct
	var newestPrimary, newestSession time.Time
	for _, f := range files {
		if f.Status != records.Mirrored {
			continue
		}
		if !slices.Contains(contents, f.Fingerprint) {
			contents = append(contents, f.Fingerprint)
		}
		if !f.IsPrimary() {
			newestSession = later(newestSession, f.ContentAt)
			continue
		}
		newestPrimary = later(newestPrimary, f.ContentAt)
		if !slices.Contains(primaries, f.Fingerprint) {
			primaries = append(primaries, f.Fingerprint)
		}
	}
	switch {
	case len(primaries) > 1:
		return memories.PrimaryConflict
	case len(contents) > 1 && newestSession.After(newestPrimary):
		return memories.SessionConflict
	default:
		return memories.NoConflict
	}
}

// updatePath makes the memory's path lead to a mirrored file with the memory's content. It also
// takes the file's modification time, hash and size. It prefers the present path, then primary
// files, then the first path. It skips other copies, which would be replaced as the source. Without
// such a file, nothing changes.
func (m *memoryState) updatePath() {
	h := &m.row
	var best *records.File
	for _, f := range m.files {
		if f.Fingerprint != h.Fingerprint || f.Status != records.Mirrored {
			continue
		}
		if f.Path == h.Path {
			h.ModifiedAt, h.Hash, h.Size = f.ModifiedAt, f.Hash, f.Size
			return
		}
		if m.isCopy(f) {
			continue
		}
		if best == nil || compareBool(best.IsPrimary(), f.IsPrimary()) < 0 || best.IsPrimary() == f.IsPrimary() && f.Path < best.Path {
			best = &f
		}
	}
	if best != nil {
		h.Path, h.Session, h.ModifiedAt, h.Hash, h.Size = best.Path, best.Session, best.ModifiedAt, best.Hash, best.Size
	}
}

// withDuplicates returns a copy of the problems of a memory, with one DuplicateName problem for
// each directory with several of its mirrored files. It replaces earlier DuplicateName problems.
func withDuplicates(problems []memories.Problem, files map[string]records.File) []memories.Problem {
	problems = slices.DeleteFunc(slices.Clone(problems), func(p memories.Problem) bool { return p.Code == memories.CodeDuplicateName })
	byDir := map[string][]string{}
	for _, f := range files {
		if f.Status == records.Mirrored {
			byDir[path.Dir(f.Path)] = append(byDir[path.Dir(f.Path)], f.Path)
		}
	}
	var dirs []string
	for dir, paths := range byDir {
		if len(paths) > 1 {
			dirs = append(dirs, dir)
		}
	}
	slices.Sort(dirs)
	for _, dir := range dirs {
		slices.Sort(byDir[dir])
		problems = append(problems, DuplicateName(byDir[dir]))
	}
	return problems
}

// DuplicateName returns the problem that the files at paths have the same name in one directory.
func DuplicateName(paths []string) memories.Problem {
	return memories.Problem{
		Code:    memories.CodeDuplicateName,
		Message: strings.Join(paths, " and ") + " have the same name in one directory. The newest content is used. Rename or remove one.",
	}
}

// finish completes the result of Run with the rows, events and counts of all touched memories, and
// returns it.
func (r *reconciler) finish() Result {
	for _, m := range r.ordered() {
		if !m.touched || m.merged {
			continue
		}
		r.collect(m)
		if m.kind != "" && !m.dropped {
			r.out.Changes = append(r.out.Changes, Change{m.kind, m.row.Name})
		}
		if m.isRenamed() {
			r.out.Changes = append(r.out.Changes, Change{events.Deleted, m.before.Name})
		}
		switch {
		case m.dropped:
		case m.isNew, m.kind == events.Restored:
			r.out.Added++
		case m.kind == events.Saved:
			r.out.Updated++
		case m.kind == events.Deleted, m.kind == events.Missing:
			r.out.Removed++
		}
	}
	slices.SortFunc(r.out.Changes, func(a, b Change) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(string(a.Kind), string(b.Kind)))
	})
	return r.out
}

// collect adds the row, the revisions and the search text of a memory to the change set, as far as
// they have changed. For a dropped memory it adds only the deletion of its row, and nothing if the
// memory is new.
func (r *reconciler) collect(m *memoryState) {
	b := &r.out.ChangeSet
	switch {
	case m.dropped && m.isNew:
		return
	case m.dropped:
		b.DropHeads = append(b.DropHeads, m.row.UUID)
		return
	case m.isNew:
		b.NewHeads = append(b.NewHeads, m.row)
		b.NewRevisions = append(b.NewRevisions, m.revisions...)
	default:
		b.Revisions = append(b.Revisions, m.revisions...)
		if !equalRows(m.row, m.before) {
			b.Heads = append(b.Heads, m.row)
		}
	}
	if m.source != nil && (m.row.RevisionID != m.before.RevisionID || m.isRenamed()) {
		b.Words = append(b.Words, records.SearchText{
			MemoryID: m.row.UUID, RevisionID: m.row.RevisionID,
			Name: m.row.Name, Description: m.source.File.Description, Body: m.source.File.Body,
			Masked: m.row.IsQuarantined(),
		})
	}
}

// equalRows reports whether two rows of a memory are equal in the columns that a scan saves. A new
// UpdatedAt alone is not saved.
func equalRows(a, b records.MemoryRow) bool {
	return a.State == b.State && a.Type == b.Type && a.RevisionID == b.RevisionID && a.Fingerprint == b.Fingerprint &&
		a.Hash == b.Hash && a.Size == b.Size && a.Path == b.Path && a.Session == b.Session &&
		a.ModifiedAt.Equal(b.ModifiedAt) && a.ContentAt.Equal(b.ContentAt) && slices.Equal(a.Problems, b.Problems) &&
		a.DeletedAt.Equal(b.DeletedAt) && a.Key() == b.Key() && a.Conflict == b.Conflict
}

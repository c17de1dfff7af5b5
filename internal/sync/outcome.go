package sync

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"time"

	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/internal/sync/events"
)

// outcome is what a look means: what to save, and what to tell.
type outcome struct {
	batch   records.ChangeSet
	changes []change
	added   int
	updated int
	removed int
}

// removeWhatNoFileCarries puts into the trash what was removed from the durable directory, or holds it as missing
// when so much went at once that it may be an accident, or the directory itself is another one. A memory that was only the beginning of
// a file is dropped, also in a session: its writer was held up before the name was written, and the file still says all of it.
func (d *desk) removeWhatNoFileCarries(durableBefore int) {
	for _, pg := range d.outgrown {
		if pg.livesWithoutFile() && !pg.isNew {
			pg.dropped, pg.touched = true, true
		}
	}
	var gone []*page
	for _, pg := range d.suspects {
		if pg.livesWithoutFile() && !pg.dropped && !slices.Contains(gone, pg) {
			gone = append(gone, pg)
		}
	}
	hold := d.replaced || len(gone) > massRemoval && 2*len(gone) > durableBefore
	for _, pg := range gone {
		if hold {
			d.holdAsMissing(pg)
		} else {
			d.remove(pg)
		}
	}
}

func (pg *page) livesWithoutFile() bool {
	return pg.lives() && len(pg.files) == 0 && pg.head.Readable
}

// lives reports whether the memory is neither deleted nor missing.
func (pg *page) lives() bool {
	return pg.head.State == memories.Active || pg.head.State == memories.NeedsAttention
}

func (d *desk) remove(pg *page) {
	pg.touched = true
	pg.head.State, pg.kind = memories.Deleted, events.Deleted
	pg.head.UpdatedAt, pg.head.DeletedAt, pg.head.DeletedBy = d.at, d.at, records.ByDisk
}

func (d *desk) holdAsMissing(pg *page) {
	pg.touched = true
	pg.head.State, pg.kind, pg.head.UpdatedAt = memories.Missing, events.Missing, d.at
}

// settle makes each touched memory agree with the files that now carry it.
func (d *desk) settle() {
	for _, pg := range d.byID {
		if !pg.touched || pg.dropped || pg.merged {
			continue
		}
		h := &pg.head
		d.followSource(pg)
		pg.followContent()
		h.Conflict = conflictOf(pg.files)
		h.Problems = withLastGood(withDuplicates(h.Problems, pg.files), pg.files)
		if h.State == memories.Active || h.State == memories.NeedsAttention {
			h.State = memories.Active
			if h.Type == "" || !h.Readable {
				h.State = memories.NeedsAttention
			}
		}
	}
}

// conflictOf returns how the files that carry a memory disagree about its content.
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
		if !f.Durable() {
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

// followContent keeps the memory's path at a file that has the memory's very content, else at the last known one.
func (pg *page) followContent() {
	h := &pg.head
	var best *records.File
	for _, f := range pg.files {
		if f.Fingerprint != h.Fingerprint || f.Status != records.Mirrored {
			continue
		}
		if f.Path == h.Path {
			h.ModifiedAt, h.Hash, h.Size = f.ModifiedAt, f.Hash, f.Size
			return
		}
		if best == nil || compareBool(best.Durable(), f.Durable()) < 0 || best.Durable() == f.Durable() && f.Path < best.Path {
			best = &f
		}
	}
	if best != nil {
		h.Path, h.Session, h.ModifiedAt, h.Hash, h.Size = best.Path, best.Session, best.ModifiedAt, best.Hash, best.Size
	}
}

// withDuplicates flags a name that two files of one directory carry.
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
		problems = append(problems, duplicateName(byDir[dir]))
	}
	return problems
}

func duplicateName(paths []string) memories.Problem {
	return memories.Problem{
		Code:    memories.CodeDuplicateName,
		Message: strings.Join(paths, " and ") + " have the same name in one directory. The newest content counts. Rename one of them, or remove it.",
	}
}

func (d *desk) outcome() outcome {
	for _, pg := range d.byID {
		if !pg.touched || pg.merged {
			continue
		}
		d.save(pg)
		if pg.kind != "" && !pg.dropped {
			d.out.changes = append(d.out.changes, change{pg.kind, pg.head.Name})
		}
		if pg.isRenamed() {
			d.out.changes = append(d.out.changes, change{events.Deleted, pg.before.Name})
		}
		d.count(pg)
	}
	slices.SortFunc(d.out.changes, func(a, b change) int {
		return cmp.Or(strings.Compare(a.name, b.name), strings.Compare(string(a.kind), string(b.kind)))
	})
	return d.out
}

func (d *desk) save(pg *page) {
	b := &d.out.batch
	switch {
	case pg.dropped && pg.isNew:
		return
	case pg.dropped:
		b.DropHeads = append(b.DropHeads, pg.head.UUID)
		return
	case pg.isNew:
		b.NewHeads = append(b.NewHeads, pg.head)
		b.NewRevisions = append(b.NewRevisions, pg.revisions...)
	default:
		b.Revisions = append(b.Revisions, pg.revisions...)
		if !sameHead(pg.head, pg.before) {
			b.Heads = append(b.Heads, pg.head)
		}
	}
	if pg.text != nil && (pg.head.RevisionID != pg.before.RevisionID || pg.isRenamed()) {
		b.Words = append(b.Words, records.SearchText{
			MemoryID: pg.head.UUID, RevisionID: pg.head.RevisionID,
			Name: pg.head.Name, Description: pg.text.file.Description, Body: pg.text.file.Body,
		})
	}
}

func (d *desk) count(pg *page) {
	switch {
	case pg.dropped:
	case pg.isNew, pg.kind == events.Restored:
		d.out.added++
	case pg.kind == events.Saved:
		d.out.updated++
	case pg.kind == events.Deleted, pg.kind == events.Missing:
		d.out.removed++
	}
}

// sameHead compares what a look can change of a memory.
func sameHead(a, b records.MemoryRow) bool {
	return a.State == b.State && a.Type == b.Type && a.RevisionID == b.RevisionID && a.Fingerprint == b.Fingerprint &&
		a.Hash == b.Hash && a.Size == b.Size && a.Path == b.Path && a.Session == b.Session &&
		a.ModifiedAt.Equal(b.ModifiedAt) && a.ContentAt.Equal(b.ContentAt) && slices.Equal(a.Problems, b.Problems) &&
		a.DeletedAt.Equal(b.DeletedAt) && a.Key() == b.Key() && a.Conflict == b.Conflict
}

package sync

import (
	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/internal/sync/events"
)

// rename gives a known memory another key, and returns its page. The memory keeps its history, and gets that of a deleted memory
// which had the key. Files that said the old name are no longer its files. The caller attaches the file with the new name.
func (d *desk) rename(r records.Rename) *page {
	pg := d.byID[r.ID]
	if pg == nil || pg.isRenamed() {
		return pg
	}
	r.From, r.At = pg.head.Key(), d.at
	deleted := d.byKey[r.To]
	if deleted != nil && deleted.head.State != memories.Deleted {
		return deleted
	}
	pg.files, pg.left = map[string]records.File{}, nil
	if deleted != nil {
		r.Deleted, deleted.merged, pg.files = deleted.head.UUID, true, deleted.files
		pg.head.CreatedAt = earlier(pg.head.CreatedAt, deleted.head.CreatedAt)
	}
	delete(d.byKey, r.From)
	d.byKey[r.To] = pg
	pg.head.Name, pg.head.Team = r.To.Name, r.To.Team
	if pg.head.State == memories.Missing {
		pg.head.State = memories.Active
	}
	pg.touched, pg.kind, pg.head.UpdatedAt = true, events.Saved, d.at
	d.out.batch.Renames = append(d.out.batch.Renames, r)
	return pg
}

// isRenamed reports whether a known memory has another key than before the scan.
func (pg *page) isRenamed() bool {
	return pg.before.UUID != uuid.Nil && pg.head.Key() != pg.before.Key()
}

// renamedOnDisk finds the memories whose files all state the slug of the name now. Claude Code gives a name that form
// when it edits a file for the first time.
func (d *desk) renamedOnDisk(l look) {
	d.slugs = map[uuid.UUID]memories.Key{}
	leaves := map[string]sighting{}   // by path: the files that may state another name than before
	stated := map[memories.Key]bool{} // the names that the files of this scan state
	for _, s := range l.seen {
		if s.statesOther() {
			leaves[s.path] = s
		}
		if !s.file.Unreadable && !d.wasDeleted(s) {
			stated[s.key()] = true
		}
	}
	for _, s := range l.seen {
		if _, ok := leaves[s.path]; !ok || !s.durable() {
			continue
		}
		pg := d.byID[s.known.MemoryID]
		if pg == nil || !pg.lives() || !memories.IsSlugOf(s.file.Name, pg.head.Name) || !d.isFree(s.key()) || stated[pg.head.Key()] {
			continue
		}
		if pg.isLeftFor(s.key(), leaves) && !d.isKeptOut(s, pg) && d.unfinished(s) == nil {
			d.slugs[pg.head.UUID] = s.key()
		}
	}
}

// statesOther reports whether a file carried a memory and may state another name by now.
func (s sighting) statesOther() bool {
	return s.wasThere() && s.known.Status == records.Mirrored && s.known.MemoryID != uuid.Nil && !s.file.Unreadable && s.flaws&memories.FlawNameless == 0
}

// isFree reports whether no living memory has the key.
func (d *desk) isFree(key memories.Key) bool {
	pg := d.byKey[key]
	return pg == nil || pg.head.State == memories.Deleted
}

// isLeftFor reports whether every file that carries the memory states the key now.
func (pg *page) isLeftFor(key memories.Key, leaves map[string]sighting) bool {
	for p, f := range pg.files {
		s, ok := leaves[p]
		if f.Status != records.Blocked && (!ok || s.key() != key) {
			return false
		}
	}
	return true
}

// isKeptOut reports whether the content of the file was deleted under its name. It is not if it is the memory's own.
func (d *desk) isKeptOut(s sighting, pg *page) bool {
	return s.fingerprint != pg.head.Fingerprint && d.wasDeleted(s)
}

// slugFor returns the rename of the memory that the file carried, if the file states the slug of its name.
func (d *desk) slugFor(s sighting) *records.Rename {
	if s.known == nil {
		return nil
	}
	if to, ok := d.slugs[s.known.MemoryID]; !ok || to != s.key() {
		return nil
	}
	return &records.Rename{ID: s.known.MemoryID, To: s.key(), Content: s.fingerprint, ByFile: true}
}

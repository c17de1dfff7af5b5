package sync

import (
	"github.com/google/uuid"

	"memoir/internal/memories"
	"memoir/internal/postgres"
)

// rename gives a known memory another key, and returns its page. The memory keeps its history, and gets that of a deleted memory
// which had the key. Files that said the old name are no longer its files. The caller attaches the file with the new name.
func (d *desk) rename(r postgres.Rename) *page {
	pg := d.byID[r.ID]
	if pg == nil || pg.isRenamed() {
		return pg
	}
	r.From, r.At = pg.head.Key(), d.at
	deleted := d.byKey[r.To]
	if deleted != nil && deleted.head.State != memories.Deleted {
		return deleted
	}
	pg.files, pg.left = map[string]postgres.File{}, nil
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
	pg.touched, pg.kind, pg.head.UpdatedAt = true, KindSaved, d.at
	d.out.batch.Renames = append(d.out.batch.Renames, r)
	return pg
}

// isRenamed reports whether a known memory has another key than before the scan.
func (pg *page) isRenamed() bool {
	return pg.before.UUID != uuid.Nil && pg.head.Key() != pg.before.Key()
}

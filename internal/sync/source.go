package sync

import (
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"

	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/memories/frontmatter"
	"memoir/internal/records"
)

// The source of a memory is the file whose content is the memory's. A session's file stays the source when it has gone. Where the source
// is a primary file, the memory says what a primary file says that exists, and no copy of another one, as long as there is any.

// past is all that reconcile knows besides the look.
type past struct {
	records.KnownState
	texts []sighting // of primary files that say something else than their memories
}

// textsOf returns what the primary files say that can become the source of their memory without having changed.
func (h *hold) textsOf(ctx context.Context, known records.KnownState) ([]sighting, error) {
	contents := make(map[uuid.UUID]records.MemoryRow, len(known.Heads))
	for _, head := range known.Heads {
		contents[head.UUID] = head
	}
	others := slices.DeleteFunc(slices.Clone(known.Files), func(f records.File) bool {
		return !f.Durable() || !f.Present || f.Status != records.Mirrored || f.Fingerprint == contents[f.MemoryID].Fingerprint
	})
	raws, err := h.w.RawsOf(ctx, others)
	if err != nil {
		return nil, err
	}
	var texts []sighting
	for i, f := range others {
		raw, ok := raws[f.Path]
		if !ok {
			continue
		}
		s := sighting{
			path: f.Path, raw: raw, hash: files.Hash(raw), size: int64(len(raw)), modTime: f.ModTime, modifiedAt: f.ModifiedAt,
			contentAt: f.ContentAt, fingerprint: f.Fingerprint, file: frontmatter.Parse(raw, stem(f.Path)), team: h.onDisk.InTeam(f.Path),
			known: &others[i],
		}
		s.flagCredential()
		texts = append(texts, s)
	}
	return texts, nil
}

// isCopy reports whether the file is a copy of another file that carries the memory, in the same memory directory.
func (pg *page) isCopy(f records.File) bool {
	originals, sure := memories.CopyOf(f.Path)
	for _, p := range originals {
		if original, ok := pg.files[p]; ok && original.Status != records.Blocked && !sure {
			return true
		}
	}
	if !sure {
		return false
	}
	for p, other := range pg.files {
		if _, isCopyToo := memories.CopyOf(p); !isCopyToo && other.Session == f.Session && other.Status != records.Blocked {
			return true
		}
	}
	return false
}

// followSource makes the newest primary file the source of the memory where the one that was the source says its content no longer, or
// turns out to be a copy. A file that could not be read may say it still.
func (d *desk) followSource(pg *page) {
	h := &pg.head
	if d.away || !pg.lives() || !h.Readable || h.Session != "" {
		return
	}
	if pg.isSaid() && !slices.Contains(pg.left, h.Fingerprint) {
		return
	}
	newest, ok := pg.newestPrimary(d.texts)
	switch {
	case !ok:
	case newest.Fingerprint == h.Fingerprint:
		h.ContentAt = newest.ContentAt
	default:
		d.adopt(pg, d.texts[newest.Path])
	}
}

// isSaid reports whether a primary file that is no copy says the memory's content, or may do so because it cannot be read.
func (pg *page) isSaid() bool {
	for _, f := range pg.files {
		says := f.Status == records.Mirrored && f.Fingerprint == pg.head.Fingerprint && !pg.isCopy(f)
		isUnknown := f.Status == records.Unreadable || f.Unfinished != 0 && f.Fingerprint == memories.Fingerprint{}
		if f.Durable() && (says || isUnknown) {
			return true
		}
	}
	return false
}

// newestPrimary returns the primary file with the newest content among those that carry the memory and are no copies. texts has what
// each of these says, except for the memory's own content.
func (pg *page) newestPrimary(texts map[string]sighting) (newest records.File, ok bool) {
	for _, f := range pg.files {
		if !f.Durable() || f.Status != records.Mirrored || pg.isCopy(f) {
			continue
		}
		isContent := f.Fingerprint == pg.head.Fingerprint
		if _, known := texts[f.Path]; !known && !isContent {
			continue
		}
		order := f.ContentAt.Compare(newest.ContentAt)
		if order == 0 {
			order = compareBool(isContent, newest.Fingerprint == pg.head.Fingerprint)
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
func withoutCopies(all []records.DurableFile) []records.DurableFile {
	pg := page{files: map[string]records.File{}}
	for _, f := range all {
		if f.Present {
			pg.files[f.Path] = records.File{Path: f.Path, Status: records.Mirrored}
		}
	}
	return slices.DeleteFunc(all, func(f records.DurableFile) bool { return f.Present && pg.isCopy(pg.files[f.Path]) })
}

package sync

import (
	"context"

	"github.com/google/uuid"

	"memoir/internal/agents"
	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/records"
)

// A look that has more to read than this is divided into portions, which are reconciled and committed one after the other:
// what it takes of memory does not grow with the number of files. A file of 1 KB takes about 8 KB on its way.
const (
	portionFiles = 10_000
	portionBytes = 16 << 20
)

// portion is a part of a look that can be decided on by itself, because it has every file of its subjects.
type portion struct {
	entries  []*agents.Entry
	subjects []subject // of the entries, when the look was divided; nil: it was not
	gone     []records.File
}

// subject is what a file is about: a memory or, where it cannot be read, the file itself.
type subject struct {
	memories.Key // or the file's path for a name
	unreadable   bool
}

func (s sighting) subject() subject {
	if s.file.Unreadable {
		return subject{memories.Key{Name: s.path}, true}
	}
	return subject{s.key(), false}
}

// portions divides what a look has to read. A look that is too large for one reads every file once more than it would have
// to: it has to know all names before it can decide on any.
func (h *hold) portions(ctx context.Context, l look, found *differences) ([]portion, error) {
	whole := portion{entries: found.toRead, gone: l.gone}
	if whole.fits() {
		return []portion{whole}, nil
	}
	var err error
	if whole.entries, whole.subjects, err = h.survey(ctx, l, found); err != nil {
		return nil, err
	}
	moving, err := h.moving(ctx, whole, found.known)
	if err != nil {
		return nil, err
	}
	return whole.divide(moving), nil
}

// survey reads every file and returns those that are otherwise than the rows have them, with what they are about.
func (h *hold) survey(ctx context.Context, l look, found *differences) (entries []*agents.Entry, subjects []subject, err error) {
	all := make([]subject, len(found.toRead)) // zero: there is nothing to decide
	steady := make([]int64, len(found.toRead))
	err = h.inRuns(ctx, len(found.toRead), func(among *files.DirReader, i int) {
		s, ok := h.see(among, l.at, found.toRead[i], found.known[found.toRead[i].Path])
		switch {
		case ok && s.isSteady():
			steady[i] = s.signature
		case ok:
			all[i] = s.subject()
		}
	})
	if err != nil {
		return nil, nil, err
	}
	var signed []records.FileSignature
	for i, entry := range found.toRead {
		if steady[i] != 0 {
			signed = append(signed, records.FileSignature{Path: entry.Path, Signature: steady[i]})
		}
		if all[i] != (subject{}) {
			entries, subjects = append(entries, entry), append(subjects, all[i])
		} else {
			found.putOff(entry.Path) // or it is steady, and on record
		}
	}
	return entries, subjects, h.w.Sign(ctx, signed)
}

// moving returns the subjects that files have left or come to. Whether a memory has lost its last durable file, and whether
// so many have that it may be an accident, is decided over all of these at once.
func (h *hold) moving(ctx context.Context, whole portion, known map[string]*records.File) (map[subject]bool, error) {
	var carried []uuid.UUID
	for _, f := range whole.gone {
		carried = append(carried, f.MemoryID)
	}
	for _, entry := range whole.entries {
		if f := known[entry.Path]; f != nil && f.Present {
			carried = append(carried, f.MemoryID)
		}
	}
	if len(carried) == 0 {
		return nil, nil
	}
	keys, err := h.w.KeysOf(ctx, carried)
	if err != nil {
		return nil, err
	}
	moving := map[subject]bool{}
	for _, f := range whole.gone {
		moving[subject{Key: keys[f.MemoryID]}] = true
	}
	for i, entry := range whole.entries {
		f := known[entry.Path]
		if f == nil || !f.Present {
			continue
		}
		before, now := subject{Key: keys[f.MemoryID]}, whole.subjects[i]
		if before.Name != "" && before != now {
			moving[before], moving[now] = true, true
		}
	}
	return moving, nil
}

// divide puts all files of a subject into one portion, in the order of their paths as far as that allows. What is moving, and
// what is gone, comes first and together: were it decided on after the rest, a look that follows one which was cut short between the two
// would count what is new among what was there.
func (p portion) divide(moving map[subject]bool) []portion {
	type group struct {
		files, place int
		bytes        int64
	}
	const unplaced, first = -1, -2
	groups := make(map[subject]*group, len(p.entries))
	for i, about := range p.subjects {
		g := groups[about]
		if g == nil {
			g = &group{place: unplaced}
			if moving[about] {
				g.place = first
			}
			groups[about] = g
		}
		g.files++
		g.bytes += min(p.entries[i].Size, memories.MaxFileSize)
	}
	var portions []portion
	moved := portion{gone: p.gone}
	files, bytes := portionFiles, int64(0) // of the portion that is being filled: none is yet
	for i, about := range p.subjects {
		g := groups[about]
		if g.place == unplaced {
			if files+g.files > portionFiles || bytes+g.bytes > portionBytes {
				portions = append(portions, portion{})
				files, bytes = 0, 0
			}
			g.place = len(portions) - 1
			files += g.files
			bytes += g.bytes
		}
		into := &moved
		if g.place != first {
			into = &portions[g.place]
		}
		into.entries, into.subjects = append(into.entries, p.entries[i]), append(into.subjects, about)
	}
	if len(moved.entries)+len(moved.gone) > 0 {
		portions = append([]portion{moved}, portions...)
	}
	return portions
}

func (p portion) fits() bool {
	bytes := int64(0)
	for _, entry := range p.entries {
		bytes += min(entry.Size, memories.MaxFileSize)
	}
	return len(p.entries) <= portionFiles && bytes <= portionBytes
}

package scan

import (
	"context"

	"github.com/google/uuid"

	"memoir/internal/agents"
	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/reconcile"
)

// A scan that has more to read than this is divided into batches, which are reconciled and committed one after the other:
// what it takes of memory does not grow with the number of files. A file of 1 KB takes about 8 KB on its way.
const (
	maxBatchFiles = 10_000
	maxBatchBytes = 16 << 20
)

// batch is a part of a scan that can be decided on by itself, because it has every file of its subjects.
type batch struct {
	entries []*agents.Entry
	keys    []batchKey // of the entries, when the scan was divided; nil: it was not
	removed []records.File
}

// batchKey is what a file is about: a memory or, where it cannot be read, the file itself.
type batchKey struct {
	memories.Key // or the file's path for a name
	unreadable   bool
}

func keyOf(s reconcile.ScannedFile) batchKey {
	if s.File.Unreadable {
		return batchKey{memories.Key{Name: s.Path}, true}
	}
	return batchKey{s.Key(), false}
}

// batches divides what a scan has to read. A scan that is too large for one reads every file once more than it would have
// to: it has to know all names before it can decide on any.
func (s *Scanner) makeBatches(ctx context.Context, tx *agenttx.Tx, r Request, o reconcile.Observed, diff *scanDiff) ([]batch, error) {
	whole := batch{entries: diff.toRead, removed: o.Removed}
	if whole.fits() {
		return []batch{whole}, nil
	}
	var err error
	if whole.entries, whole.keys, err = s.readKeys(ctx, tx, r, o, diff); err != nil {
		return nil, err
	}
	moved, err := movedKeys(ctx, tx, whole, diff.known)
	if err != nil {
		return nil, err
	}
	return whole.split(moved), nil
}

// readKeys reads every file and returns those that are otherwise than the rows have them, with what they are about.
func (s *Scanner) readKeys(ctx context.Context, tx *agenttx.Tx, r Request, o reconcile.Observed, diff *scanDiff) (entries []*agents.Entry, keys []batchKey, err error) {
	all := make([]batchKey, len(diff.toRead)) // zero: there is nothing to decide
	signatures := make([]int64, len(diff.toRead))
	err = readInParallel(ctx, tx, len(diff.toRead), func(reader *files.DirReader, i int) {
		file, ok := s.readScanned(tx, r, reader, o.At, diff.toRead[i], diff.known[diff.toRead[i].Path])
		switch {
		case ok && file.IsUnchanged():
			signatures[i] = file.Signature
		case ok:
			all[i] = keyOf(file)
		}
	})
	if err != nil {
		return nil, nil, err
	}
	var signed []records.FileSignature
	for i, entry := range diff.toRead {
		if signatures[i] != 0 {
			signed = append(signed, records.FileSignature{Path: entry.Path, Signature: signatures[i]})
		}
		if all[i] != (batchKey{}) {
			entries, keys = append(entries, entry), append(keys, all[i])
		} else {
			diff.deferFile(entry.Path) // or it is steady, and on record
		}
	}
	return entries, keys, tx.DB.Sign(ctx, signed)
}

// movedKeys returns the subjects that files have left or come to. Whether a memory has lost its last primary file, and whether
// so many have that it may be an accident, is decided over all of these at once.
func movedKeys(ctx context.Context, tx *agenttx.Tx, whole batch, known map[string]*records.File) (map[batchKey]bool, error) {
	var carried []uuid.UUID
	for _, f := range whole.removed {
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
	keys, err := tx.DB.KeysOf(ctx, carried)
	if err != nil {
		return nil, err
	}
	moved := map[batchKey]bool{}
	for _, f := range whole.removed {
		moved[batchKey{Key: keys[f.MemoryID]}] = true
	}
	for i, entry := range whole.entries {
		f := known[entry.Path]
		if f == nil || !f.Present {
			continue
		}
		before, now := batchKey{Key: keys[f.MemoryID]}, whole.keys[i]
		if before.Name != "" && before != now {
			moved[before], moved[now] = true, true
		}
	}
	return moved, nil
}

// split puts all files of a subject into one batch, in the order of their paths as far as that allows. What is moving, and
// what is gone, comes first and together: were it decided on after the rest, a scan that follows one which was cut short between the two
// would count what is new among what was there.
func (b batch) split(moving map[batchKey]bool) []batch {
	type group struct {
		files, place int
		bytes        int64
	}
	const unplaced, first = -1, -2
	groups := make(map[batchKey]*group, len(b.entries))
	for i, key := range b.keys {
		g := groups[key]
		if g == nil {
			g = &group{place: unplaced}
			if moving[key] {
				g.place = first
			}
			groups[key] = g
		}
		g.files++
		g.bytes += min(b.entries[i].Size, memories.MaxFileSize)
	}
	var batches []batch
	moved := batch{removed: b.removed}
	files, bytes := maxBatchFiles, int64(0) // of the batch that is being filled: none is yet
	for i, key := range b.keys {
		g := groups[key]
		if g.place == unplaced {
			if files+g.files > maxBatchFiles || bytes+g.bytes > maxBatchBytes {
				batches = append(batches, batch{})
				files, bytes = 0, 0
			}
			g.place = len(batches) - 1
			files += g.files
			bytes += g.bytes
		}
		into := &moved
		if g.place != first {
			into = &batches[g.place]
		}
		into.entries, into.keys = append(into.entries, b.entries[i]), append(into.keys, key)
	}
	if len(moved.entries)+len(moved.removed) > 0 {
		batches = append([]batch{moved}, batches...)
	}
	return batches
}

func (b batch) fits() bool {
	bytes := int64(0)
	for _, entry := range b.entries {
		bytes += min(entry.Size, memories.MaxFileSize)
	}
	return len(b.entries) <= maxBatchFiles && bytes <= maxBatchBytes
}

package scan

import (
	"context"

	"github.com/google/uuid"

	"memoir/internal/agents"
	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/reconcile"
)

// A scan with more files or bytes than these limits is divided into batches, to limit its memory.
// Both limits are arbitrary. A file of 1 KB needs about 8 KB of memory during a scan.
const (
	maxBatchFiles = 10_000
	maxBatchBytes = 16 << 20
)

// batch is a part of a scan that is reconciled and committed without the other parts. It contains
// all files to read that have the same keys.
type batch struct {
	entries []*agents.Entry // files to read
	keys    []batchKey      // of the entries, in the same order; nil if the scan is one batch
	removed []records.File
}

// batchKey is the key of the memory in a file. For an unreadable file it is the file's path.
type batchKey struct {
	memories.Key // with the path as its name for an unreadable file
	unreadable   bool
}

func keyOf(s reconcile.ScannedFile) batchKey {
	if s.File.Unreadable {
		return batchKey{memories.Key{Name: s.Path}, true}
	}
	return batchKey{s.Key(), false}
}

// makeBatches divides the files to read and the removed files of a scan into batches. If they are
// within the limits, it reads nothing and returns one batch. Otherwise it reads every file to find
// the name of its memory. The batches then contain only the changed files, which are read again
// later.
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

// readKeys reads all files of diff.toRead. It returns the changed ones with their keys, in the same
// order, and saves the signatures of the unchanged ones. It omits files that are missing or being
// written, counts them in diff as deferred, and requests their scan.
func (s *Scanner) readKeys(ctx context.Context, tx *agenttx.Tx, r Request, o reconcile.Observed, diff *scanDiff) (entries []*agents.Entry, keys []batchKey, err error) {
	all := make([]batchKey, len(diff.toRead)) // zero for files that are unchanged or not ready
	signatures := make([]int64, len(diff.toRead))
	err = inParallel(ctx, len(diff.toRead), func(i int) {
		file, ok := s.readScanned(tx, r, o.At, diff.toRead[i], diff.known[diff.toRead[i].Path])
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
			diff.deferFile(entry.Path) // does not count an unchanged file, because its row is present
		}
	}
	return entries, keys, tx.DB.SaveSignatures(ctx, signed)
}

// movedKeys returns the keys of the memories that have lost a file, and the new keys of files that
// now belong to another memory. Its result may be nil. Their files must be in one batch. Only then
// can reconcile detect the loss of a memory's last primary file, and apply the mass-removal limit.
func movedKeys(ctx context.Context, tx *agenttx.Tx, whole batch, known map[string]*records.File) (map[batchKey]bool, error) {
	var ids []uuid.UUID
	for _, f := range whole.removed {
		ids = append(ids, f.MemoryID)
	}
	for _, entry := range whole.entries {
		if f := known[entry.Path]; f != nil && f.Present {
			ids = append(ids, f.MemoryID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	keys, err := tx.Rows.KeysOf(ctx, ids)
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

// split divides b into batches within the limits, in the order of the files. All files with the
// same key get into one batch, even if it then exceeds the limits. The first batch has all files
// with the keys in isMoved, and all removed files. If the scan stops between batches, the next scan
// must not count new files as old ones when it applies the mass-removal limit.
func (b batch) split(isMoved map[batchKey]bool) []batch {
	type size struct {
		files int
		bytes int64
	}
	sizes := map[batchKey]size{}
	for i, key := range b.keys {
		of := sizes[key]
		sizes[key] = size{of.files + 1, of.bytes + min(b.entries[i].Size, memories.MaxFileSize)}
	}
	batches := []batch{{removed: b.removed}}
	batchOf := map[batchKey]int{}      // index of the key's batch; 0 for the moved keys
	last := size{files: maxBatchFiles} // of the last batch; full, so that the first file adds one
	for i, key := range b.keys {
		if _, isPlaced := batchOf[key]; !isPlaced && !isMoved[key] {
			of := sizes[key]
			if last.files+of.files > maxBatchFiles || last.bytes+of.bytes > maxBatchBytes {
				batches = append(batches, batch{})
				last = size{}
			}
			last = size{last.files + of.files, last.bytes + of.bytes}
			batchOf[key] = len(batches) - 1
		}
		into := &batches[batchOf[key]]
		into.entries, into.keys = append(into.entries, b.entries[i]), append(into.keys, key)
	}
	if len(batches[0].entries)+len(b.removed) == 0 {
		return batches[1:]
	}
	return batches
}

// fits reports whether b is within the limits of a batch.
func (b batch) fits() bool {
	bytes := int64(0)
	for _, entry := range b.entries {
		bytes += min(entry.Size, memories.MaxFileSize)
	}
	return len(b.entries) <= maxBatchFiles && bytes <= maxBatchBytes
}

package scan

import (
	"context"
	"maps"
	"slices"

	"memoir/internal/agents"
	"memoir/internal/records"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/watch"
)

// scanDiff is the difference between a listing and the rows of the scanned paths.
type scanDiff struct {
	// toRead are the listed files that may differ from their rows: new, changed or returned files,
	// and those without a signature.
	toRead []*agents.Entry
	// known are the rows of the files in toRead and of files that may be missing, by path.
	known         map[string]*records.File
	presentBefore int // number of files that the rows had on disk before the scan
	deferred      int // number of listed files that the rows do not have on disk after the scan
}

// deferFile records that the scan does not commit a listed file. It counts the file as deferred,
// unless its row has it on disk already.
func (d *scanDiff) deferFile(path string) {
	if f := d.known[path]; f == nil || !f.Present {
		d.deferred++
	}
}

// compare returns the difference between the listing and the rows of r.Paths. It reads only the
// database. Full scans and long listings use diffByChecksum. Otherwise the file r.Saved is always
// in toRead.
func compare(ctx context.Context, tx *agenttx.Tx, listing agents.Listing, r Request) (scanDiff, error) {
	paths := r.Paths
	if agenttx.IsFullScan(paths) || len(listing.Files) > len(paths)+watch.MaxPaths {
		return diffByChecksum(ctx, tx, listing, paths)
	}
	rows, err := tx.Rows.FilesUnder(ctx, paths)
	if err != nil {
		return scanDiff{}, err
	}
	d := scanDiff{known: map[string]*records.File{}}
	d.addRows(rows)
	for _, f := range rows {
		if f.Present {
			d.presentBefore++
		}
	}
	for i := range listing.Files {
		entry := &listing.Files[i]
		if f := d.known[entry.Path]; f == nil || f.Signature != entry.Signature() || entry.Path == r.Saved {
			d.toRead = append(d.toRead, entry)
		}
	}
	return d, nil
}

// diffByChecksum returns the difference between the listing and the rows of paths. It is for many
// files: it compares checksums of signatures in 256 parts, and reads only the signatures of parts
// that differ. It then reads the rows of files that differ. So for an agent without changes it
// reads only sums.
func diffByChecksum(ctx context.Context, tx *agenttx.Tx, listing agents.Listing, paths []string) (scanDiff, error) {
	sums, err := tx.Rows.SumSignatures(ctx, paths)
	if err != nil {
		return scanDiff{}, err
	}
	d := scanDiff{known: map[string]*records.File{}, presentBefore: sums.Present()}
	if sums.Unsigned > 0 {
		rows, err := tx.Rows.UnsignedFiles(ctx)
		if err != nil {
			return d, err
		}
		d.addRows(slices.DeleteFunc(rows, func(f records.File) bool { return !agenttx.IsIn(paths, f.Path) }))
	}
	// Files without a signature are read anyway, and must not make their parts differ.
	signatures := make([]int64, len(listing.Files))
	var onDisk [len(sums.Parts)]records.SignatureSum
	for i, entry := range listing.Files {
		signatures[i] = entry.Signature()
		if d.known[entry.Path] == nil {
			onDisk[agents.Part(signatures[i])].Add(signatures[i])
		}
	}
	var parts []uint8
	for part, sum := range sums.Parts {
		if sum.Files > 0 && sum != onDisk[part] {
			parts = append(parts, uint8(part))
		}
	}
	unmatched := map[int64]bool{} // signatures of rows without an equal file; reduced below
	if len(parts) > 0 {
		known, err := tx.Rows.SignaturesInParts(ctx, parts, paths)
		if err != nil {
			return d, err
		}
		for _, signature := range known {
			unmatched[signature] = true
		}
	}
	var toRead []string
	for i := range listing.Files {
		entry, part := &listing.Files[i], agents.Part(signatures[i])
		switch {
		case d.known[entry.Path] != nil:
			d.toRead = append(d.toRead, entry)
		case onDisk[part] == sums.Parts[part]:
		case unmatched[signatures[i]]:
			delete(unmatched, signatures[i])
		default:
			d.toRead = append(d.toRead, entry)
			toRead = append(toRead, entry.Path)
		}
	}
	if len(unmatched) > 0 {
		rows, err := tx.Rows.FilesWithSignatures(ctx, slices.Collect(maps.Keys(unmatched)))
		if err != nil {
			return d, err
		}
		d.addRows(rows)
	}
	if sums.Absent > 0 && len(toRead) > 0 { // some may have returned
		rows, err := tx.Rows.FilesAt(ctx, toRead)
		if err != nil {
			return d, err
		}
		d.addRows(rows)
	}
	return d, nil
}

// unseen returns the paths of the files in d.known that the rows had on disk, except listed files
// and those in removed. They are in no order.
func (d *scanDiff) unseen(listing agents.Listing, removed []records.File) []string {
	isRemoved := make(map[string]bool, len(removed))
	for _, f := range removed {
		isRemoved[f.Path] = true
	}
	var paths []string
	for path, f := range d.known {
		if f.Present && !isRemoved[path] && !listing.HasFile(path) {
			paths = append(paths, path)
		}
	}
	return paths
}

func (d *scanDiff) addRows(rows []records.File) {
	for i := range rows {
		d.known[rows[i].Path] = &rows[i]
	}
}

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

// scanDiff are what a scan has to go into: where the listing and the rows do not say the same.
type scanDiff struct {
	toRead        []*agents.Entry          // new, changed, back, or read too soon after a change to be sure
	known         map[string]*records.File // the rows of these and of whatever else may be gone, by path
	presentBefore int                      // how many files of the paths the rows had on disk
	deferred      int                      // how many that are listed no row will have on disk after this look
}

// deferFile leaves a file that is listed to a scan that is to come.
func (d *scanDiff) deferFile(path string) {
	if f := d.known[path]; f == nil || !f.Present {
		d.deferred++
	}
}

// differences compares what was listed in the paths with what is known of it.
func compare(ctx context.Context, tx *agenttx.Tx, listing agents.Listing, r Request) (scanDiff, error) {
	paths := r.Paths
	if agenttx.IsFullScan(paths) || len(listing.Files) > len(paths)+watch.MaxPaths {
		return diffByChecksum(ctx, tx, listing, paths)
	}
	rows, err := tx.DB.FilesUnder(ctx, paths)
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
		// With the same signature it cannot have changed, unless somebody has just asked for it to be written.
		if f := d.known[entry.Path]; f == nil || f.Signature != entry.Signature() || entry.Path == r.Saved {
			d.toRead = append(d.toRead, entry)
		}
	}
	return d, nil
}

// diffByChecksum reads only those rows that are otherwise, so that a scan of a hundred thousand files that are as they were
// costs Postgres one sum, and nobody a hundred thousand rows.
func diffByChecksum(ctx context.Context, tx *agenttx.Tx, listing agents.Listing, paths []string) (scanDiff, error) {
	sums, err := tx.DB.SumSignatures(ctx, paths)
	if err != nil {
		return scanDiff{}, err
	}
	d := scanDiff{known: map[string]*records.File{}, presentBefore: sums.Present()}
	if sums.Unsigned > 0 {
		rows, err := tx.DB.UnsignedFiles(ctx)
		if err != nil {
			return d, err
		}
		d.addRows(slices.DeleteFunc(rows, func(f records.File) bool { return !agenttx.IsIn(paths, f.Path) }))
	}
	// What has no signature is scanned one by one, and must not make the rest of its part differ.
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
	unmatched := map[int64]bool{} // signatures of files that have changed or gone, once those on disk have been taken out
	if len(parts) > 0 {
		known, err := tx.DB.SignaturesInParts(ctx, parts, paths)
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
		rows, err := tx.DB.FilesWithSignatures(ctx, slices.Collect(maps.Keys(unmatched)))
		if err != nil {
			return d, err
		}
		d.addRows(rows)
	}
	if sums.Absent > 0 && len(toRead) > 0 { // some may have come back
		rows, err := tx.DB.FilesAt(ctx, toRead)
		if err != nil {
			return d, err
		}
		d.addRows(rows)
	}
	return d, nil
}

// unseen returns the files that the rows have on disk and that are neither listed nor concluded to be gone.
func (d *scanDiff) unseen(listing agents.Listing, removed []records.File) []string {
	concluded := make(map[string]struct{}, len(removed))
	for _, f := range removed {
		concluded[f.Path] = struct{}{}
	}
	var paths []string
	for path, f := range d.known {
		if _, is := concluded[path]; f.Present && !is && !listing.HasFile(path) {
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

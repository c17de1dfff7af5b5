package scan

import (
	"context"
	"maps"
	"slices"

	"memoir/internal/agents"
	"memoir/internal/records"
	"memoir/internal/sync/agenttx"
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

// compare returns the difference between the listing and the rows of r.Paths. The file r.Saved
// always differs.
func compare(ctx context.Context, tx *agenttx.Tx, listing agents.Listing, r Request) (scanDiff, error) {
	d := scanDiff{known: map[string]*records.File{}}
	if agenttx.IsFullScan(r.Paths) {
		err := d.compareAll(ctx, tx, listing)
		return d, err
	}
	rows, err := tx.Rows.FilesUnder(ctx, r.Paths)
	if err != nil {
		return d, err
	}
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

// compareAll sets d to the difference between the listing of the whole directory and all rows. It
// reads the signatures of all files, but only the rows of those that differ, to limit its memory.
func (d *scanDiff) compareAll(ctx context.Context, tx *agenttx.Tx, listing agents.Listing) error {
	signatures, err := tx.Rows.FileSignatures(ctx)
	if err != nil {
		return err
	}
	d.presentBefore = len(signatures)
	var paths []string
	for i := range listing.Files {
		entry := &listing.Files[i]
		if signature, isPresent := signatures[entry.Path]; !isPresent || signature != entry.Signature() {
			d.toRead = append(d.toRead, entry)
			paths = append(paths, entry.Path)
		}
		delete(signatures, entry.Path)
	}
	missing := slices.Collect(maps.Keys(signatures))
	if len(paths)+len(missing) == 0 {
		return nil
	}
	rows, err := tx.Rows.FilesAt(ctx, append(paths, missing...))
	d.addRows(rows)
	return err
}

// unseen returns the paths of the files that the rows had on disk, except listed files and those in
// removed.
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

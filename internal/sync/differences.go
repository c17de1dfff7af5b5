package sync

import (
	"context"
	"maps"
	"slices"

	"memoir/internal/agents"
	"memoir/internal/records"
	"memoir/internal/sync/watch"
)

// differences are what a look has to go into: where the listing and the rows do not say the same.
type differences struct {
	toRead []*agents.Entry          // new, changed, back, or read too soon after a change to be sure
	known  map[string]*records.File // the rows of these and of whatever else may be gone, by path
	before int                      // how many files of the scope the rows had on disk
	later  int                      // how many that are listed no row will have on disk after this look
}

// putOff leaves a file that is listed to a look that is to come.
func (d *differences) putOff(path string) {
	if f := d.known[path]; f == nil || !f.Present {
		d.later++
	}
}

// differences compares what was listed in the scope with what is known of it.
func (h *hold) differences(ctx context.Context, listing agents.Listing, scope []string) (differences, error) {
	if isWhole(scope) || len(listing.Files) > len(scope)+watch.MaxPaths {
		return h.differencesInSum(ctx, listing, scope)
	}
	rows, err := h.w.FilesUnder(ctx, scope)
	if err != nil {
		return differences{}, err
	}
	d := differences{known: map[string]*records.File{}}
	d.learn(rows)
	for _, f := range rows {
		if f.Present {
			d.before++
		}
	}
	for i := range listing.Files {
		entry := &listing.Files[i]
		// With the same signature it cannot have changed, unless somebody has just asked for it to be written.
		if f := d.known[entry.Path]; f == nil || f.Signature != entry.Signature() || entry.Path == h.saved {
			d.toRead = append(d.toRead, entry)
		}
	}
	return d, nil
}

// differencesInSum reads only those rows that are otherwise, so that a look at a hundred thousand files that are as they were
// costs Postgres one sum, and nobody a hundred thousand rows.
func (h *hold) differencesInSum(ctx context.Context, listing agents.Listing, scope []string) (differences, error) {
	sums, err := h.w.SumSignatures(ctx, scope)
	if err != nil {
		return differences{}, err
	}
	d := differences{known: map[string]*records.File{}, before: sums.Present()}
	if sums.Unsigned > 0 {
		rows, err := h.w.UnsignedFiles(ctx)
		if err != nil {
			return d, err
		}
		d.learn(slices.DeleteFunc(rows, func(f records.File) bool { return !isIn(scope, f.Path) }))
	}
	// What has no signature is looked at one by one, and must not make the rest of its part differ.
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
		known, err := h.w.SignaturesInParts(ctx, parts, scope)
		if err != nil {
			return d, err
		}
		for _, signature := range known {
			unmatched[signature] = true
		}
	}
	var paths []string // of what is to be read
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
			paths = append(paths, entry.Path)
		}
	}
	if len(unmatched) > 0 {
		rows, err := h.w.FilesWithSignatures(ctx, slices.Collect(maps.Keys(unmatched)))
		if err != nil {
			return d, err
		}
		d.learn(rows)
	}
	if sums.Absent > 0 && len(paths) > 0 { // some may have come back
		rows, err := h.w.FilesAt(ctx, paths)
		if err != nil {
			return d, err
		}
		d.learn(rows)
	}
	return d, nil
}

// notSeen returns the files that the rows have on disk and that are neither listed nor concluded to be gone.
func (d *differences) notSeen(listing agents.Listing, gone []records.File) []string {
	concluded := make(map[string]struct{}, len(gone))
	for _, f := range gone {
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

func (d *differences) learn(rows []records.File) {
	for i := range rows {
		d.known[rows[i].Path] = &rows[i]
	}
}

// isWhole says that the scope is all of the agent's directory.
func isWhole(scope []string) bool { return slices.Equal(scope, []string{"."}) }

package sync

import (
	"context"
	"slices"

	"memoir/internal/agents"
	"memoir/internal/postgres"
)

// differences are what a look has to go into: where the listing and the rows do not say the same.
type differences struct {
	toRead []*agents.Entry           // new, changed, back, or read too soon after a change to be sure
	known  map[string]*postgres.File // the rows of these and of whatever else may be gone, by path
	before int                       // how many files of the scope the rows had on disk
}

// differences compares what was listed in the scope with what is known of it.
func (h *hold) differences(ctx context.Context, listing agents.Listing, scope []string) (differences, error) {
	if isWhole(scope) || len(listing.Files) > maxScope {
		return h.differencesInSum(ctx, listing, scope)
	}
	rows, err := h.w.FilesUnder(ctx, scope)
	if err != nil {
		return differences{}, err
	}
	d := differences{known: map[string]*postgres.File{}}
	d.learn(rows)
	for _, f := range rows {
		if f.Present {
			d.before++
		}
	}
	for i := range listing.Files {
		entry := &listing.Files[i]
		d.compare(entry, entry.Signature(), h.saved)
	}
	return d, nil
}

// differencesInSum reads rows only of those parts of the files in which something is otherwise, so that a look at a hundred
// thousand files that are as they were costs Postgres one sum, and nobody a hundred thousand rows.
func (h *hold) differencesInSum(ctx context.Context, listing agents.Listing, scope []string) (differences, error) {
	sums, err := h.w.SumSignatures(ctx, scope)
	if err != nil {
		return differences{}, err
	}
	d := differences{known: map[string]*postgres.File{}, before: sums.Present()}
	if sums.Unsigned > 0 {
		rows, err := h.w.UnsignedFiles(ctx)
		if err != nil {
			return d, err
		}
		d.learn(rows)
	}
	// What has no signature is looked at one by one, and must not make the rest of its part differ.
	signatures := make([]int64, len(listing.Files))
	var onDisk [len(sums.Parts)]postgres.Sum
	for i, entry := range listing.Files {
		signatures[i] = entry.Signature()
		if d.known[entry.Path] == nil {
			onDisk[agents.Part(signatures[i])].Add(signatures[i])
		}
	}
	differs := func(i int) bool { part := agents.Part(signatures[i]); return onDisk[part] != sums.Parts[part] }

	var parts []uint8
	for part, sum := range sums.Parts {
		if sum.Files > 0 && sum != onDisk[part] {
			parts = append(parts, uint8(part))
		}
	}
	if len(parts) > 0 {
		rows, err := h.w.FilesInParts(ctx, parts)
		if err != nil {
			return d, err
		}
		d.learn(rows)
	}
	var appeared []string // may have been there once
	for i, entry := range listing.Files {
		if sums.Absent > 0 && differs(i) && d.known[entry.Path] == nil {
			appeared = append(appeared, entry.Path)
		}
	}
	if len(appeared) > 0 {
		rows, err := h.w.FilesAt(ctx, appeared)
		if err != nil {
			return d, err
		}
		d.learn(rows)
	}
	for i := range listing.Files {
		if entry := &listing.Files[i]; differs(i) || d.known[entry.Path] != nil {
			d.compare(entry, signatures[i], h.saved)
		}
	}
	return d, nil
}

func (d *differences) learn(rows []postgres.File) {
	for i := range rows {
		d.known[rows[i].Path] = &rows[i]
	}
}

// compare has the entry read unless it cannot have changed since it was last read, as far as its metadata tells, or is saved:
// the file that somebody has just asked to be written.
func (d *differences) compare(entry *agents.Entry, signature int64, saved string) {
	if f := d.known[entry.Path]; f == nil || f.Signature != signature || entry.Path == saved {
		d.toRead = append(d.toRead, entry)
	}
}

// isWhole says that the scope is all of the agent's directory.
func isWhole(scope []string) bool { return slices.Equal(scope, []string{"."}) }

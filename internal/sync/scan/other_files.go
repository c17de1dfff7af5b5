package scan

import (
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"memoir/internal/agents"
	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/memories/frontmatter"
	"memoir/internal/records"
	"memoir/internal/sync/agenttx"
	"memoir/internal/sync/reconcile"
)

const (
	// maxOthers is the largest number of an agent's text files without .md that are listed.
	// Arbitrary: a person can still read such a list.
	maxOthers = 200
	// maxSniffed is the largest number of files that one scan opens to check whether they are text.
	// The next full scans check the others. 1,000 files take about 50 ms.
	maxSniffed = 1000
)

// listOthers adds the text files without .md among listing.Others to listing.Files, up to maxOthers
// for the whole agent. It omits the rest; files that an earlier scan listed have priority. The
// problem of the last file within the limit mentions the limit. It opens only new and changed
// files, at most maxSniffed, and records the result in tx.State. It fails only with
// memories.ErrOutOfFiles.
func listOthers(tx *agenttx.Tx, listing *agents.Listing, paths []string) error {
	before := agenttx.OtherFiles{Kinds: tx.State.Others.Kinds, Listed: maps.Clone(tx.State.Others.Listed)}
	if before.Kinds == nil || agenttx.IsFullScan(paths) {
		tx.State.Others = agenttx.OtherFiles{Kinds: map[string]agenttx.OtherKind{}, Listed: map[string]struct{}{}}
	}
	maps.DeleteFunc(tx.State.Others.Listed, func(p string, _ struct{}) bool { return agenttx.IsIn(paths, p) })
	rank := func(o agents.Other) int {
		if _, wasListed := before.Listed[o.Path]; wasListed {
			return 0
		}
		return 1
	}
	slices.SortFunc(listing.Others, func(a, b agents.Other) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), strings.Compare(a.Path, b.Path))
	})
	var listed []agents.Other
	var leftOut []string
	opened := 0
	for _, o := range listing.Others {
		if len(tx.State.Others.Listed) >= maxOthers {
			leftOut = append(leftOut, o.Path)
			continue
		}
		kind, known := before.Kinds[o.Path]
		if !known || kind.Signature != o.Signature() {
			if opened++; opened > maxSniffed {
				continue // the next full scan checks it
			}
			isText, err := o.IsText(tx.Root)
			switch {
			case files.IsExhausted(err):
				return agenttx.OutOfFiles(err)
			case errors.Is(err, fs.ErrNotExist):
				continue
			case err != nil:
				isText = true // users see the cause in the list
			}
			kind = agenttx.OtherKind{Signature: o.Signature(), IsText: isText}
		}
		tx.State.Others.Kinds[o.Path] = kind
		if !kind.IsText {
			leftOut = append(leftOut, o.Path)
			continue
		}
		tx.State.Others.Listed[o.Path] = struct{}{}
		if len(tx.State.Others.Listed) == maxOthers {
			o.Problem = &memories.Problem{Code: o.Problem.Code, Message: o.Problem.Message + " There may be more: at most " + strconv.Itoa(maxOthers) + " are listed."}
		}
		listed = append(listed, o)
	}
	listing.AddOthers(listed, leftOut)
	return nil
}

// excludeWellKnown turns a well-known file, such as README.md, into an unreadable file with the
// problem memories.CodeNotMemory. It changes no other file. It also leaves a well-known file that
// states a type or was readable at its last scan.
func excludeWellKnown(s *reconcile.ScannedFile) {
	isNew := s.Known == nil || s.Known.Status == records.Unreadable
	if isNew && agents.IsWellKnown(s.Path) && !s.File.Unreadable && (s.File.Type == "" || s.File.Plain) {
		s.File = frontmatter.UnreadableFile(agenttx.Stem(s.Path), memories.ProblemOf(memories.CodeNotMemory))
	}
}

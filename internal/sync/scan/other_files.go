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
	// maxOthers is the number of text files of other endings that are listed of an agent. Arbitrary: a person looks through that many.
	maxOthers = 200
	// maxSniffed is the number of such files that one scan opens to tell text from other data: about 50 ms of work. A directory of more is
	// gone through by several scans.
	maxSniffed = 1000
)

// listOthers adds to a listing the files in it that are text, up to maxOthers of the agent. Files that were listed before come first. It
// fails where nothing more could be opened.
func listOthers(tx *agenttx.Tx, listing *agents.Listing, paths []string) error {
	before := agenttx.OtherFiles{Kinds: tx.State.Others.Kinds, Listed: maps.Clone(tx.State.Others.Listed)}
	if before.Kinds == nil || agenttx.IsFullScan(paths) {
		tx.State.Others = agenttx.OtherFiles{Kinds: map[string]agenttx.OtherKind{}, Listed: map[string]struct{}{}}
	}
	maps.DeleteFunc(tx.State.Others.Listed, func(p string, _ struct{}) bool { return agenttx.IsIn(paths, p) })
	wasListed := func(o agents.Other) int {
		if _, was := before.Listed[o.Path]; was {
			return 0
		}
		return 1
	}
	slices.SortFunc(listing.Others, func(a, b agents.Other) int {
		return cmp.Or(cmp.Compare(wasListed(a), wasListed(b)), strings.Compare(a.Path, b.Path))
	})
	reader := files.NewDirReader(tx.Root)
	defer reader.Close()
	var listed []agents.Other
	var leftOut []string
	opened := 0
	for _, o := range listing.Others {
		if len(tx.State.Others.Listed) >= maxOthers {
			leftOut = append(leftOut, o.Path)
			continue
		}
		is := agenttx.OtherStamp{Path: o.Path, Size: o.Size, ModTime: o.ModTime, Inode: o.Inode}
		kind, known := before.Kinds[o.Path]
		if !known || kind.Stamp != is {
			if opened++; opened > maxSniffed {
				continue // the next full scan goes on
			}
			isText, err := o.IsText(reader)
			switch {
			case files.IsExhausted(err):
				return agenttx.ScanError(err)
			case errors.Is(err, fs.ErrNotExist):
				continue
			case err != nil:
				isText = true // it is listed, and says why it cannot be read
			}
			kind = agenttx.OtherKind{Stamp: is, IsText: isText}
		}
		tx.State.Others.Kinds[o.Path] = kind
		if !kind.IsText {
			leftOut = append(leftOut, o.Path)
			continue
		}
		tx.State.Others.Listed[o.Path] = struct{}{}
		if len(tx.State.Others.Listed) == maxOthers {
			o.Problem = &memories.Problem{Code: o.Problem.Code, Message: o.Problem.Message + " There may be more such files: of an agent, " + strconv.Itoa(maxOthers) + " are listed."}
		}
		listed = append(listed, o)
	}
	listing.AddOthers(listed, leftOut)
	return nil
}

// markWellKnown lists a file that people and tools keep in any directory, such as a README, as no memory. A file with a type is a memory,
// and so is one that has been a memory.
func leaveWellKnown(s *reconcile.ScannedFile) {
	isNew := s.Known == nil || s.Known.Status == records.Unreadable
	if isNew && agents.IsWellKnown(s.Path) && !s.File.Unreadable && s.File.Type == "" {
		s.File = frontmatter.UnreadableFile(agenttx.Stem(s.Path), memories.ProblemOf(memories.CodeNotMemory))
	}
}

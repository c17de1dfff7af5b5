package sync

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"memoir/internal/agents"
	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/memories/frontmatter"
	"memoir/internal/records"
)

const (
	// maxOthers is the number of text files of other endings that are listed of an agent. Arbitrary: a person looks through that many.
	maxOthers = 200
	// maxSniffed is the number of such files that one scan opens to tell text from other data: about 50 ms of work. A directory of more is
	// gone through by several scans.
	maxSniffed = 1000
)

// otherFiles are the files of an agent that are not Markdown, as they were last scanned.
type otherFiles struct {
	kinds  map[string]otherKind // by path
	listed map[string]struct{}  // paths of those that are listed
}

// stamp is the metadata that shows a change of such a file.
type stamp struct {
	path          string
	size, modTime int64
	inode         uint64
}

// otherKind reports whether a file is text.
type otherKind struct {
	stamp  stamp
	isText bool
}

// listOthers adds to a listing the files in it that are text, up to maxOthers of the agent. Files that were listed before come first. It
// fails where nothing more could be opened.
func (h *hold) listOthers(listing *agents.Listing, paths []string) error {
	before := otherFiles{kinds: h.others.kinds, listed: maps.Clone(h.others.listed)}
	if before.kinds == nil || isFullScan(paths) {
		h.others = otherFiles{kinds: map[string]otherKind{}, listed: map[string]struct{}{}}
	}
	maps.DeleteFunc(h.others.listed, func(p string, _ struct{}) bool { return isIn(paths, p) })
	wasListed := func(o agents.Other) int {
		if _, was := before.listed[o.Path]; was {
			return 0
		}
		return 1
	}
	slices.SortFunc(listing.Others, func(a, b agents.Other) int {
		return cmp.Or(cmp.Compare(wasListed(a), wasListed(b)), strings.Compare(a.Path, b.Path))
	})
	reader := files.NeighboursIn(h.root)
	defer reader.Close()
	var listed []agents.Other
	var leftOut []string
	opened := 0
	for _, o := range listing.Others {
		if len(h.others.listed) >= maxOthers {
			leftOut = append(leftOut, o.Path)
			continue
		}
		is := stamp{o.Path, o.Size, o.ModTime, o.Inode}
		kind, known := before.kinds[o.Path]
		if !known || kind.stamp != is {
			if opened++; opened > maxSniffed {
				continue // the next full scan goes on
			}
			isText, err := o.IsText(reader)
			switch {
			case files.IsExhausted(err):
				return scanError(err)
			case errors.Is(err, fs.ErrNotExist):
				continue
			case err != nil:
				isText = true // it is listed, and says why it cannot be read
			}
			kind = otherKind{is, isText}
		}
		h.others.kinds[o.Path] = kind
		if !kind.isText {
			leftOut = append(leftOut, o.Path)
			continue
		}
		h.others.listed[o.Path] = struct{}{}
		if len(h.others.listed) == maxOthers {
			o.Problem = &memories.Problem{Code: o.Problem.Code, Message: o.Problem.Message + " There may be more such files: of an agent, " + strconv.Itoa(maxOthers) + " are listed."}
		}
		listed = append(listed, o)
	}
	listing.AddOthers(listed, leftOut)
	return nil
}

// markWellKnown lists a file that people and tools keep in any directory, such as a README, as no memory. A file with a type is a memory,
// and so is one that has been a memory.
func (s *scannedFile) markWellKnown() {
	isNew := s.known == nil || s.known.Status == records.Unreadable
	if isNew && agents.IsWellKnown(s.path) && !s.file.Unreadable && s.file.Type == "" {
		s.file = frontmatter.UnreadableFile(stem(s.path), memories.ProblemOf(memories.CodeNotMemory))
	}
}

// isOther reports whether problems are those of a text file that is not Markdown by its name.
func isOther(problems []memories.Problem) bool {
	return len(problems) > 0 && problems[0].Code == memories.CodeNotMarkdown
}

// flawsOfOther returns a text file that is not Markdown with its fix; without a fix where it cannot be read.
func flawsOfOther(root *os.Root, m memories.Memory) Flawed {
	found := Flawed{Path: m.Path, Session: m.Session, Hash: m.Hash, Problems: m.Problems}
	raw, err := readAll(root, m.Path, memories.MaxFileSize)
	if err != nil {
		return found
	}
	to := markdownPath(root, m.Path)
	found.Raw, found.Hash = raw, files.Hash(raw)
	found.Fixes = []frontmatter.Fix{{
		ID: renameFix, Code: memories.CodeNotMarkdown, Label: "Rename to " + path.Base(to), NewPath: to, After: raw,
		Explanation: "Renames the file. Its text stays as it is.",
	}}
	return found
}

// renameFix is the id of the fix that renames a text file.
const renameFix = "rename"

// markdownPath returns the path that a file gets with the ending of a memory: that of its stem, with a number where it is taken.
func markdownPath(root *os.Root, relPath string) string {
	base := strings.TrimSuffix(relPath, path.Ext(relPath))
	for n := 1; ; n++ {
		to := base + ".md"
		if n > 1 {
			to = base + "_" + strconv.Itoa(n) + ".md"
		}
		if !agents.IsIndexPath(to) && !agents.IsWellKnown(to) && isFree(root, to) {
			return to
		}
	}
}

// renameOther gives a text file the ending of a memory, and mirrors it. It reports false where the fix is not about such a file.
func (h *hold) renameOther(ctx context.Context, op fixOp) (to string, done bool, err error) {
	row, on, err := h.rowWithFiles(ctx, op.Ref.ID, op.Ref.ETag)
	if err != nil || row.Readable || !isOther(row.Problems) || op.Fix != renameFix || op.Path != row.Path || row.State == memories.Deleted {
		return "", false, err
	}
	if err := h.canWrite(ctx); err != nil {
		return "", false, err
	}
	mirrored, err := h.mirroredFiles(ctx, row, on)
	if err != nil {
		return "", false, err
	}
	for _, f := range mirrored {
		raw, err := h.readRecorded(f)
		if err != nil {
			return "", false, err
		}
		if raw == nil {
			return "", false, &memories.ConflictError{Reason: f.Path + " is gone from the disk. Nothing was changed."}
		}
	}
	to = markdownPath(h.root, row.Path)
	if err := h.disk.Move(h.root, row.Path, to); err != nil {
		return "", false, &memories.ConflictError{Reason: fmt.Sprintf("%s could not be renamed to %s (%v). Look which name it has, and try again.", row.Path, to, fsCause(err))}
	}
	return to, true, h.scanAndPublish(ctx, row.Path, to)
}

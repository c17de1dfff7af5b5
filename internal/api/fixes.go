package api

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"memoir/internal/sync"
	"memoir/internal/wire"
)

// FixList lists a memory's files that have problems, with the possible fixes.
type FixList struct {
	Files []FlawedFile `json:"files" nullable:"false"`
}

// FlawedFile is one file on disk that has problems, with its possible fixes.
type FlawedFile struct {
	Path     string               `json:"path" doc:"Relative to the agent's dir."`
	Session  *string              `json:"session"`
	Hash     *string              `json:"hash" doc:"SHA-256 of the file, in hexadecimal; null: it was not read."`
	Problems []wire.MemoryProblem `json:"problems" nullable:"false"`
	Fixes    []Fix                `json:"fixes" nullable:"false" doc:"Empty if the file must be fixed by hand; see the problem's message."`
}

// fitForJSON replaces NUL with U+FFFD. Many JSON parsers cannot store NUL.
var fitForJSON = strings.NewReplacer("\x00", "\uFFFD")

// Fix is one possible fix of a file.
type Fix struct {
	ID          string `json:"id" doc:"Send it to apply the fix."`
	Problem     string `json:"problem" doc:"Code of the problem that it fixes."`
	Label       string `json:"label"`
	Explanation string `json:"explanation"`
	Guessed     bool   `json:"guessed" doc:"The likely choice of several, by the words of the file."`

	NewPath *string `json:"new_path" doc:"New path of the file, relative to the agent's dir; null if it stays."`
	Diff    string  `json:"diff" doc:"Unified diff; only counts for more than 100,000 lines. NUL and bytes that are not UTF-8 are shown as U+FFFD."`
}

func (a *api) registerFixes() {
	const fixes = "/agents/{slug}/memories/{id}/fixes"
	register(a, get(fixes, "list-fixes", "List the fixes for the problems of a memory's files"), a.listFixes)
	register(a, post(fixes, "apply-fix", "Fix one file of a memory", http.StatusBadRequest, http.StatusConflict,
		http.StatusPreconditionFailed, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType), a.applyFix)
	register(a, post(fixes+"/undo", "undo-fix", "Undo a fix", http.StatusBadRequest, http.StatusConflict,
		http.StatusPreconditionFailed, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType), a.undoFix)
}

func (a *api) listFixes(ctx context.Context, in *MemoryPath) (*answer[FixList], error) {
	flawed, err := a.engine.ProposeFixes(ctx, in.Slug, in.ID)
	list := FixList{Files: make([]FlawedFile, len(flawed))}
	for i, f := range flawed {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		list.Files[i] = flawedFileOf(f)
	}
	return ok(list), err
}

func flawedFileOf(f sync.Flawed) FlawedFile {
	shown := FlawedFile{
		Path: f.Path, Session: wire.Text(f.Session), Hash: wire.Text(f.Hash), Problems: wire.ProblemsOf(f.Problems), Fixes: make([]Fix, len(f.Fixes)),
	}
	for i, fix := range f.Fixes {
		shown.Fixes[i] = Fix{
			ID: fix.ID, Problem: fix.Code, Label: fix.Label, Explanation: fix.Explanation, Guessed: fix.Guessed, NewPath: wire.Text(fix.NewPath),
			Diff: fitForJSON.Replace(strings.ToValidUTF8(fixDiff(f.Path, cmp.Or(fix.NewPath, f.Path), string(f.Raw), string(fix.After)), "\uFFFD")),
		}
	}
	return shown
}

// maxDiffLines is the maximum number of changed lines in a diff. Arbitrary; a diff of a million
// lines takes a second.
const maxDiffLines = 100_000

// fixDiff returns the unified diff of two texts. It is empty if they are equal. If more than
// maxDiffLines lines change, it only has the number of removed and added lines.
func fixDiff(path, newPath, before, after string) string {
	start, end := commonEnds(before, after)
	removed, added := strings.Count(before[start:len(before)-end], "\n"), strings.Count(after[start:len(after)-end], "\n")
	if removed+added > maxDiffLines {
		return fmt.Sprintf("--- %s\n+++ %s\nToo many lines to show: %d are removed and %d are added.\n", path, newPath, removed, added)
	}
	edits := lineEdits(before, after, start, end)
	if len(edits) == 0 {
		return ""
	}
	// The library splits its whole input into lines, so it only gets the lines that are shown.
	from := linesBack(before, edits[0].Start, udiff.DefaultContextLines)
	to := linesOn(before, edits[len(edits)-1].End, udiff.DefaultContextLines)
	for i := range edits {
		edits[i].Start -= from
		edits[i].End -= from
	}
	text, err := udiff.ToUnified(path, newPath, before[from:to], edits, udiff.DefaultContextLines)
	if err != nil {
		return udiff.Unified(path, newPath, before, after)
	}
	return shiftHunks(text, strings.Count(before[:from], "\n"))
}

// commonEnds returns the number of bytes that both texts have in common at their start and at their
// end. It counts whole lines only.
func commonEnds(before, after string) (start, end int) {
	for start < min(len(before), len(after)) && before[start] == after[start] {
		start++
	}
	start = strings.LastIndexByte(before[:start], '\n') + 1
	for end < min(len(before), len(after))-start && before[len(before)-1-end] == after[len(after)-1-end] {
		end++
	}
	if line := strings.IndexByte(before[len(before)-end:], '\n'); line >= 0 {
		end -= line + 1
	} else {
		end = 0
	}
	return start, end
}

// lineEdits returns the edits of whole lines that turn before into after. It compares only the text
// between the common start and end, so that a small change of a large text is fast.
func lineEdits(before, after string, start, end int) []udiff.Edit {
	edits := udiff.Lines(before[start:len(before)-end], after[start:len(after)-end])
	for i := range edits {
		edits[i].Start += start
		edits[i].End += start
	}
	return edits
}

// linesBack returns the offset that is the given number of lines before at. at must be the start of
// a line. It stops at the start of the text.
func linesBack(text string, at, lines int) int {
	for range lines {
		if at == 0 {
			break
		}
		at = strings.LastIndexByte(text[:at-1], '\n') + 1
	}
	return at
}

// linesOn returns the offset that is the given number of lines after at. at must be the start of a
// line or the end of the text. It stops at the end of the text.
func linesOn(text string, at, lines int) int {
	for range lines {
		next := strings.IndexByte(text[at:], '\n')
		if next < 0 {
			return len(text)
		}
		at += next + 1
	}
	return at
}

// hunkHead matches the header line of a hunk. No other line of a unified diff starts with @.
var hunkHead = regexp.MustCompile(`(?m)^@@ -(\d+)((?:,\d+)? \+)(\d+)((?:,\d+)? @@)$`)

// shiftHunks returns diff with by added to all its line numbers.
func shiftHunks(diff string, by int) string {
	if by == 0 {
		return diff
	}
	return hunkHead.ReplaceAllStringFunc(diff, func(head string) string {
		m := hunkHead.FindStringSubmatch(head)
		before, _ := strconv.Atoi(m[1]) // the library wrote a line number
		after, _ := strconv.Atoi(m[3])
		return "@@ -" + strconv.Itoa(before+by) + m[2] + strconv.Itoa(after+by) + m[4]
	})
}

type applyFixInput struct {
	MemoryPath
	Precondition
	Body struct {
		Fix  string `json:"fix" doc:"Id of a current fix of the file."`
		Path string `json:"path" doc:"The file, relative to the agent's dir."`
	} `nameHint:"ApplyFix"`
}

func (a *api) applyFix(ctx context.Context, in *applyFixInput) (*memoryAnswer, error) {
	match, err := a.match(ctx, in.MemoryPath, in.Precondition)
	if err != nil {
		return nil, err
	}
	return written(a.engine.Fix(ctx, in.Slug, in.ID, match, in.Body.Path, in.Body.Fix))
}

type undoFixInput struct {
	MemoryPath
	Precondition
	Body struct {
		Path string `json:"path" doc:"The file, relative to the agent's dir."`
		Hash string `json:"hash" doc:"The hash of the file before the fix, from the list of fixes."`
	} `nameHint:"UndoFix"`
}

func (a *api) undoFix(ctx context.Context, in *undoFixInput) (*memoryAnswer, error) {
	match, err := a.match(ctx, in.MemoryPath, in.Precondition)
	if err != nil {
		return nil, err
	}
	return written(a.engine.UndoFix(ctx, in.Slug, in.ID, match, in.Body.Path, in.Body.Hash))
}

package api

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// unifiedDiff returns the unified diff of two versions of the file at path. It is nil if they are
// equal.
func unifiedDiff(path string, before, after []byte) *string {
	if bytes.Equal(before, after) {
		return nil
	}
	old, now := validText(before), validText(after)
	diff, err := udiff.ToUnified(path, path, old, udiff.Lines(old, now), udiff.DefaultContextLines)
	if err != nil {
		panic(err) // the edits were computed from this text
	}
	return &diff
}

// validText returns raw as text, with each run of invalid UTF-8 replaced by U+FFFD.
func validText(raw []byte) string { return strings.ToValidUTF8(string(raw), "\uFFFD") }

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

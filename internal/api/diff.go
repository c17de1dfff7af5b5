package api

import (
	"bytes"
	"fmt"
	"strings"

	"memoir/internal/findings/quarantine"

	"github.com/aymanbagabas/go-udiff"
)

// unifiedDiff returns the unified diff from before to after, two contents of the file at path. It
// returns nil if their bytes are equal. In the diff, secrets are masked, and U+FFFD replaces invalid
// UTF-8.
func unifiedDiff(path string, before, after []byte) *string {
	if bytes.Equal(before, after) {
		return nil
	}
	old, now := quarantine.MaskSecrets(validText(before)), quarantine.MaskSecrets(validText(after))
	diff, err := udiff.ToUnified(path, path, old, udiff.Lines(old, now), udiff.DefaultContextLines)
	if err != nil {
		panic(err) // the edits were computed from this text
	}
	return &diff
}

// validText returns raw as text, with U+FFFD for each run of invalid UTF-8.
func validText(raw []byte) string { return strings.ToValidUTF8(string(raw), "\uFFFD") }

// maxDiffLines is the maximum number of changed lines in a diff. Arbitrary; a diff of a million
// lines takes a second.
const maxDiffLines = 100_000

// fixDiff returns the unified diff from before, the content of path, to after, the content of
// newPath. It is empty if they are equal. If more than maxDiffLines lines are removed and added, it
// has only the two paths and the numbers of removed and added lines. Secrets are masked.
func fixDiff(path, newPath, before, after string) string {
	before, after = quarantine.MaskSecrets(before), quarantine.MaskSecrets(after)
	start, end := commonEnds(before, after)
	removed, added := strings.Count(before[start:len(before)-end], "\n"), strings.Count(after[start:len(after)-end], "\n")
	if removed+added > maxDiffLines {
		return fmt.Sprintf("--- %s\n+++ %s\nToo many lines to show: %d removed, %d added.\n", path, newPath, removed, added)
	}
	edits := udiff.Lines(before[start:len(before)-end], after[start:len(after)-end])
	for i := range edits {
		edits[i].Start += start
		edits[i].End += start
	}
	text, err := udiff.ToUnified(path, newPath, before, edits, udiff.DefaultContextLines)
	if err != nil {
		panic(err) // the edits were computed from this text
	}
	return text
}

// commonEnds returns the number of bytes that both texts have in common at their start, and at
// their end. It counts whole lines only, and each line once.
func commonEnds(before, after string) (start, end int) {
	for start < min(len(before), len(after)) && before[start] == after[start] {
		start++
	}
	start = strings.LastIndexByte(before[:start], '\n') + 1
	for end < min(len(before), len(after))-start && before[len(before)-1-end] == after[len(after)-1-end] {
		end++
	}
	if startsLine(before, len(before)-end) && startsLine(after, len(after)-end) {
		return start, end
	}
	_, rest, _ := strings.Cut(before[len(before)-end:], "\n")
	return start, len(rest)
}

// startsLine reports whether a line of text starts at offset i.
func startsLine(text string, i int) bool { return i == 0 || text[i-1] == '\n' }

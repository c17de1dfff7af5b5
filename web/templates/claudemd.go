package templates

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"memoir/internal/memories"
	"memoir/internal/memories/claudemd"
)

// ClaudeMD is the view of an agent's CLAUDE.md tab.
type ClaudeMD struct {
	Frame
	Agent Agent
	// Published reports whether Memoir writes the file. If not, the page shows a preview.
	Published   bool
	Path        string
	PublishedAt time.Time // zero if never
	// Before and After are the users' text around Memoir's block, and Parts are the parts of that
	// block.
	Before, After string
	Parts         []claudemd.Part
	Chars         int // of the whole file, in Unicode characters
	Limit         int // in Unicode characters; 0 or less means no limit
	// Damaged is the file on disk if its markers are damaged, so that Memoir cannot write it.
	// Otherwise it is empty.
	Damaged string
}

// ClaudeMDEntry is the view of one memory's size in CLAUDE.md.
type ClaudeMDEntry struct {
	Agent string // slug of the owner
	ID    string
	Name  string
	Type  memories.Type
	Team  bool // team memory, or shared with all agents
	Chars int  // in Unicode characters
	Short bool // only one line, or only counted, because of the limit
}

// counted reports whether the file has no text of the memory and only counts it, because of the
// limit.
func (e ClaudeMDEntry) counted() bool { return e.Short && e.Chars == 0 }

// maxEntries is the maximum number of memories in the list of sizes. Fewer fit in full
// below the usual limit.
const maxEntries = 300

// entries returns the sizes of the compiled memories, in the order of the file. It includes
// memories that are only counted.
func (v ClaudeMD) entries() []ClaudeMDEntry {
	var entries []ClaudeMDEntry
	for _, p := range v.Parts {
		if p.Memory != "" {
			entries = append(entries, ClaudeMDEntry{v.ownerOf(p), p.Memory, p.Name, p.Type, p.Team, utf8.RuneCountInString(p.Text), p.Listed})
		}
	}
	return entries
}

// ownerOf returns the slug of the agent that owns the memory of p: the agent that shares it, else
// the agent of v.
func (v ClaudeMD) ownerOf(p claudemd.Part) string { return cmp.Or(p.Shared, v.Agent.Slug) }

// limitNote returns a sentence with the numbers of memories that have one line only, or none,
// because of the limit. It is empty if there are no such memories.
func limitNote(entries []ClaudeMDEntry) string {
	lines, without := 0, 0
	for _, e := range entries {
		switch {
		case e.counted():
			without++
		case e.Short:
			lines++
		}
	}
	var parts []string
	if lines > 0 {
		parts = append(parts, counted(lines, "memory is", "memories are")+" in the file with one line only")
	}
	if without > 0 {
		parts = append(parts, counted(without, "memory is", "memories are")+" not in the file, only counted")
	}
	if len(parts) == 0 {
		return ""
	}
	return "The limit is reached: " + strings.Join(parts, ", and ") + ". Delete or shorten others to make room."
}

// largestEntry returns the number of characters of the largest entry, but at least 1. It is the
// full length of a bar.
func largestEntry(entries []ClaudeMDEntry) int {
	largest := 1
	for _, e := range entries {
		largest = max(largest, e.Chars)
	}
	return largest
}

func size(chars int) string {
	return counted(chars, "character", "characters") + ", approximately " + counted(claudemd.ApproximateTokens(chars), "token", "tokens")
}

type damagedLine struct {
	Number int
	Text   string
	Marker bool
	Above  int // number of hidden lines between the previous one and this one
}

const (
	linesAroundMarker = 2
	maxMarkers        = 20
)

// damagedLines returns the lines of the damaged file with the first maxMarkers of Memoir's markers,
// and linesAroundMarker lines before and after each. Other lines are omitted, and each returned
// line has the number of those above it. Long lines are cut to maxLineChars.
func (v ClaudeMD) damagedLines() []damagedLine {
	var marked []int // numbers of the lines with markers
	for _, m := range claudemd.Markers([]byte(v.Damaged)) {
		marked = append(marked, m.Line)
	}
	var near []damagedLine
	hidden := 0 // number of lines since the last line in near
	for i, line := range strings.Split(v.Damaged, "\n") {
		isNear := func(marker int) bool { return max(marker-i-1, i+1-marker) <= linesAroundMarker }
		if !slices.ContainsFunc(marked[:min(len(marked), maxMarkers)], isNear) {
			hidden++
			continue
		}
		text, _ := shortened(strings.TrimRight(line, "\r"), maxLineChars)
		near = append(near, damagedLine{Number: i + 1, Text: text, Marker: slices.Contains(marked, i+1), Above: hidden})
		hidden = 0
	}
	return near
}

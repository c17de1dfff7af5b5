package templates

import (
	"cmp"
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

// Text returns the whole text.
func (v ClaudeMD) Text() string {
	var text strings.Builder
	text.WriteString(v.Before)
	for _, p := range v.Parts {
		text.WriteString(p.Text)
	}
	return text.String() + v.After
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

// counted reports whether the file contains nothing of the memory and only counts it.
func (e ClaudeMDEntry) counted() bool { return e.Short && e.Chars == 0 }

// maxEntries is the maximum number of memories in the list of sizes. Fewer fit in full
// below the usual limit.
const maxEntries = 300

// entries returns the compiled memories in the order of the file.
func (v ClaudeMD) entries() []ClaudeMDEntry {
	var entries []ClaudeMDEntry
	for _, p := range v.Parts {
		if p.Memory != "" {
			entries = append(entries, ClaudeMDEntry{v.ownerOf(p), p.Memory, p.Name, p.Type, p.Team, utf8.RuneCountInString(p.Text), p.Listed})
		}
	}
	return entries
}

// ownerOf returns the slug of the agent that owns the memory of a part. A shared memory has another
// owner.
func (v ClaudeMD) ownerOf(p claudemd.Part) string { return cmp.Or(p.Shared, v.Agent.Slug) }

// limitNote returns how many memories are shortened because of the limit, in words. It is empty if
// no memory is shortened.
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

// largestEntry returns the largest size of an entry, which is the full length of a bar. The minimum
// is 1.
func largestEntry(entries []ClaudeMDEntry) int {
	largest := 1
	for _, e := range entries {
		largest = max(largest, e.Chars)
	}
	return largest
}

// size returns a number of characters and of tokens in words.
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

// damagedLines returns the lines with markers in the file on disk, and the lines around them.
func (v ClaudeMD) damagedLines() []damagedLine {
	markers := claudemd.Markers([]byte(v.Damaged))
	if len(markers) == 0 {
		return nil
	}
	all := strings.Split(v.Damaged, "\n")
	var near []damagedLine
	shown := 0 // index after the last line in near
	for _, m := range markers[:min(len(markers), maxMarkers)] {
		from, to := max(shown, m.Line-1-linesAroundMarker), min(len(all), m.Line+linesAroundMarker)
		for at := from; at < to; at++ {
			text, _ := shortened(strings.TrimRight(all[at], "\r"), maxLineChars)
			near = append(near, damagedLine{Number: at + 1, Text: text, Above: at - shown})
			shown = at + 1
		}
	}
	for _, m := range markers {
		for i := range near {
			near[i].Marker = near[i].Marker || near[i].Number == m.Line
		}
	}
	return near
}

package templates

import (
	"cmp"
	"strings"
	"time"
	"unicode/utf8"

	"memoir/internal/memories"
	"memoir/internal/memories/claudemd"
)

// ClaudeMD is an agent's CLAUDE.md tab.
type ClaudeMD struct {
	Frame
	Agent Agent
	// Published says that Memoir writes the file; otherwise the page shows what would be written.
	Published   bool
	Path        string
	PublishedAt time.Time // zero: not yet
	// Before and After are what people wrote around Memoir's block, and Parts what the block consists of: together, the
	// whole file, or what would be compiled.
	Before, After string
	Parts         []claudemd.Part
	Chars         int // of the whole file, in Unicode characters
	Limit         int // in Unicode characters; 0 or less: none
	// Damaged is the file as it is on disk while Memoir cannot write it; empty: all is well, or it cannot be read.
	Damaged string
}

// Text is the whole text.
func (v ClaudeMD) Text() string {
	var text strings.Builder
	text.WriteString(v.Before)
	for _, p := range v.Parts {
		text.WriteString(p.Text)
	}
	return text.String() + v.After
}

// ClaudeMDEntry is what one memory costs.
type ClaudeMDEntry struct {
	Agent string // the slug of whose it is
	ID    string
	Name  string
	Type  memories.Type
	Team  bool // of the agent's team, or of what all agents share
	Chars int  // in Unicode characters
	Short bool // it has no section because the limit was reached: it is one line, or without characters only counted
}

// counted reports whether the file has nothing of the memory, which is only in the number of the others.
func (e ClaudeMDEntry) counted() bool { return e.Short && e.Chars == 0 }

// claudeMDEntriesShown is how many memories the list of costs names: more than fit in full below the usual limit.
const claudeMDEntriesShown = 300

// entries are the compiled memories in the order of the file.
func (v ClaudeMD) entries() []ClaudeMDEntry {
	var entries []ClaudeMDEntry
	for _, p := range v.Parts {
		if p.Memory != "" {
			entries = append(entries, ClaudeMDEntry{v.ownerOf(p), p.Memory, p.Name, p.Type, p.Team, utf8.RuneCountInString(p.Text), p.Listed})
		}
	}
	return entries
}

// ownerOf returns the slug of the agent whose memory a part is: what all agents share is another's.
func (v ClaudeMD) ownerOf(p claudemd.Part) string { return cmp.Or(p.Shared, v.Agent.Slug) }

// limitNote says how many memories the limit keeps out of the file in full. It is empty if there are none.
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

// dearest is the most that one memory costs: the full length of the bars.
func dearest(entries []ClaudeMDEntry) int {
	most := 1
	for _, e := range entries {
		most = max(most, e.Chars)
	}
	return most
}

// size says how much something takes.
func size(chars int) string {
	return counted(chars, "character", "characters") + ", approximately " + counted(claudemd.ApproximateTokens(chars), "token", "tokens")
}

// damagedLine is a line of a damaged CLAUDE.md near one of its markers.
type damagedLine struct {
	Number int
	Text   string
	Marker bool
	Above  int // lines between the one before and this one that are not shown
}

const (
	linesAroundMarker = 2
	markersShown      = 20
)

// damagedLines are the markers of the file on disk, with the lines around them.
func (v ClaudeMD) damagedLines() []damagedLine {
	markers := claudemd.Markers([]byte(v.Damaged))
	if len(markers) == 0 {
		return nil
	}
	all := strings.Split(v.Damaged, "\n")
	var near []damagedLine
	shown := 0 // lines of the file that are dealt with
	for _, m := range markers[:min(len(markers), markersShown)] {
		from, to := max(shown, m.Line-1-linesAroundMarker), min(len(all), m.Line+linesAroundMarker)
		for at := from; at < to; at++ {
			text, _ := shortened(strings.TrimRight(all[at], "\r"), indexLineShown)
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

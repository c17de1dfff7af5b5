package memories

import (
	"slices"
	"strings"

	"memoir/internal/memories/memtext"
)

// Flaw is a set of reasons why a file looks unfinished. If the file of a memory gains a flaw, the
// memory keeps its last good content: the change may be an accident or in progress.
type Flaw uint8

const (
	FlawEmpty         Flaw = 1 << iota // without text
	FlawUnclosed                       // frontmatter without end
	FlawNameless                       // without a name
	FlawMergeConflict                  // with markers of a merge conflict
)

// flawNames are the names of the flaws, in bit order.
var flawNames = []string{"empty", "unclosed", "nameless", "merge_conflict"}

// String returns the names of the flaws, separated by commas, or "" for 0.
func (f Flaw) String() string {
	var names []string
	for i, name := range flawNames {
		if f&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, ",")
}

// ParseFlaw returns the flaws whose names are in text, separated by commas. It ignores unknown
// names.
func ParseFlaw(text string) (f Flaw) {
	for name := range strings.SplitSeq(text, ",") {
		if i := slices.Index(flawNames, name); i >= 0 {
			f |= 1 << i
		}
	}
	return f
}

// LastGood returns the problem that a memory keeps its last good content, because the file at path
// has flaws. Its message names the most serious flaw.
func LastGood(path string, flaws Flaw) Problem {
	reason := path + " has no name."
	switch {
	case flaws&FlawMergeConflict != 0:
		reason = path + " has the markers of a merge conflict."
	case flaws&FlawEmpty != 0:
		reason = path + " was emptied."
	case flaws&FlawUnclosed != 0:
		reason = "The frontmatter of " + path + " is not closed."
	}
	return Problem{CodeLastGood, reason + " The last good version is used. Write it back, or use the file as it is."}
}

// HasMergeConflict reports whether a text contains the three markers of a git conflict, in order
// and outside fenced code.
func HasMergeConflict(text string) bool {
	const size = 7
	if !strings.Contains(text, strings.Repeat("<", size)) {
		return false
	}
	markers := []byte("<=>")
	found := 0
	fence := ""
	for _, line := range memtext.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if fence = fenceAfter(fence, line); fence != "" {
			continue
		}
		run := strings.Repeat(string(markers[found]), size)
		rest, isMarker := strings.CutPrefix(line, run)
		if !isMarker || rest != "" && rest[0] != ' ' || markers[found] == '=' && rest != "" {
			continue
		}
		if found++; found == len(markers) {
			return true
		}
	}
	return false
}

// fenceAfter returns the run of ` or ~ that has opened fenced code which is still open after a
// line, or "". open is that run before the line.
func fenceAfter(open, line string) string {
	bare := strings.TrimLeft(line, " ")
	run := len(bare) - len(strings.TrimLeft(bare, "`"))
	if run == 0 {
		run = len(bare) - len(strings.TrimLeft(bare, "~"))
	}
	switch {
	case run < 3 || len(line)-len(bare) > 3:
		return open
	case open == "":
		if bare[0] == '`' && strings.Contains(bare[run:], "`") {
			return open
		}
		return bare[:run]
	case bare[0] == open[0] && run >= len(open) && strings.TrimSpace(bare[run:]) == "":
		return ""
	}
	return open
}

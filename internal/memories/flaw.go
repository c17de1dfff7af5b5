package memories

import (
	"memoir/internal/memories/memtext"
)

import "strings"

// Flaw is a set of ways in which a file can be unfinished. A file that carried a memory without one of them and now has it is taken for
// an accident or for one that is being written: it does not change the memory.
type Flaw uint8

// The flaws of a file.
const (
	FlawEmpty         Flaw = 1 << iota // no text
	FlawUnclosed                       // its frontmatter is opened and never closed
	FlawNameless                       // it states no name
	FlawMergeConflict                  // it has the markers of a merge conflict
)

// flawNames are the names of the flaws, in their order.
var flawNames = []string{"empty", "unclosed", "nameless", "merge_conflict"}

// String returns the names of the flaws, separated by commas.
func (f Flaw) String() string {
	var names []string
	for i, name := range flawNames {
		if f&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, ",")
}

// ParseFlaw returns the flaws that String has written. Unknown names are ignored.
func ParseFlaw(text string) (f Flaw) {
	for _, written := range strings.Split(text, ",") {
		for i, name := range flawNames {
			if written == name {
				f |= 1 << i
			}
		}
	}
	return f
}

// LastGood returns the problem that a memory keeps its last good content because its file at path has flaws.
func LastGood(path string, flaws Flaw) Problem {
	why := path + " states no name any more."
	switch {
	case flaws&FlawMergeConflict != 0:
		why = path + " has the markers of a merge conflict."
	case flaws&FlawEmpty != 0:
		why = path + " was emptied."
	case flaws&FlawUnclosed != 0:
		why = "The frontmatter of " + path + " is not closed."
	}
	return Problem{CodeLastGood, why + " The last good version is used. Write it back, or use the file as it is."}
}

// hasMergeConflict reports whether a text has the three markers of a conflict that git leaves in a file, in their order and outside
// fenced code.
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

// fenceAfter returns the fence of the code that is open after a line, given the one that was open before it. It is empty if none is.
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

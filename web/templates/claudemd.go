package templates

import (
	"time"

	"memoir/internal/memories"
)

// ClaudeMD is an agent's CLAUDE.md tab.
type ClaudeMD struct {
	Frame
	Agent Agent
	// Published says that Memoir writes the file; otherwise the page shows what would be written.
	Published   bool
	Path        string
	PublishedAt time.Time // zero: not yet
	Text        string    // the whole file, or what would be compiled
	Chars       int       // of the whole file, in Unicode characters
	Limit       int
	// Entries are the compiled memories in the order of the file.
	Entries []ClaudeMDEntry
}

// ClaudeMDEntry is what one memory costs.
type ClaudeMDEntry struct {
	ID    string
	Name  string
	Type  memories.Type
	Chars int  // in Unicode characters
	Short bool // it became a one-line entry because the limit was reached
}

// shortened counts the entries of one line.
func (v ClaudeMD) shortened() int {
	n := 0
	for _, e := range v.Entries {
		if e.Short {
			n++
		}
	}
	return n
}

// dearest is the most that one memory costs: the full length of the bars.
func (v ClaudeMD) dearest() int {
	most := 1
	for _, e := range v.Entries {
		most = max(most, e.Chars)
	}
	return most
}

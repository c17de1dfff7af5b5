package templates

import "memoir/internal/diff"

// Deletion is the page that says what the deletion of a memory changes, before it happens.
type Deletion struct {
	Frame
	Agent Agent
	MemoryRow
	Change
}

// Change is what a deletion changes on disk.
type Change struct {
	ClaudeMD ClaudeMDChange
	Files    []MemoryFile  // the files that are removed
	Indexes  []IndexChange // the MEMORY.md files that lose entries
}

// ClaudeMDChange is what becomes of CLAUDE.md.
type ClaudeMDChange struct {
	// Published says that Memoir writes the file; otherwise the page shows what would be compiled.
	Published               bool
	Problem                 string // why it cannot be written; empty: all is well
	CharsBefore, CharsAfter int    // of the whole file, in Unicode characters
	Diff                    diff.Diff
}

// IndexChange is what becomes of one MEMORY.md.
type IndexChange struct {
	Path string // relative to the agent's directory
	Diff diff.Diff
}

// saving says by how much the file's size changes.
func (c ClaudeMDChange) saving() string {
	fewer := c.CharsBefore - c.CharsAfter
	much := max(fewer, -fewer)
	tokens := counted(tokensOf(much), "token", "tokens")
	switch {
	case fewer > 0:
		return counted(much, "character", "characters") + " fewer, approximately " + tokens
	case fewer < 0:
		return counted(much, "character", "characters") + " more, approximately " + tokens
	default:
		return "as long as before"
	}
}

func (v Deletion) path() string { return MemoryPath(v.Agent.Slug, v.ID) }

func (v Deletion) remove() Action {
	remove := v.Delete(MemoriesPath(v.Agent.Slug))
	remove.Style = Destructive
	return remove
}

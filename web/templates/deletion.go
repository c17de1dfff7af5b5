package templates

import (
	"memoir/internal/diff"
	"memoir/internal/memories"
	"memoir/internal/memories/claudemd"
	"memoir/web/templates/address"
	"memoir/web/templates/ui"
	"memoir/web/templates/wording"
)

// Deletion is the view of the preview of a memory's deletion.
type Deletion struct {
	ui.Frame
	Agent Agent
	MemoryRow
	Change
}

// Change is the view of a deletion's changes on disk.
type Change struct {
	ClaudeMD ClaudeMDChange
	Files    []memories.MemoryFile // the files to remove
	Indexes  []IndexChange         // the MEMORY.md files that lose entries
}

// ClaudeMDChange is the view of the change of CLAUDE.md.
type ClaudeMDChange struct {
	// Published reports whether Memoir writes the file. If not, the page shows a preview.
	Published               bool
	Problem                 string // why it cannot be written; empty if it can
	CharsBefore, CharsAfter int    // of the whole file, in Unicode characters
	Diff                    diff.Diff
}

// IndexChange is the view of the change of one MEMORY.md.
type IndexChange struct {
	Path string // relative to the agent's directory
	Diff diff.Diff
}

// saving returns in words by how many characters and tokens CLAUDE.md becomes shorter or longer.
// The number of tokens is approximate.
func (c ClaudeMDChange) saving() string {
	fewer := c.CharsBefore - c.CharsAfter
	much := max(fewer, -fewer)
	tokens := wording.Count(claudemd.ApproximateTokens(much), "token", "tokens")
	switch {
	case fewer > 0:
		return wording.Count(much, "character", "characters") + " fewer, about " + tokens
	case fewer < 0:
		return wording.Count(much, "character", "characters") + " more, about " + tokens
	default:
		return "no change"
	}
}

func (v Deletion) path() string { return address.MemoryPath(v.Agent.Slug, v.ID) }

func (v Deletion) remove() ui.Action {
	remove := v.Delete(address.MemoriesPath(v.Agent.Slug))
	remove.Style = ui.Destructive
	return remove
}

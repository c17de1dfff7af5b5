package frontmatter

import (
	"strings"

	"memoir/internal/memories"
	"memoir/internal/memories/memtext"
)

// FlawsOf returns the flaws of a file with the bytes raw that Parse returned as f.
func FlawsOf(raw []byte, f File) (flaws memories.Flaw) {
	text := strings.TrimPrefix(string(raw), memtext.ByteOrderMark)
	if f.has(memories.CodeNoFrontmatter) || f.has(memories.CodeNameMissing) || f.has(memories.CodeNameNotText) {
		flaws |= memories.FlawNameless
	}
	if opener, _ := memtext.CutLine(text); isFence(opener) && f.has(memories.CodeNoFrontmatter) {
		flaws |= memories.FlawUnclosed
	}
	if strings.Trim(text, " \t\r\n\x00") == "" { // after a crash, a file can consist of NUL bytes
		flaws |= memories.FlawEmpty
	}
	if f.has(memories.CodeMergeConflict) {
		flaws |= memories.FlawMergeConflict
	}
	return flaws
}

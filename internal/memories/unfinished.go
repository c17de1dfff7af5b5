package memories

import (
	"strings"
)

// FlawsOf returns the flaws of a file that was read as f.
func FlawsOf(raw []byte, f File) (flaws Flaw) {
	text := strings.TrimPrefix(string(raw), byteOrderMark)
	if f.has(CodeNoFrontmatter) || f.has(CodeNameMissing) || f.has(CodeNameNotText) {
		flaws |= FlawNameless
	}
	if opener, _ := cutLine(text); isFence(opener) && f.has(CodeNoFrontmatter) {
		flaws |= FlawUnclosed
	}
	if strings.Trim(text, " \t\r\n\x00") == "" { // a crash can leave NUL where text was
		flaws |= FlawEmpty
	}
	if f.has(CodeMergeConflict) {
		flaws |= FlawMergeConflict
	}
	return flaws
}

package frontmatter

import (
	"strings"

	"memoir/internal/memories"
	"memoir/internal/memories/memtext"
)

// fixUnclosed offers to add the line --- after the entries of a frontmatter that has no end. It
// offers nothing if the first line is not ---, or no entry follows.
func (m *fixer) fixUnclosed() {
	if !m.file.has(memories.CodeNoFrontmatter) {
		return
	}
	p := cutPage(string(m.raw))
	opener, rest := memtext.CutLine(p.body)
	if !isFence(opener) {
		return
	}
	front, body := cutEntries(rest)
	if front == "" {
		return
	}
	if memtext.LineEnding(front) == "" {
		front += p.eol
	}
	m.offer(Fix{
		ID: "close", Code: memories.CodeNoFrontmatter, Label: "Close the frontmatter",
		Explanation: "Adds the line --- below the entries. Until then they are text.",
		After:       []byte(p.bom + opener + front + "---" + p.eol + body),
	})
}

// cutEntries splits a text after the last line at its start that belongs to an entry of a
// frontmatter. Comments between entries are part of front. front is empty if no entry is there.
func cutEntries(text string) (front, rest string) {
	end, at := 0, 0
	for _, line := range memtext.Lines(text) {
		at += len(line)
		bare := strings.TrimRight(line, "\r\n")
		indented := end > 0 && bare != strings.TrimLeft(bare, " \t") && strings.TrimSpace(bare) != ""
		switch {
		case indented, end > 0 && strings.HasPrefix(bare, "- "), startsKey(bare):
			end = at
		case isComment(bare):
		default:
			return text[:end], text[end:]
		}
	}
	return text[:end], text[end:]
}

// startsKey reports whether a line starts an entry whose key is one word.
func startsKey(line string) bool {
	if !startsEntry(line, 0) {
		return false
	}
	key, _, _ := strings.Cut(line, ":")
	return !strings.ContainsAny(strings.TrimSpace(key), " \t*`[(<")
}

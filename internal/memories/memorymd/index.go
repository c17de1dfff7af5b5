// Package memorymd reads and edits the text of MEMORY.md, the index of a memory directory. It finds
// links, removes, restores and rebuilds lines, checks the limits for loading, and finds
// facts. It never reads or writes files. internal/sync, the pages and the MCP tools call it.
package memorymd

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"memoir/internal/memories"
	"memoir/internal/memories/memtext"
)

// RemovedLine is a line that Remove removed, with the data to restore it. It is stored as JSON;
// bytes that are not valid UTF-8 become U+FFFD.
type RemovedLine struct {
	Line   int    `json:"line"`   // counted from 1, before the removal
	Text   string `json:"text"`   // the whole line, without line end
	Before string `json:"before"` // the line above; empty for the first line
	Rest   string `json:"rest"`   // the line without the removed links, or empty
	Entry  string `json:"entry"`  // entry with only the removed links, used without Rest
	End    string `json:"end"`    // the line end; empty at the end of a file without one
}

// Link is a link of an index to a file.
type Link struct {
	Target string // path of the file: decoded, cleaned, without fragment
	IsWiki bool   // [[text]]: Target is the text with .md, and the text may be a memory's name
}

// Name returns the name of the memory to which a wiki link may lead, or "" for another link.
func (l Link) Name() string {
	if !l.IsWiki {
		return ""
	}
	return strings.TrimSuffix(l.Target, ".md")
}

// Remove returns the index without the links for which removed reports true. A line with other
// links to files keeps these; otherwise the whole line is removed, with the text indented below an
// entry. gone are the changed and removed lines, for Restore. If no line has such a link, Remove
// returns index and nil.
func Remove(index []byte, removed func(Link) bool) (out []byte, gone []RemovedLine) {
	return removeLinks(index, func(l indexLink) bool { return removed(Link{l.target, l.isWiki}) })
}

func removeLinks(index []byte, isRemoved func(indexLink) bool) (out []byte, gone []RemovedLine) {
	bom, lines := cutIndex(index)
	refs := referencesIn(lines)
	parts := []string{bom}
	removedAbove := false // the entry above is removed, and the text indented below it with it
	for i, line := range lines {
		text := strings.TrimRight(line, "\r\n")
		removedLinks, _ := partition(linksOf(text, refs), isRemoved)
		rest := text
		switch {
		case removedAbove && isContinuation(text, refs):
			rest = ""
		case len(removedLinks) > 0:
			rest = restOf(text, refs, isRemoved)
			removedAbove = rest == "" && isEntry(text)
		default:
			removedAbove = false
		}
		if rest == text {
			parts = append(parts, line)
			continue
		}
		entry := RemovedLine{Line: i + 1, Text: jsonText(text), End: memtext.LineEnding(line)}
		if i > 0 {
			entry.Before = textOf(lines[i-1])
		}
		if rest != "" {
			entry.Rest = jsonText(rest)
			entry.Entry = jsonText(entryOf(text, removedLinks))
			parts = append(parts, rest+memtext.LineEnding(line))
		}
		gone = append(gone, entry)
	}
	if len(gone) == 0 {
		return index, nil
	}
	return []byte(strings.Join(parts, "")), gone
}

// restOf returns a line without its links to removed files, or "" if it has no other link to a
// file. Text around a removed link can form a new link, so restOf repeats the removal.
func restOf(line string, refs references, removed func(indexLink) bool) string {
	for {
		removedLinks, others := partition(linksOf(line, refs), removed)
		switch {
		case len(removedLinks) == 0:
			return line
		case len(others) == 0:
			return ""
		}
		line = withoutLinks(line, removedLinks)
	}
}

// Restore returns the index with lines that Remove has removed. Each is below the line that it
// followed, or at the end if that line is missing. A line that kept other links becomes the former
// line again; if it has changed, a new line with only the removed links is inserted. Restore skips
// lines that the index has, and lines whose files are all listed in other lines now. It restores the
// text below an entry only directly below that entry.
func Restore(index []byte, gone []RemovedLine) []byte {
	bom, lines := cutIndex(index)
	eol := lineEndOf(lines)
	listed := map[string]bool{}
	for _, target := range targetsIn(lines, referencesIn(lines)) {
		listed[target] = true
	}
	texts := make([]string, 0, len(gone)+len(lines))
	for _, line := range gone {
		texts = append(texts, line.Text)
	}
	goneRefs := referencesIn(append(texts, lines...))
	for _, line := range gone {
		if len(linksOf(line.Text, goneRefs)) == 0 {
			lines = restoreBelow(lines, line, eol)
			continue
		}
		if findLine(lines, line.Text, line.Line-1) >= 0 || isListed(line, goneRefs, listed) {
			continue
		}
		text := line.Text
		if line.Rest != "" {
			if at := findLine(lines, line.Rest, line.Line-1); at >= 0 {
				lines[at] = line.Text + memtext.LineEnding(lines[at])
				continue
			}
			text = line.Entry
			if findLine(lines, text, line.Line-1) >= 0 {
				continue
			}
		}
		lines = insertLine(lines, insertIndex(lines, line), text, line.End, eol)
	}
	return []byte(bom + strings.Join(lines, ""))
}

// restoreBelow inserts a removed line without links directly below the line that it followed, and
// returns the lines. It does nothing if the line is there, or if the line above is missing.
func restoreBelow(lines []string, line RemovedLine, eol string) []string {
	above := findLine(lines, line.Before, line.Line-2)
	if above < 0 || above+1 < len(lines) && textOf(lines[above+1]) == line.Text {
		return lines
	}
	return insertLine(lines, above+1, line.Text, line.End, eol)
}

// lineEndOf returns the line end of the first line, or LF.
func lineEndOf(lines []string) string {
	if len(lines) == 0 {
		return "\n"
	}
	return cmp.Or(memtext.LineEnding(lines[0]), "\n")
}

// targetsIn returns the targets of all links in lines, without link definitions.
func targetsIn(lines []string, refs references) (targets []string) {
	for _, line := range lines {
		text := strings.TrimRight(line, "\r\n")
		if matchDefinition(text) != nil {
			continue
		}
		for _, link := range linksOf(text, refs) {
			targets = append(targets, link.target)
		}
	}
	return targets
}

// isListed reports whether all files to which a removed line links are in listed. For a line that
// kept other links, only the removed links count. It reports false for a line without links.
func isListed(line RemovedLine, refs references, listed map[string]bool) bool {
	text := line.Text
	if line.Rest != "" {
		text = line.Entry
	}
	links := linksOf(text, refs)
	return len(links) > 0 && !slices.ContainsFunc(links, func(l indexLink) bool { return !listed[l.target] })
}

// minTitle is how many Unicode characters of a title stay, even if the file's path is long. It is
// arbitrary.
const minTitle = 20

// Entry returns the line of a MEMORY.md for a file, without line end. If it is longer than
// memories.MaxEntryLength, the hook is cut or left out, then the title is cut to at least minTitle
// characters. The path is never cut, so the line may still be longer. hook may be empty.
func Entry(title, file, hook string) string {
	target := "](" + escapeTarget(file) + ")"
	room := max(minTitle, memories.MaxEntryLength-utf8.RuneCountInString("- ["+target))
	entry := "- [" + atMost(escapeTitle, memtext.OneLine(memtext.Canonical(title)), room) + target
	return withHookOf(entry, " — ", hook)
}

// atMost returns escape(text), or if that has more than limit characters, escape of a shorter text
// and an ellipsis.
func atMost(escape func(string) string, text string, limit int) string {
	whole := escape(text)
	for n := limit - 1; utf8.RuneCountInString(whole) > limit; n-- {
		whole = escape(strings.TrimRight(memtext.CutRunes(text, n), " ")) + "…"
	}
	return whole
}

// cutIndex splits an index into its byte order mark, which may be empty, and its lines with their
// line ends.
func cutIndex(index []byte) (bom string, lines []string) {
	text := string(index)
	if rest, found := strings.CutPrefix(text, memtext.ByteOrderMark); found {
		return memtext.ByteOrderMark, memtext.Lines(rest)
	}
	return "", memtext.Lines(text)
}

// jsonText returns s with NUL and bytes that are not UTF-8 replaced by U+FFFD.
func jsonText(s string) string {
	s, _, _ = memtext.Sanitise(s)
	return s
}

// partition splits links into those for which removed reports true, and the others.
func partition(links []indexLink, removed func(indexLink) bool) (removedLinks, others []indexLink) {
	for _, link := range links {
		if removed(link) {
			removedLinks = append(removedLinks, link)
		} else {
			others = append(others, link)
		}
	}
	return removedLinks, others
}

// findLine returns the index of the line with this text that is nearest to near, or -1.
func findLine(lines []string, text string, near int) int {
	best := -1
	for i, line := range lines {
		if textOf(line) == text && (best < 0 || distance(i, near) < distance(best, near)) {
			best = i
		}
	}
	return best
}

func distance(a, b int) int { return max(a-b, b-a) }

// textOf returns a line without line end, and with NUL and bytes that are not UTF-8 replaced, as in
// RemovedLine.
func textOf(line string) string { return jsonText(strings.TrimRight(line, "\r\n")) }

// insertIndex returns the index at which a removed line is inserted again: after the line that it
// followed. It is 0 if the line was the first, and the end if the line above is missing.
func insertIndex(lines []string, line RemovedLine) int {
	if line.Line <= 1 {
		return 0
	}
	if above := findLine(lines, line.Before, line.Line-2); above >= 0 {
		return above + 1
	}
	return len(lines)
}

// insertLine inserts a line with its line end and returns the lines. If the line would have no line
// end and is not the last, or the line above has none, it uses eol.
func insertLine(lines []string, at int, text, end, eol string) []string {
	if at < len(lines) && end == "" {
		end = eol
	}
	if at > 0 && memtext.LineEnding(lines[at-1]) == "" {
		lines[at-1] += eol
	}
	return slices.Insert(lines, at, text+end)
}

var titleEscapes = strings.NewReplacer(`\`, `\\`, `[`, `\[`, `]`, `\]`)

func escapeTitle(title string) string { return titleEscapes.Replace(title) }

// escapeTarget returns a path as the target of a Markdown link. It percent-encodes only characters
// that would end or change the link. A colon is one, because it could make a scheme of the path's
// start.
func escapeTarget(file string) string {
	var out strings.Builder
	for _, r := range file {
		if r <= ' ' || r == 0x7F || strings.ContainsRune(`%()<>[]#?:\"`, r) {
			fmt.Fprintf(&out, "%%%02X", r)
			continue
		}
		out.WriteRune(r)
	}
	return out.String()
}

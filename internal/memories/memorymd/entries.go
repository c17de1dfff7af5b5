package memorymd

import (
	"regexp"
	"slices"
	"strings"

	"memoir/internal/memories"
	"memoir/internal/memories/memtext"
)

// List returns the MEMORY.md with a new entry for each of files that it does not list. index is nil
// for a missing file. Other lines stay. New entries are placed below the heading of their type, if
// headings name types, else after the last entry.
func List(index []byte, files []IndexedFile, leads LinkResolver) []byte {
	bom, lines := cutIndex(index)
	return []byte(bom + strings.Join(withUnlisted(lines, files, newResolver(files, leads)), ""))
}

// withUnlisted returns the lines with a new entry for each of files to which no line links.
func withUnlisted(lines []string, files []IndexedFile, to resolver) []string {
	refs := referencesIn(lines)
	listed := to.filesIn(lines, refs)
	missing := unlisted(files, func(path string) bool { return listed[path] })
	for _, t := range append(memories.Types(), "") {
		var entries []string
		for _, f := range missing {
			if f.Type == t {
				entries = append(entries, Entry(f.Name, f.Path, f.Description))
			}
		}
		lines = withEntries(lines, t, entries, refs, to)
	}
	return lines
}

// maxEntryBytes is the length in bytes above which a line is not treated as an entry. It is
// arbitrary.
const maxEntryBytes = 8 << 10

// withoutDeadEntries returns the lines without dead links. An entry with only dead links is removed
// with the indented text below it, and one with others keeps these. Definitions of dead links are
// removed too.
func withoutDeadEntries(lines []string, refs references, to resolver) []string {
	var result []string
	dropped := false
	for _, line := range lines {
		text, end := strings.TrimRight(line, "\r\n"), memtext.LineEnding(line)
		if dropped && isContinuation(text, refs) {
			continue
		}
		rest, keep := withoutDeadLinks(text, refs, to)
		if dropped = !keep; keep {
			result = append(result, rest+end)
		}
	}
	return result
}

// withoutDeadLinks returns a line without its links to missing files. keep is false if no other
// link to a file or to the web remains. It is also false if the line defines a link to a missing
// file. Another line that is not an entry stays unchanged.
func withoutDeadLinks(line string, refs references, to resolver) (rest string, keep bool) {
	if matchDefinition(line) != nil {
		return line, !slices.ContainsFunc(linksOf(line, refs), to.isDead)
	}
	for isEntry(line) {
		going, staying := partition(linksOf(line, refs), to.isDead)
		if len(going) == 0 {
			break
		}
		if len(staying) == 0 && !leadsToWeb(line) {
			return "", false
		}
		line = withoutLinks(line, going)
	}
	return line, true
}

// isEntry reports whether a line is a list item or a table row, of at most maxEntryBytes.
func isEntry(line string) bool {
	return len(line) <= maxEntryBytes && (listLead.MatchString(line) || strings.HasPrefix(strings.TrimLeft(line, " \t"), "|"))
}

var indented = regexp.MustCompile(`^(?: {2,}|\t)\s*\S`)

// isContinuation reports whether a line belongs to the entry above it: it is indented, has no link
// to a file, and is not an entry.
func isContinuation(line string, refs references) bool {
	return indented.MatchString(line) && !isEntry(line) && len(linksOf(line, refs)) == 0
}

// withEntries returns the lines with the entries of one type inserted where insertIndexOf places
// them. It returns lines if entries is empty.
func withEntries(lines []string, t memories.Type, entries []string, refs references, to resolver) []string {
	if len(entries) == 0 {
		return lines
	}
	eol := lineEndOf(lines)
	at, above := insertIndexOf(lines, t, refs, to)
	for _, text := range append(above, entries...) {
		lines = insertLine(lines, at, text, eol, eol)
		at++
	}
	return lines
}

var heading = regexp.MustCompile(`^ {0,3}(#{1,6})[ \t]+(.*)`)

// insertIndexOf returns the index at which entries of a type are inserted, and lines to insert
// before them. It is the end of the section of that type, or the end of the file with a new heading
// if headings name other types. Otherwise, and without a type, it is after the last entry, or at
// the end of the file after a blank line.
func insertIndexOf(lines []string, t memories.Type, refs references, to resolver) (at int, above []string) {
	marks := "" // number signs of the first heading that names a type
	for i, line := range lines {
		m := heading.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		named, ok := headingType(m[2])
		if ok && marks == "" {
			marks = m[1]
		}
		if ok && named == t {
			return endOfSection(lines, i), nil
		}
	}
	if marks != "" && t != "" {
		at = lastText(lines, len(lines))
		return at, []string{"", marks + " " + t.Title()}
	}
	if at = afterLastEntry(lines, refs, to); at > 0 {
		return at, nil
	}
	switch at = lastText(lines, len(lines)); {
	case at == 0:
		return at, nil
	case at < len(lines) && memtext.LineEnding(lines[at]) != "":
		return at + 1, nil // below the blank line that is there
	}
	return at, []string{""}
}

// headingType returns the type that the first word of a heading names, as in “Feedback”, “Project
// memories” or “References”. ok is false for another word.
func headingType(text string) (t memories.Type, ok bool) {
	word, _, _ := strings.Cut(strings.Trim(text, "*_ \t\r\n"), " ")
	word = strings.Trim(word, "*_:\r\n")
	for _, w := range []string{word, strings.TrimSuffix(word, "s")} {
		if t, ok := memories.ParseType(w); ok {
			return t, true
		}
	}
	return "", false
}

// endOfSection returns the index after the last line with text in the section of the heading at
// lines[at]. The section ends at the next heading of any level.
func endOfSection(lines []string, at int) int {
	next := slices.IndexFunc(lines[at+1:], heading.MatchString)
	if next < 0 {
		return lastText(lines, len(lines))
	}
	return lastText(lines, at+1+next)
}

// lastText returns the index after the last line before above that is not blank, or 0.
func lastText(lines []string, above int) int {
	for above > 0 && strings.TrimSpace(lines[above-1]) == "" {
		above--
	}
	return above
}

// afterLastEntry returns the index after the last list item that links to an existing file, and
// after the text indented below it. It returns 0 without such an item.
func afterLastEntry(lines []string, refs references, to resolver) int {
	for at := len(lines); at > 0; at-- {
		line := strings.TrimRight(lines[at-1], "\r\n")
		if !listLead.MatchString(line) || !slices.ContainsFunc(linksOf(line, refs), func(l indexLink) bool { return !to.isDead(l) }) {
			continue
		}
		for at < len(lines) && indented.MatchString(lines[at]) {
			at++
		}
		return at
	}
	return 0
}

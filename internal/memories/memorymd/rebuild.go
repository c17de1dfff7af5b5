package memorymd

import (
	"regexp"
	"slices"
	"strings"

	"memoir/internal/memories"
	"memoir/internal/memories/memtext"
)

// Rebuild brings a MEMORY.md in step with the files that it is to list; nil is one that is not there yet.
//
// List items and table rows all of whose links lead to nothing go, with the indented text below them; one with other
// links, also to the web, keeps the rest. Every other line keeps its bytes and its place, a second line for the same
// file and prose with a dead link among them: Lint says so, and a person decides. Nothing is shortened, also past
// the caps.
//
// A file without a line gets one. Where headings name types, it stands at the end of its type's section, and under a
// heading of its own at the end of the file when there is none; else all stand behind the last line that lists a file,
// by type and name.
//
// The same input gives the same bytes, and what comes out comes out of it again.
func Rebuild(index []byte, files []IndexedFile, leads LinkResolver) []byte {
	bom, lines := cutIndex(index)
	refs := referencesIn(lines)
	lines = withoutDeadEntries(lines, refs, leads)
	listed := map[string]bool{}
	for _, line := range lines {
		if matchDefinition(strings.TrimRight(line, "\r\n")) != nil {
			continue
		}
		for _, link := range linksOf(strings.TrimRight(line, "\r\n"), refs) {
			file, _ := leads(link.target)
			listed[file] = true
		}
	}
	missing := unlisted(files, func(path string) bool { return listed[path] })
	for _, t := range append(memories.Types(), "") {
		var entries []string
		for _, f := range missing {
			if f.Type == t {
				entries = append(entries, Entry(f.Name, f.Path, f.Description))
			}
		}
		lines = withEntries(lines, t, entries, refs, leads)
	}
	return []byte(bom + strings.Join(lines, ""))
}

// longestEntry is the longest line that is taken for an entry, in bytes. One that is longer is no line for one file, and
// is left alone.
const longestEntry = 8 << 10

func withoutDeadEntries(lines []string, refs references, leads LinkResolver) []string {
	var kept []string
	dropped := false
	for _, line := range lines {
		text, end := strings.TrimRight(line, "\r\n"), memtext.LineEnding(line)
		if dropped && isContinuation(text, refs) {
			continue
		}
		rest, keep := withoutDeadLinks(text, refs, leads)
		if dropped = !keep; keep {
			kept = append(kept, rest+end)
		}
	}
	return kept
}

// withoutDeadLinks returns what is left of a line, and whether anything of it is to stay.
func withoutDeadLinks(line string, refs references, leads LinkResolver) (rest string, keep bool) {
	dead := func(target string) bool { _, there := leads(target); return !there }
	if m := matchDefinition(line); m != nil {
		return line, !dead(cleanTarget(writtenTarget(line, m)))
	}
	for isEntry(line) {
		going, staying := partition(linksOf(line, refs), dead)
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

// isEntry says whether a line is an item of a list or a row of a table: what an index consists of, besides prose.
func isEntry(line string) bool {
	return len(line) <= longestEntry && (listLead.MatchString(line) || strings.HasPrefix(strings.TrimLeft(line, " \t"), "|"))
}

var indented = regexp.MustCompile(`^(?: {2,}|\t)\s*\S`)

// isContinuation says whether a line below an entry is a part of it.
func isContinuation(line string, refs references) bool {
	return indented.MatchString(line) && !isEntry(line) && len(linksOf(line, refs)) == 0
}

// withEntries adds the entries of one type.
func withEntries(lines []string, t memories.Type, entries []string, refs references, leads LinkResolver) []string {
	if len(entries) == 0 {
		return lines
	}
	eol := "\n"
	if len(lines) > 0 && memtext.LineEnding(lines[0]) != "" {
		eol = memtext.LineEnding(lines[0])
	}
	at, above := placeOfEntries(lines, t, refs, leads)
	for _, text := range append(above, entries...) {
		lines = insertLine(lines, at, text, eol, eol)
		at++
	}
	return lines
}

var heading = regexp.MustCompile(`^ {0,3}(#{1,6})[ \t]+(.*)`)

// placeOfEntries returns where entries of a type belong, and the lines that have to stand above them.
func placeOfEntries(lines []string, t memories.Type, refs references, leads LinkResolver) (at int, above []string) {
	marks := "" // of the first heading that names a type
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
	if at = behindLastEntry(lines, refs, leads); at > 0 {
		return at, nil
	}
	at = lastText(lines, len(lines))
	if at > 0 {
		return at, []string{""}
	}
	return at, nil
}

// headingType returns the type that a heading names: “Feedback”, “Project memories”, “References”.
func headingType(text string) (memories.Type, bool) {
	word, _, _ := strings.Cut(strings.Trim(text, "*_ \t\r\n"), " ")
	word = strings.Trim(word, "*_:\r\n")
	for _, w := range []string{word, strings.TrimSuffix(word, "s")} {
		if t, ok := memories.ParseType(w); ok {
			return t, true
		}
	}
	return "", false
}

// endOfSection returns the line behind the last one with text below a heading, up to the next heading.
func endOfSection(lines []string, at int) int {
	next := slices.IndexFunc(lines[at+1:], heading.MatchString)
	if next < 0 {
		return lastText(lines, len(lines))
	}
	return lastText(lines, at+1+next)
}

// lastText returns the line behind the last one above a line that is not blank.
func lastText(lines []string, above int) int {
	for above > 0 && strings.TrimSpace(lines[above-1]) == "" {
		above--
	}
	return above
}

// behindLastEntry returns the line behind the last item that leads to a file, and what is indented below it; 0: there
// is no such item.
func behindLastEntry(lines []string, refs references, leads LinkResolver) int {
	for at := len(lines); at > 0; at-- {
		line := strings.TrimRight(lines[at-1], "\r\n")
		if !listLead.MatchString(line) || !slices.ContainsFunc(linksOf(line, refs), func(l indexLink) bool { _, there := leads(l.target); return there }) {
			continue
		}
		for at < len(lines) && indented.MatchString(lines[at]) {
			at++
		}
		return at
	}
	return 0
}

package memorymd

import (
	"strings"
	"unicode/utf8"

	"memoir/internal/memories"
	"memoir/internal/memories/memtext"
)

// Prune returns a MEMORY.md shortened until an agent loads all of it. It removes repeated entries,
// cuts the hooks of long entries, and removes blank lines between entries. It stops after the first
// step that is enough. If none is, the result is still too long, and a person must decide. An index
// that is short enough stays unchanged.
func Prune(index []byte, leads LinkResolver) []byte {
	for _, prune := range []func([]string, LinkResolver) []string{withoutRepeated, withShortEntries, withoutBlankLines} {
		if Read(index).Warning == "" {
			break
		}
		bom, lines := cutIndex(index)
		index = []byte(bom + strings.Join(prune(lines, leads), ""))
	}
	return index
}

// withoutRepeated returns the lines without entries whose links all lead to files that are linked
// further up. Entries with a link to the web or to a missing file stay.
func withoutRepeated(lines []string, leads LinkResolver) []string {
	listed, refs := map[string]bool{}, referencesIn(lines)
	var result []string
	for _, line := range lines {
		links := linksOf(strings.TrimRight(line, "\r\n"), refs)
		if matchDefinition(strings.TrimRight(line, "\r\n")) != nil {
			result = append(result, line)
			continue
		}
		isNew := false
		for _, link := range links {
			file, exists := leads(link.target)
			isNew = isNew || !exists || !listed[file]
		}
		for _, link := range links {
			file, _ := leads(link.target)
			listed[file] = true
		}
		if isNew || len(links) == 0 || !isEntry(strings.TrimRight(line, "\r\n")) || leadsToWeb(line) {
			result = append(result, line)
		}
	}
	return result
}

// withShortEntries returns the lines with entries of more than MaxEntryLength characters cut.
// Entries with several links, with a link to the web, or whose link would not stay are not cut.
func withShortEntries(lines []string, _ LinkResolver) []string {
	refs := referencesIn(lines)
	shortened := make([]string, len(lines))
	for i, line := range lines {
		text := strings.TrimRight(line, "\r\n")
		shortened[i] = line
		links := linksOf(text, refs)
		if utf8.RuneCountInString(text) <= memories.MaxEntryLength || len(links) != 1 || !isEntry(text) || leadsToWeb(text) {
			continue
		}
		cut := memtext.CutRunes(text, memories.MaxEntryLength-1)
		if at := strings.LastIndexByte(cut, ' '); at > 0 {
			cut = strings.TrimRight(cut[:at], " ,;:—-")
		}
		if cut += "…"; len(linksOf(cut, refs)) == 1 && linksOf(cut, refs)[0].target == links[0].target {
			shortened[i] = cut + memtext.LineEnding(line)
		}
	}
	return shortened
}

// withoutBlankLines returns the lines without single blank lines between two entries.
func withoutBlankLines(lines []string, _ LinkResolver) []string {
	var result []string
	for i, line := range lines {
		blank := strings.TrimSpace(line) == ""
		if blank && i > 0 && i+1 < len(lines) && isEntry(strings.TrimRight(lines[i-1], "\r\n")) && isEntry(strings.TrimRight(lines[i+1], "\r\n")) {
			continue
		}
		result = append(result, line)
	}
	return result
}

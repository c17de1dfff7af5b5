package memorymd

import (
	"strings"
	"unicode/utf8"

	"memoir/internal/memories"
	"memoir/internal/memories/memtext"
)

// Prune brings a MEMORY.md under what an agent loads of it, as far as that goes without a decision: second lines for a file go,
// then entries that are too long are cut, the hook and never the target, then blank lines between entries go. It takes no step more
// than it needs, and an index that is loaded whole comes out as it is. Which memories do without a line, only a person can say.
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

// withoutRepeated drops entries all of whose links lead to files that were listed above.
func withoutRepeated(lines []string, leads LinkResolver) []string {
	listed, refs := map[string]bool{}, referencesIn(lines)
	var kept []string
	for _, line := range lines {
		links := linksOf(strings.TrimRight(line, "\r\n"), refs)
		if matchDefinition(strings.TrimRight(line, "\r\n")) != nil {
			kept = append(kept, line)
			continue
		}
		news := false
		for _, link := range links {
			file, there := leads(link.target)
			news = news || !there || !listed[file]
		}
		for _, link := range links {
			file, _ := leads(link.target)
			listed[file] = true
		}
		if news || len(links) == 0 || !isEntry(strings.TrimRight(line, "\r\n")) || leadsToWeb(line) {
			kept = append(kept, line)
		}
	}
	return kept
}

// withShortEntries cuts entries with one link that are longer than an entry should be.
func withShortEntries(lines []string, _ LinkResolver) []string {
	refs := referencesIn(lines)
	short := make([]string, len(lines))
	for i, line := range lines {
		text := strings.TrimRight(line, "\r\n")
		short[i] = line
		links := linksOf(text, refs)
		if utf8.RuneCountInString(text) <= memories.MaxEntryLength || len(links) != 1 || !isEntry(text) || leadsToWeb(text) {
			continue
		}
		cut := memtext.CutRunes(text, memories.MaxEntryLength-1)
		if at := strings.LastIndexByte(cut, ' '); at > 0 {
			cut = strings.TrimRight(cut[:at], " ,;:—-")
		}
		if cut += "…"; len(linksOf(cut, refs)) == 1 && linksOf(cut, refs)[0].target == links[0].target {
			short[i] = cut + memtext.LineEnding(line)
		}
	}
	return short
}

// withoutBlankLines drops the blank lines that separate nothing but entries.
func withoutBlankLines(lines []string, _ LinkResolver) []string {
	var kept []string
	for i, line := range lines {
		blank := strings.TrimSpace(line) == ""
		if blank && i > 0 && i+1 < len(lines) && isEntry(strings.TrimRight(lines[i-1], "\r\n")) && isEntry(strings.TrimRight(lines[i+1], "\r\n")) {
			continue
		}
		kept = append(kept, line)
	}
	return kept
}

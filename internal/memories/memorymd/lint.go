package memorymd

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"memoir/internal/memories"
)

// IndexedFile is a memory file that an index should list.
type IndexedFile struct {
	ID          string // id of the memory in the file
	Path        string // slash-separated, relative to the directory of the index
	Name        string
	Type        memories.Type // empty if unknown
	Description string
}

// Finding is a defect of a MEMORY.md or a warning about it.
type Finding struct {
	Code    FindingCode
	Line    int    // counted from 1; 0 if the finding is not about a line
	File    string // the affected file, relative to the directory of the index, or empty
	Memory  string // id of the memory in that file, or empty
	Message string // one or two sentences
}

// FindingCode is the kind of a Finding.
type FindingCode string

const (
	FindingPastCaps  FindingCode = "past_caps"     // agents do not load this line and the next ones
	FindingNearCaps  FindingCode = "near_caps"     // agents load the whole index; little room is left
	FindingNotLoaded FindingCode = "not_loaded"    // a memory whose line agents do not load
	FindingDeadLink  FindingCode = "dead_link"     // a link to a missing file
	FindingUnlisted  FindingCode = "unlisted"      // a memory file without a line
	FindingRepeated  FindingCode = "repeated_file" // a second line for a memory file
	FindingLongEntry FindingCode = "long_line"     // a line that exceeds memories.MaxEntryLength
)

// IsAboutCaps reports whether a finding is about the limits up to which Claude Code loads an index.
func (c FindingCode) IsAboutCaps() bool {
	return c == FindingPastCaps || c == FindingNearCaps || c == FindingNotLoaded
}

// nearCaps is the percentage of a limit from which Lint warns. It is arbitrary.
const nearCaps = 90

// LinkResolver returns the path of a link's target relative to the index's directory, and whether
// the target exists. target is the link's path, as in Link.
type LinkResolver func(target string) (file string, exists bool)

// Lint returns the findings about a MEMORY.md, ordered by line, then one for each of files that it
// does not list. files are the files that it should list. Lines in frontmatter or comments have no
// findings, but a file with such a line does not count as unlisted.
func Lint(index Loaded, files []IndexedFile, leads LinkResolver) []Finding {
	l := lint{to: newResolver(files, leads), files: map[string]string{}, names: map[string]string{}, lines: map[string]int{}}
	for _, f := range files {
		l.files[f.Path], l.names[f.Path] = f.ID, f.Name
	}
	texts := make([]string, len(index.Lines))
	for i, line := range index.Lines {
		texts[i] = line.Text
	}
	l.refs = referencesIn(texts)
	l.caps(index)
	for i := 0; i < len(index.Lines); {
		number, text, fate := index.Lines[i].Number, "", index.Lines[i].Fate
		for ; i < len(index.Lines) && index.Lines[i].Number == number; i++ {
			text += index.Lines[i].Text
		}
		l.line(number, text, fate)
	}
	for _, f := range unlisted(files, func(path string) bool { return l.lines[path] > 0 }) {
		l.add(FindingUnlisted, 0, f.Path, "No line leads to "+f.Path+", so agents do not know of “"+f.Name+"”.")
	}
	place := func(f Finding) int {
		if f.Line == 0 {
			return math.MaxInt
		}
		return f.Line
	}
	slices.SortStableFunc(l.findings, func(a, b Finding) int { return cmp.Compare(place(a), place(b)) })
	return l.findings
}

type lint struct {
	to       resolver
	refs     references
	files    map[string]string // ids of the memories, by path of their files
	names    map[string]string // names of the memories, by path of their files
	lines    map[string]int    // first line of each listed memory file
	findings []Finding
}

func (l *lint) add(code FindingCode, line int, file, message string) {
	l.findings = append(l.findings, Finding{code, line, file, l.files[file], message})
}

func (l *lint) caps(index Loaded) {
	if index.Warning != "" {
		first := slices.IndexFunc(index.Lines, func(line LoadedLine) bool { return line.Fate == LineCut })
		unseen := 0
		for _, line := range index.Lines[first:] {
			if line.Fate == LineCut {
				unseen++
			}
		}
		from := index.Lines[first].Number
		message := fmt.Sprintf("Agents do not see %[2]d lines, from line %[1]d on: they are past the limit.", from, unseen)
		if unseen == 1 {
			message = fmt.Sprintf("Agents do not see all of line %d: it is past the limit.", from)
		}
		l.add(FindingPastCaps, from, "", message+" Remove or shorten lines above it.")
		return
	}
	if index.LineCount*100 >= IndexLineCap*nearCaps {
		l.add(FindingNearCaps, 0, "", fmt.Sprintf("%d of the %d lines that an agent loads are used.", index.LineCount, IndexLineCap))
	}
	if index.Units*100 >= IndexUnitCap*nearCaps {
		l.add(FindingNearCaps, 0, "", fmt.Sprintf("%d of the %d characters that an agent loads are used.", index.Units, IndexUnitCap))
	}
}

func (l *lint) line(number int, text string, fate LineStatus) {
	if chars := utf8.RuneCountInString(text); fate != LineLeftOut && chars > memories.MaxEntryLength {
		l.add(FindingLongEntry, number, "", fmt.Sprintf("%d characters. An index line should have at most %d. Move details into its file.", chars, memories.MaxEntryLength))
	}
	if matchDefinition(text) != nil {
		return // the links that use the definition are checked
	}
	seen := map[string]bool{}
	for _, link := range linksOf(text, l.refs) {
		file, exists := l.to.resolve(link)
		if seen[file] {
			continue
		}
		seen[file] = true
		_, isMemory := l.files[file]
		first := l.lines[file]
		switch {
		case fate == LineLeftOut:
		case !exists:
			l.add(FindingDeadLink, number, file, file+" does not exist.")
		case isMemory && first > 0:
			l.add(FindingRepeated, number, file, fmt.Sprintf("%s has a line already: line %d.", file, first))
		}
		if !isMemory || first > 0 {
			continue
		}
		l.lines[file] = number
		if fate == LineCut {
			l.add(FindingNotLoaded, number, file, "An agent does not load the line of “"+l.names[file]+"”.")
		}
	}
}

// unlisted returns the files for which listed reports false, sorted by type, name and path.
func unlisted(files []IndexedFile, listed func(path string) bool) []IndexedFile {
	rest := slices.DeleteFunc(slices.Clone(files), func(f IndexedFile) bool { return listed(f.Path) })
	position := func(t memories.Type) uint { return uint(t.Order()) } // unknown types are last
	slices.SortFunc(rest, func(a, b IndexedFile) int {
		return cmp.Or(cmp.Compare(position(a.Type), position(b.Type)), strings.Compare(a.Name, b.Name), strings.Compare(a.Path, b.Path))
	})
	return rest
}

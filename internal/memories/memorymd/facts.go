package memorymd

import (
	"regexp"
	"strings"
	"unicode"

	"memoir/internal/memories/frontmatter"
	"memoir/internal/memories/memtext"
)

// Name is the file name of an index.
const Name = "MEMORY.md"

const (
	// maxFacts limits the facts of one index: ten times the lines that an agent loads.
	maxFacts = 10 * IndexLineCap
	// maxFactHeading limits the heading of a fact, in Unicode characters. It is arbitrary.
	maxFactHeading = 200
	// maxLinkSearch is how many bytes of a line are searched for an entry's link, which is at its
	// start. It is arbitrary.
	maxLinkSearch = 4096
	// maxLinkWords is how many words around its links a line without content may have, as in “See
	// also [A](a.md)”. It is arbitrary.
	maxLinkWords = 3
)

// Fact is a text in a MEMORY.md that is not an entry for a memory file: a list item, a paragraph, a
// table or a code block.
type Fact struct {
	Line, LastLine int    // first and last line in the file, counted from 1
	Heading        string // headings and introduction above, joined by “ › ”, or empty
	Text           string // Markdown without the list marker, with LF line ends
	Indent         string // white space before the text
}

// Facts returns the facts of a MEMORY.md in order, at most maxFacts and each text once. Entries for
// memory files, link definitions, headings, frontmatter, block comments, and texts without a letter
// or digit are not facts. A paragraph that only introduces the next block becomes part of its
// Heading. The cost is linear in the size of the index.
func Facts(index []byte) []Fact {
	head, body := frontmatter.Split(string(index))
	first := len(memtext.Lines(head))
	lines := memtext.Lines(body)
	s := factScan{refs: referencesIn(lines), seen: map[string]bool{}, lastCommentEnd: -1}
	for i, line := range lines {
		if strings.Contains(line, "-->") {
			s.lastCommentEnd = first + i + 1
		}
	}
	for i, line := range lines {
		s.line(first+i+1, strings.TrimRight(line, "\r\n"))
		if len(s.facts) >= maxFacts {
			return s.facts[:maxFacts]
		}
	}
	s.end()
	s.keepHeld()
	return s.facts
}

// ReplaceFact returns the index with the lines of fact replaced by the one line entry. fact must be
// a result of Facts for index. Other lines stay unchanged.
func ReplaceFact(index []byte, fact Fact, entry string) []byte {
	bom, lines := cutIndex(index)
	last := lines[fact.LastLine-1]
	out := bom + strings.Join(lines[:fact.Line-1], "") + fact.Indent + entry + memtext.LineEnding(last) + strings.Join(lines[fact.LastLine:], "")
	return []byte(out)
}

var factMarks = strings.NewReplacer("**", "", "__", "", "`", "")

// plainLine returns a text on one line without emphasis, code marks and final colon, cut to
// maxFactHeading characters.
func plainLine(text string) string {
	text, _, _ = strings.Cut(memtext.OneLine(jsonText(text)), "\n")
	return memtext.CutRunes(strings.TrimRight(strings.TrimSpace(factMarks.Replace(text)), ":* "), maxFactHeading)
}

const (
	// maxTitleWords and maxTitleRunes limit the title of a fact. They are arbitrary.
	maxTitleWords = 8
	maxTitleRunes = 60
	// maxFactDescription limits a fact's description, in Unicode characters, so that it fits into
	// a line of an index.
	maxFactDescription = 150
)

var (
	taskMark    = regexp.MustCompile(`^\[[ xX]\]\s+`)
	endOfClause = regexp.MustCompile(`[.;:!?](?:\s|$)|\s[—–]\s|\s\(`)
)

// Title returns a name for a memory of the fact: the first clause of its first line with words, cut
// to maxTitleWords and maxTitleRunes. If there is no such line, it returns the heading, which may
// be empty.
func (f Fact) Title() string {
	line := f.firstLine()
	if at := endOfClause.FindStringIndex(line); at != nil && at[0] > 0 {
		line = line[:at[0]]
	}
	words := strings.Fields(line)
	title := strings.Join(words[:min(len(words), maxTitleWords)], " ")
	title = strings.Trim(memtext.CutRunes(title, maxTitleRunes), " ,.;:—–-*_")
	if title == "" {
		title = f.Heading
	}
	return title
}

// Description returns the fact's first line with words as plain text, cut to maxFactDescription
// characters, or "".
func (f Fact) Description() string { return memtext.CutRunes(f.firstLine(), maxFactDescription) }

// firstLine returns the first line of the text that has a letter or a digit, as plain text. It
// returns "" if there is no such line.
func (f Fact) firstLine() string {
	for line := range strings.Lines(f.Text) {
		if fenceOf(line) != "" {
			continue
		}
		line = taskMark.ReplaceAllString(strings.TrimSpace(line), "")
		line = memtext.OneLine(strings.TrimSpace(factMarks.Replace(strings.Trim(line, "\n"))))
		if strings.ContainsFunc(line, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			return line
		}
	}
	return ""
}

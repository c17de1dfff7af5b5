package memorymd

import (
	"regexp"
	"strings"
	"unicode"

	"memoir/internal/memories/memtext"
)

// factScan is the state of Facts between two lines.
type factScan struct {
	refs           references
	seen           map[string]bool // texts of the facts so far
	lastCommentEnd int             // last line with the end of a comment
	inComment      bool
	facts          []Fact
	headings       []factHeading
	anyHeading     bool
	intro          string      // text that introduces the next blocks, as in “Never do this:”
	held           *Fact       // last paragraph, if it may introduce the next block
	block          *indexBlock // the open block, or nil
}

type factHeading struct {
	level int
	text  string
}

type blockKind int

const (
	paragraphBlock blockKind = iota
	tableBlock
	itemBlock
	codeBlock
	entryBlock // an entry and the indented text below it
)

// indexBlock is a block under construction.
type indexBlock struct {
	kind    blockKind
	from    int // first line
	last    int // last line that is not blank
	indent  string
	content int // columns before an item's text
	lines   []string
	fence   string // run of ` or ~ that closes the code; empty outside code
	entries bool   // a table with entries
}

var (
	factFence     = regexp.MustCompile("^\\s*(`{3,}|~{3,})")
	atxHeading    = regexp.MustCompile(`^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$`)
	setextLine    = regexp.MustCompile(`^ {0,3}(=+|-+)[ \t]*$`)
	thematicBreak = regexp.MustCompile(`^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$`)
	boldLine      = regexp.MustCompile(`^(?:\*\*[^*]+\*\*|__[^_]+__):?$`)
	webDefinition = regexp.MustCompile(`^ {0,3}\[[^\[\]]+\]:[ \t]*\S+[ \t]*$`)
	quoteMark     = regexp.MustCompile(`^ {0,3}(?:>[ \t]?)+`)
)

// line processes the next line, without line end: it adds the line to the open block, or ends that
// block and opens another one.
func (s *factScan) line(number int, text string) {
	if s.inComment {
		s.inComment = !strings.Contains(text, "-->")
		return
	}
	if b := s.block; b != nil && b.fence != "" {
		b.add(number, text)
		if rest := strings.TrimSpace(text); strings.HasPrefix(rest, b.fence) && strings.Trim(rest, b.fence[:1]) == "" {
			if b.fence = ""; b.kind == codeBlock {
				s.end()
			}
		}
		return
	}
	trimmed := strings.TrimSpace(text)
	if trimmed == "" {
		s.blank()
		return
	}
	// Checking the first character first limits the cost of an index with many short lines.
	starts := func(with string) bool { return strings.IndexByte(with, trimmed[0]) >= 0 }
	switch {
	case starts("<") && strings.HasPrefix(trimmed, "<!--") && number <= s.lastCommentEnd:
		s.end()
		s.inComment = !strings.Contains(trimmed, "-->")
	case starts("`~") && s.opensFence(number, text):
	case starts("#") && s.isHeading(text):
	case starts("=-") && s.isUnderline(text):
	case starts("*-_") && thematicBreak.MatchString(text):
		s.end()
		s.keepHeld()
		s.intro = ""
	case starts("-*+0123456789") && listLead.MatchString(text):
		s.item(number, text)
	case starts("[") && (matchDefinition(text) != nil || webDefinition.MatchString(text)):
		s.end()
	default:
		s.text(number, text)
	}
}

// blank processes a blank line: it ends the open block, unless that is an item or an entry, which
// continues if an indented line follows.
func (s *factScan) blank() {
	switch b := s.block; {
	case b == nil:
	case b.kind != itemBlock && b.kind != entryBlock:
		s.end()
	default:
		b.lines = append(b.lines, "")
	}
}

func (s *factScan) opensFence(number int, text string) bool {
	fence := fenceOf(text)
	if fence == "" {
		return false
	}
	if b := s.block; b == nil || b.kind != paragraphBlock && !b.holds(text) {
		s.end()
		s.begin(codeBlock, number, "", 0)
	}
	s.block.add(number, text)
	s.block.fence = fence
	return true
}

// fenceOf returns the run of ` or ~ with which a line opens a code block, or "" if it opens none.
func fenceOf(text string) string {
	m := factFence.FindStringSubmatchIndex(text)
	if m == nil || text[m[2]] == '`' && strings.IndexByte(text[m[3]:], '`') >= 0 {
		return ""
	}
	return text[m[2]:m[3]]
}

func (s *factScan) isHeading(text string) bool {
	m := atxHeading.FindStringSubmatch(text)
	if m == nil {
		return false
	}
	s.end()
	s.heading(len(m[1]), m[2])
	return true
}

// isUnderline reports whether a line makes the one-line paragraph above it a heading. If so, it
// records the heading, and the paragraph does not become a fact.
func (s *factScan) isUnderline(text string) bool {
	b := s.block
	if b == nil || b.kind != paragraphBlock || len(b.lines) != 1 {
		return false
	}
	m := setextLine.FindStringSubmatch(text)
	if m == nil {
		return false
	}
	s.block = nil
	level := 1
	if m[1][0] == '-' {
		level = 2
	}
	s.heading(level, b.lines[0])
	return true
}

// heading records a heading for the facts below it, and removes earlier headings of this level and
// of deeper ones. If the first heading is of level 1 and no fact is above it, it is the file's
// title and is not recorded. heading ends the introduction and adds a held paragraph to the facts.
func (s *factScan) heading(level int, text string) {
	s.keepHeld()
	s.intro = ""
	isTitle := !s.anyHeading && level == 1 && len(s.facts) == 0
	s.anyHeading = true
	for n := len(s.headings); n > 0 && s.headings[n-1].level >= level; n-- {
		s.headings = s.headings[:n-1]
	}
	if text = plainLine(text); text != "" && !isTitle {
		s.headings = append(s.headings, factHeading{level, text})
	}
}

// item processes a line with a list mark. It opens a block for an item or an entry, or adds the
// line to the open item if it is indented below that. An open item that only introduces entries
// does not become a fact.
func (s *factScan) item(number int, text string) {
	lead := listLead.FindString(text)
	isEntry := s.isEntry(text)
	if b := s.block; b != nil && b.kind == itemBlock && b.holds(text) && !isEntry {
		b.add(number, text)
		return
	}
	if b := s.block; isEntry && b != nil && b.kind == itemBlock && b.holds(text) && isIntro(b.text()) {
		s.block = nil // the item only introduces the entries
	}
	s.end()
	kind := itemBlock
	if isEntry {
		kind = entryBlock
	}
	indent := lead[:len(lead)-len(strings.TrimLeft(lead, " \t"))]
	s.begin(kind, number, indent, columns(lead))
	s.block.add(number, text[len(lead):])
	s.block.fence = fenceOf(text[len(lead):])
}

// text processes a line without a special start. It adds the line to the open paragraph, table or
// item, or opens a block for it.
func (s *factScan) text(number int, text string) {
	isEntry := s.isEntry(text)
	if b := s.block; b != nil && (b.kind == itemBlock || b.kind == entryBlock) {
		continues := b.kind == itemBlock && b.lines[len(b.lines)-1] != "" && !isEntry
		if b.holds(text) || continues {
			b.add(number, text)
			return
		}
		s.end()
	}
	isRow := strings.HasPrefix(strings.TrimSpace(text), "|")
	if isEntry && !isRow {
		s.end()
		s.begin(entryBlock, number, "", 0)
	}
	if s.block == nil {
		indent := text[:len(text)-len(strings.TrimLeft(text, " \t"))]
		kind := paragraphBlock
		if isRow {
			kind = tableBlock
		}
		s.begin(kind, number, indent, 0)
	}
	s.block.entries = s.block.entries || isEntry
	s.block.add(number, strings.TrimSpace(quoteMark.ReplaceAllString(text, "")))
}

// begin opens a block. If a held paragraph introduces the block, its text becomes part of the
// heading of the next facts; if not, it becomes a fact.
func (s *factScan) begin(kind blockKind, number int, indent string, content int) {
	switch {
	case s.held != nil && (kind != paragraphBlock || boldLine.MatchString(s.held.Text)):
		s.intro, s.held = plainLine(s.held.Text), nil
	case kind == paragraphBlock:
		s.keepHeld()
		s.intro = ""
	}
	s.block = &indexBlock{kind: kind, from: number, indent: indent, content: content}
}

// end closes the open block and adds it to the facts, unless it is an entry or a table with
// entries. It holds back a one-line paragraph that may introduce the next block.
func (s *factScan) end() {
	b := s.block
	s.block = nil
	if b == nil || b.kind == entryBlock || b.entries {
		return
	}
	fact := Fact{Line: b.from, LastLine: b.last, Indent: b.indent, Text: b.text()}
	if b.kind == paragraphBlock && len(b.lines) == 1 && isIntro(fact.Text) {
		fact.Heading = s.context()
		s.held = &fact
		return
	}
	fact.Heading = s.context()
	s.keep(fact)
}

// keepHeld adds the held paragraph to the facts, because it introduces nothing. Without a held
// paragraph it does nothing.
func (s *factScan) keepHeld() {
	if s.held != nil {
		s.keep(*s.held)
		s.held = nil
	}
}

func (s *factScan) keep(fact Fact) {
	if s.seen[fact.Text] || !strings.ContainsFunc(fact.Text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return
	}
	s.seen[fact.Text] = true
	s.facts = append(s.facts, fact)
}

// context returns the Heading of a fact at the current line: the headings above and the
// introduction, joined and cut to maxFactHeading characters.
func (s *factScan) context() string {
	parts := make([]string, 0, len(s.headings)+1)
	for _, h := range s.headings {
		parts = append(parts, h.text)
	}
	if s.intro != "" {
		parts = append(parts, s.intro)
	}
	return memtext.CutRunes(strings.Join(parts, " › "), maxFactHeading)
}

// isEntry reports whether a line is only about memory files. It starts with a link to one, or has
// such links and at most maxLinkWords other words. isEntry reads only the first maxLinkSearch
// bytes.
func (s *factScan) isEntry(text string) bool {
	text = text[:min(len(text), maxLinkSearch)]
	if strings.IndexByte(text, '[') < 0 {
		return false
	}
	var links []indexLink
	for _, link := range linksOf(text, s.refs) {
		if isMarkdownName(link.target) {
			links = append(links, link)
		}
	}
	if len(links) == 0 {
		return false
	}
	lead := len(listLead.FindString(text))
	if strings.Trim(text[min(lead, links[0].from):links[0].from], " \t|>*_~") == "" {
		return true
	}
	words, at := 0, 0
	for _, link := range append(links, indexLink{from: len(text), to: len(text)}) {
		words += len(strings.FieldsFunc(text[min(at, link.from):link.from], func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }))
		at = link.to
	}
	return words <= maxLinkWords
}

func (b *indexBlock) add(number int, text string) {
	if b.last = number; len(b.lines) > 0 {
		text = outdent(text, b.content)
	}
	b.lines = append(b.lines, text)
}

// holds reports whether the block is an item or entry and the line is indented below its first
// line.
func (b *indexBlock) holds(text string) bool {
	return (b.kind == itemBlock || b.kind == entryBlock) && columns(text[:len(text)-len(strings.TrimLeft(text, " \t"))]) > columns(b.indent)
}

func (b *indexBlock) text() string {
	return strings.Trim(jsonText(strings.Join(b.lines, "\n")), " \t\n")
}

// isIntro reports whether a text only introduces the next block: it ends with a colon, or all of it
// is bold.
func isIntro(text string) bool {
	return strings.HasSuffix(strings.TrimRight(text, "*_ "), ":") || boldLine.MatchString(text)
}

// columns returns the width of white space and a list marker, counting tabs as four.
func columns(lead string) int { return len(lead) + 3*strings.Count(lead, "\t") }

// outdent removes white space from the start of a line, until at least this many columns are
// removed or the white space ends. A tab counts four.
func outdent(text string, width int) string {
	for width > 0 && text != "" && (text[0] == ' ' || text[0] == '\t') {
		width -= columns(text[:1])
		text = text[1:]
	}
	return text
}

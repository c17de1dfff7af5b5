package claudemd

import (
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"

	"memoir/internal/memories/memtext"
)

// Markdown parsers differ in unusual texts: the end of a fence, the start of HTML, the end of a
// link title. blockScan reads a text line by line and accepts only forms that all parsers read
// alike. It escapes the start of a form that a parser might extend past the end of the text.

// blockPrefix matches the indentation and the marks of quotes and lists at the start of a line.
const blockPrefix = `^[ \t>*+\-0-9.)]*`

// jsSpace matches the characters that \s matches in JavaScript.
const jsSpace = `[\s\v\p{Z}\x{FEFF}]`

var (
	// fenceLine matches a line that opens or closes fenced code.
	fenceLine = regexp.MustCompile("(" + blockPrefix + ")(`{3,}|~{3,})")
	// plainPrefix matches text before a fence that all parsers read as the same quotes and lists.
	plainPrefix = regexp.MustCompile(`^(?: {0,3}>| *(?:[-+*]|[0-9]{1,9}[.)]) {1,3})* *$`)
	listMark    = regexp.MustCompile(`[-+*]|[0-9]{1,9}[.)]`)
	// rawHTML matches the start of an HTML block that ends at a tag or mark, not at a blank line:
	// CommonMark 4.6, conditions 1 to 5.
	rawHTML = regexp.MustCompile(`(` + blockPrefix + `)(<\?|<!|(?i:<(script|pre|style|textarea)(?:[^a-z0-9-]|$)))`)
	// anyRawHTML matches a start or end tag of such a block anywhere in a line.
	anyRawHTML = regexp.MustCompile(`(?i)<\?|<!|</?(?:script|pre|style|textarea)`)
	// unfinishedTag matches a tag without its end. The parser marked continues it past a blank
	// line.
	unfinishedTag = regexp.MustCompile(`(` + blockPrefix + `)</?[A-Za-z][A-Za-z0-9-]*$`)
	headingLine   = regexp.MustCompile(`(` + blockPrefix + `)(#{1,3})(?:` + jsSpace + `|$)`)
	doubleLine    = regexp.MustCompile(`(` + blockPrefix + `)=+[ \t]*$`)
	dashLine      = regexp.MustCompile(`^[ \t]*-+[ \t]*$`)
)

// blockScan is the state and result of scanBlocks.
type blockScan struct {
	text  string
	edits []replacement
	// fenced contains the offsets of the lines that open fenced code and of non-blank lines in it.
	fenced []int
	// open is the run of characters that opened the current fenced code, or "" outside code.
	open string
	// inside is the prefix of all lines of the current fenced code.
	inside string
	plain  bool
	blank  bool // the previous line is blank or absent
	// paragraphEnd is the end offset of the last paragraph that definition examined.
	paragraphEnd int
}

// scanBlocks returns text with unclosed HTML and link definitions escaped and with the last fenced
// code closed. fenced are the offsets of the lines that open fenced code and of non-blank lines in
// it. plain is false if parsers may disagree about fenced code; the other results then have no
// meaning.
func scanBlocks(text string) (escaped string, fenced []int, plain bool) {
	if !strings.ContainsAny(text, "`~<[") {
		return text, nil, true
	}
	s := blockScan{text: text, plain: true, blank: true}
	for at := 0; at < len(text) && s.plain; {
		at = s.line(at)
	}
	escaped = replace(text, s.edits)
	if s.open != "" {
		escaped += "\n" + s.inside + s.open
	}
	return escaped, s.fenced, s.plain
}

// line scans the line at an offset and returns the offset of the next line to scan, which is after
// a whole HTML block.
func (s *blockScan) line(at int) (next int) {
	end := memtext.EndOfLine(s.text, at)
	line := s.text[at:end]
	wasBlank := s.blank
	s.blank = strings.Trim(line, " \t") == ""
	switch {
	case s.open != "":
		s.inFence(line, at)
	case s.blank:
	case strings.Contains(line, "```") || strings.Contains(line, "~~~"):
		if !s.opensFence(line, at) {
			return s.html(line, at, wasBlank)
		}
	case strings.IndexByte(line, '<') >= 0:
		return s.html(line, at, wasBlank)
	case strings.IndexByte(line, '[') >= 0:
		s.definition(line, at)
	}
	return end + 1
}

// opensFence reports whether the line opens fenced code. If so, it records the fence, and clears
// s.plain if parsers may disagree about the text before it.
func (s *blockScan) opensFence(line string, at int) bool {
	m := fenceLine.FindStringSubmatch(line)
	if m == nil || m[2][0] == '`' && strings.Contains(line[len(m[0]):], "`") {
		return false
	}
	s.plain = plainPrefix.MatchString(m[1])
	s.open = m[2]
	s.inside = listMark.ReplaceAllStringFunc(m[1], func(mark string) string { return strings.Repeat(" ", len(mark)) })
	s.fenced = append(s.fenced, at)
	return true
}

func (s *blockScan) inFence(line string, at int) {
	if s.blank && strings.Trim(s.inside, " ") == "" {
		return
	}
	rest, found := strings.CutPrefix(line, s.inside)
	if !found {
		s.plain = false
		return
	}
	run := strings.TrimLeft(rest, " \t")
	if after := strings.TrimLeft(run, s.open[:1]); len(run)-len(after) >= len(s.open) && strings.Trim(after, " \t`~") == "" {
		// Parsers differ in the indentation of a closing fence and in the text after it.
		s.plain = run == rest && strings.Trim(after, " ") == ""
		s.open = ""
		return
	}
	if strings.Trim(rest, " \t") != "" {
		s.fenced = append(s.fenced, at)
	}
}

// html escapes the start of HTML, or of a link definition, in the line if a parser might extend it
// too far. It returns the offset of the next line to scan, which is after an HTML block that every
// parser closes.
func (s *blockScan) html(line string, at int, afterBlank bool) (next int) {
	next = at + len(line) + 1
	m := rawHTML.FindStringSubmatchIndex(line)
	if m == nil {
		if m := unfinishedTag.FindStringSubmatchIndex(line); m != nil && s.endsBlock(next) {
			s.edits = append(s.edits, replacement{at + m[3], at + m[3], `\`})
		}
		s.definition(line, at)
		return next
	}
	from := at + m[4]
	end := s.htmlEnd(from, m[6] >= 0)
	if end >= 0 && (end <= at+len(line) || m[4] == 0 && afterBlank) {
		return memtext.EndOfLine(s.text, end) + 1
	}
	s.edits = append(s.edits, replacement{from, from, `\`})
	return next
}

// endsBlock reports whether the line at an offset is blank or absent.
func (s *blockScan) endsBlock(at int) bool {
	return at >= len(s.text) || strings.Trim(s.text[at:memtext.EndOfLine(s.text, at)], " \t") == ""
}

// htmlEnd returns the offset after the end of the HTML at from, or -1 if not every parser closes it
// there. tag reports that it starts with a tag, not with <? or <!.
func (s *blockScan) htmlEnd(from int, tag bool) int {
	rest := s.text[from:]
	begin, closer := 2, ">"
	switch {
	case tag:
		begin = strings.IndexFunc(rest[1:], func(r rune) bool { return r > 'z' || r < 'A' }) + 1
		if begin == 0 {
			return -1
		}
		closer = "</" + strings.ToLower(rest[1:begin]) + ">"
	case strings.HasPrefix(rest, "<?"):
		closer = "?>"
	case strings.HasPrefix(rest, "<![CDATA["):
		begin, closer = len("<![CDATA["), "]]>"
	}
	// Parsers disagree about such a tag inside HTML, so the search ends there. The cost stays
	// linear.
	inner := rest[begin:]
	if next := anyRawHTML.FindStringIndex(inner); next != nil {
		inner = inner[:next[0]]
		if tag && len(rest) >= begin+next[0]+len(closer) && strings.EqualFold(rest[begin+next[0]:begin+next[0]+len(closer)], closer) {
			return s.htmlEndAt(from+begin, from+begin+next[0], len(closer))
		}
	}
	if length := strings.Index(inner, closer); length >= 0 && !tag {
		return s.htmlEndAt(from+begin, from+begin+length, len(closer))
	}
	return -1
}

// htmlEndAt returns the offset after a closing tag or mark of this length at the offset closer. It
// returns -1 if parsers may disagree because text follows it or a fence is inside. from is the
// offset of the content.
func (s *blockScan) htmlEndAt(from, closer, length int) int {
	end := closer + length
	inner, after := s.text[from:closer], s.text[end:memtext.EndOfLine(s.text, end)]
	if strings.Trim(after, " \t") != "" || strings.Contains(inner, "```") || strings.Contains(inner, "~~~") {
		return -1
	}
	return end
}

// definition escapes the start of a link definition at the start of the line, if a parser might
// extend it past a blank line. It leaves other lines.
func (s *blockScan) definition(line string, at int) {
	indent := len(line) - len(strings.TrimLeft(line, " "))
	if indent > 3 || line[indent:] == "" || line[indent] != '[' {
		return
	}
	from := at + indent
	if from >= s.paragraphEnd {
		s.paragraphEnd = len(s.text)
		if end := paragraphEnd.FindStringIndex(s.text[from:]); end != nil {
			s.paragraphEnd = from + end[0]
		}
	}
	paragraph := s.text[from:s.paragraphEnd]
	label := 1
	for label < len(paragraph) && paragraph[label] != '[' && paragraph[label] != ']' {
		if paragraph[label] == '\\' {
			label++
		}
		label++
	}
	if label < len(paragraph) && !strings.HasPrefix(paragraph[label:], "]:") {
		return
	}
	if label >= len(paragraph) || openTarget.MatchString(paragraph[label:]) && !closedTarget.MatchString(paragraph[label:]) {
		s.edits = append(s.edits, replacement{from, from, `\`})
	}
}

var (
	paragraphEnd = regexp.MustCompile("\\n[ \\t]*(?:\\n|$|```|~~~)")
	// openTarget matches a link definition after its label with an unusual or missing target, or a
	// title.
	openTarget = regexp.MustCompile(`^\]:(?:[ \t]*(?:\n|$|[^<\s]\S*[()<>\\])|\s*(?:<[^\n<>]*>|\S+)\s+["'(])`)
	// closedTarget matches a link definition after its label whose title is closed.
	closedTarget = regexp.MustCompile(`^\]:\s*(?:<[^\n<>]*>|\S+)\s+(?:"[^"\\]*"|'[^'\\]*'|\([^()\\]*\))[ \t]*(?:\n|$)`)
)

// isPlain reports whether all parsers read the blocks of text as goldmark did: nothing must be
// escaped, and fenced code is where scanBlocks finds it. root is goldmark's result.
func isPlain(text string, root ast.Node) bool {
	escaped, fenced, plain := scanBlocks(text)
	return plain && escaped == text && slices.Equal(fenced, fencedLines(text, root))
}

// fencedLines returns the offsets of the lines of fenced code that goldmark found: the lines that
// open it, and non-blank lines in it.
func fencedLines(text string, root ast.Node) []int {
	var found []int
	lineAt := func(at int) { found = append(found, strings.LastIndexByte(text[:min(at, len(text))], '\n')+1) }
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		block, ok := n.(*ast.FencedCodeBlock)
		if !ok || !entering {
			return ast.WalkContinue, nil
		}
		lineAt(block.Pos())
		for i := range block.Lines().Len() {
			if line := block.Lines().At(i); strings.Trim(text[line.Start:min(line.Stop, len(text))], " \t\n") != "" {
				lineAt(line.Start)
			}
		}
		return ast.WalkContinue, nil
	})
	return found
}

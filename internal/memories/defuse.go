package memories

import (
	"regexp"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
)

// A memory's text stands among others in one Markdown file that an agent obeys. Defusing keeps it in its place: it
// opens no section of its own, imports no file, swallows nothing that follows, and is no marker.

// sinkBy is how many levels a memory's headings go down: below the heading of the memory itself.
const sinkBy = 3

const deepestHeading = 6

// maxRounds bounds how often a text is parsed again because closing one thing has brought another to light. Texts that
// people write need one round.
const maxRounds = 8

// defuseBody returns a body that cannot break out of its section. Its text stays readable; headings sink, imports get a
// backslash, what is left open is closed or escaped.
func defuseBody(body string) string {
	if body == "" {
		return ""
	}
	if flatten(body) != body {
		return asCode(body)
	}
	text := defuseMarkers(body)
	for range maxRounds {
		closed := closeOpenEnd(text)
		if closed == text {
			break
		}
		text = closed
	}
	text = sinkHeadings(escapeOpenComments(text), 0)
	for range maxRounds {
		sunk := sinkHeadings(text, sinkBy)
		if sunk == text {
			break
		}
		text = sunk
	}
	text = defuseMarkers(defuseImports(text))
	if !staysInPlace(text) {
		return asCode(body)
	}
	return text
}

// asCode returns a body as indented code, the one form in which nothing means anything.
func asCode(body string) string {
	return defuseMarkers("    " + strings.ReplaceAll(body, "\n", "\n    "))
}

// defuseName returns a name that is nothing but the text of its heading.
func defuseName(name string) string {
	line := defuseInline(canonicalName(name))
	if trimmed := strings.TrimRight(line, "#"); trimmed != line && (trimmed == "" || strings.HasSuffix(trimmed, " ")) {
		// A run of # at the end of a heading would be read as its closing.
		line = trimmed + `\` + line[len(trimmed):]
	}
	return line
}

var opensBlock = regexp.MustCompile("^(?:[#>+*=~`|<\\[-]|_{2}|\\d{1,9}[.)])")

// openers are the characters that opensBlock begins with. Of thousands of lines hardly one has to be asked for more.
const openers = "#>+*=~`|<[-_0123456789"

// defuseLine returns a text for the start of a list item that opens no block there.
func defuseLine(line string) string {
	line = defuseInline(line)
	if line == "" || strings.IndexByte(openers, line[0]) < 0 {
		return line
	}
	opener := opensBlock.FindString(line)
	if opener == "" {
		return line
	}
	if last := len(opener) - 1; opener[last] == '.' || opener[last] == ')' {
		return line[:last] + `\` + line[last:]
	}
	return `\` + line
}

func defuseInline(line string) string {
	if !strings.ContainsAny(line, "<@") {
		return line
	}
	line = defuseImports(defuseMarkers(line))
	return strings.ReplaceAll(line, "<!--", `<\!--`)
}

var markerLike = regexp.MustCompile(`(?i)<!--[ \t]*memoir:[ \t]*(begin|end)[ \t]*-->`)

// defuseMarkers makes each of Memoir's markers an ordinary comment, in code too, because a marker is found by its line.
func defuseMarkers(text string) string {
	return markerLike.ReplaceAllString(text, "<!-- memoir: $1 -->")
}

// defuseImports puts a backslash before each @ that an agent would take for the import of a file: one outside code that
// begins a word. Rendered, the backslash is not seen, except in an address: agents import what follows on white space, so that an @
// after a slash, which is in many, stays as it is.
func defuseImports(text string) string {
	if !strings.Contains(text, "@") {
		return text
	}
	inCode := codeSpans(parseCode(text))
	var out strings.Builder
	for i, r := range text {
		if r == '@' && !inCode.holds(i) && importsAt(text, i) {
			out.WriteByte('\\')
		}
		out.WriteRune(r)
	}
	return out.String()
}

func importsAt(text string, at int) bool {
	before := strings.TrimRight(text[:at], `\`)
	if (at-len(before))%2 == 1 {
		return false
	}
	if last, _ := utf8.DecodeLastRuneInString(before); before != "" && at == len(before) &&
		(unicode.IsLetter(last) || unicode.IsDigit(last) || last == '/') {
		return false
	}
	next, _ := utf8.DecodeRuneInString(text[at+1:])
	return at+1 < len(text) && !unicode.IsSpace(next)
}

// escapeOpenComments escapes each <!-- outside code that no --> follows. Within a paragraph Markdown takes it for text,
// but whoever strips comments without parsing would strip what follows the memory too.
func escapeOpenComments(text string) string {
	const opener = "<!--"
	open := strings.LastIndex(text, "-->") + 1
	if !strings.Contains(text[open:], opener) {
		return text
	}
	inCode := codeSpans(parseCode(text))
	var edits []replacement
	for at := open; ; at += len(opener) {
		next := strings.Index(text[at:], opener)
		if next < 0 {
			return replace(text, edits)
		}
		if at += next; !inCode.holds(at) && !strings.HasSuffix(text[:at], `\`) {
			edits = append(edits, replacement{at, at, `\`})
		}
	}
}

// sentinel is a heading that stands where it is put only when nothing before it is left open.
const sentinel = "\n\n### sentinel"

// closeOpenEnd closes a code fence that would run on past the end of the text, and escapes what opens a comment or
// another block of HTML that would.
func closeOpenEnd(text string) string {
	source := text + sentinel
	last := parseBlocks(source).LastChild()
	switch block := last.(type) {
	case *ast.FencedCodeBlock:
		return text + "\n" + fenceAt(text, block.Pos())
	case *ast.HTMLBlock:
		opener, known := htmlOpeners[block.HTMLBlockType]
		if !known {
			return text
		}
		from := block.Lines().At(0).Start
		return text[:from] + opener.ReplaceAllStringFunc(text[from:], func(s string) string { return `\` + s })
	}
	return text
}

// fenceAt returns the run of one character that opens a code fence.
func fenceAt(text string, at int) string {
	rest := text[at:]
	return rest[:len(rest)-len(strings.TrimLeft(rest, rest[:1]))]
}

// htmlOpeners are the beginnings of the blocks of HTML that end at a word of their own instead of a blank line
// (CommonMark, HTML blocks 1 to 5).
var htmlOpeners = map[ast.HTMLBlockType]*regexp.Regexp{
	ast.HTMLBlockType1: regexp.MustCompile(`(?i)<(?:script|pre|style|textarea)`),
	ast.HTMLBlockType2: regexp.MustCompile(`<!--`),
	ast.HTMLBlockType3: regexp.MustCompile(`<\?`),
	ast.HTMLBlockType4: regexp.MustCompile(`<![A-Za-z]`),
	ast.HTMLBlockType5: regexp.MustCompile(`<!\[CDATA\[`),
}

// replacement puts text in the place of the bytes from up to, not including, to.
type replacement struct {
	from, to int
	text     string
}

// sinkHeadings sinks headings by three levels, to the sixth at most, wherever they stand: also in quotes and lists.
// With a level only headings of at most that level sink; 0 is all of them.
func sinkHeadings(text string, upTo int) string {
	var edits []replacement
	_ = ast.Walk(parseBlocks(text), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if heading, ok := n.(*ast.Heading); ok && entering && (upTo == 0 || heading.Level <= upTo) {
			edits = append(edits, sink(text, heading)...)
		}
		return ast.WalkContinue, nil
	})
	return replace(text, edits)
}

// atxOpening is a line that begins a heading with number signs, behind the marks of the quotes and lists that it stands in.
var atxOpening = regexp.MustCompile(`^[ \t>*+\-0-9.)]*(#{1,6})(?:[ \t\n\f\v]|$)`)

func sink(text string, heading *ast.Heading) []replacement {
	marks := strings.Repeat("#", min(heading.Level+sinkBy, deepestHeading))
	at := heading.Pos()
	if at < 0 || at > len(text) {
		return nil
	}
	// The position tells the line alone: behind a tab that a quote or a list takes a part of, it is not exact.
	line := strings.LastIndexByte(text[:at], '\n') + 1
	if found := atxOpening.FindStringSubmatchIndex(text[line:endOfLine(text, line)]); found != nil && found[3]-found[2] == heading.Level {
		return []replacement{{line + found[2], line + found[3], marks}}
	}
	return sinkUnderlined(text, heading, marks)
}

// sinkUnderlined writes a heading that is underlined with = or - in the form that has more than two levels.
func sinkUnderlined(text string, heading *ast.Heading, marks string) []replacement {
	lines := heading.Lines()
	if lines.Len() == 0 {
		return nil
	}
	var title []string
	for i := range lines.Len() {
		line := lines.At(i)
		title = append(title, strings.TrimSpace(text[line.Start:line.Stop]))
	}
	joined := strings.Join(title, " ")
	if strings.HasSuffix(joined, "#") {
		joined += " #"
	}
	last := lines.At(lines.Len() - 1)
	underlined := endOfLine(text, last.Start)
	return []replacement{{lines.At(0).Start, endOfLine(text, underlined+1), marks + " " + joined}}
}

// endOfLine returns the position of the line end at or behind a position.
func endOfLine(text string, from int) int {
	if from >= len(text) {
		return len(text)
	}
	if i := strings.IndexByte(text[from:], '\n'); i >= 0 {
		return from + i
	}
	return len(text)
}

func replace(text string, edits []replacement) string {
	sort.Slice(edits, func(i, j int) bool { return edits[i].from < edits[j].from })
	var out strings.Builder
	at := 0
	for _, edit := range edits {
		if edit.from < at {
			continue
		}
		out.WriteString(text[at:edit.from])
		out.WriteString(edit.text)
		at = edit.to
	}
	out.WriteString(text[at:])
	return out.String()
}

// staysInPlace tells whether a text is free of headings that compete with those around it, leaves nothing open, and
// holds no marker.
func staysInPlace(text string) bool {
	last := parseBlocks(text + sentinel).LastChild()
	if heading, ok := last.(*ast.Heading); !ok || heading.Level != sinkBy {
		return false
	}
	inPlace := !strings.Contains(text, beginMarker) && !strings.Contains(text, endMarker)
	_ = ast.Walk(last.Parent(), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if heading, ok := n.(*ast.Heading); ok && n != last && heading.Level <= sinkBy {
			inPlace = false
			return ast.WalkStop, nil
		}
		return ast.WalkContinue, nil
	})
	return inPlace
}

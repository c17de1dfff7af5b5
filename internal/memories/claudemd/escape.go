package claudemd

import (
	"regexp"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"

	"memoir/internal/memories"
	"memoir/internal/memories/mdcode"
	"memoir/internal/memories/memtext"
)

// The compiled CLAUDE.md contains the texts of many memories. Escaping prevents a text from opening
// a section, importing a file, swallowing text after it, or being read as a comment or marker.

// sinkBy is how many levels headings in memories are lowered, to below the memory's heading.
const sinkBy = 3

const deepestHeading = 6

// maxRounds limits how often a text is parsed again after an escape. Usual texts need one round.
const maxRounds = 8

// maxParsed is the size in bytes above which a body is not parsed. The slowest known body of that
// size takes 0.4 s of CPU time (AMD EPYC, 2026-11).
const maxParsed = 128 << 10

// escapeBody returns a body that cannot affect the text around it. It lowers headings, escapes
// imports and comments, and closes or escapes open constructs. A body that it cannot make safe, or
// that is larger than maxParsed, becomes indented code. body must be canonical.
func escapeBody(body string) string {
	if body == "" {
		return ""
	}
	body = escapeComments(body)
	if len(body) > maxParsed || mdcode.Flatten(body) != body {
		return asCode(body)
	}
	text := body
	for range maxRounds {
		escaped, _, plain := scanBlocks(text)
		if !plain {
			return asCode(body)
		}
		if escaped == text {
			break
		}
		text = escaped
	}
	text = sinkHeadings(text, 0)
	for range maxRounds {
		sunk := sinkHeadings(text, sinkBy)
		if sunk == text {
			break
		}
		text = sunk
	}
	text = escapeImports(text)
	if !staysInPlace(text) {
		return asCode(body)
	}
	return text
}

// asCode returns a body as indented code, where Markdown has no meaning.
func asCode(body string) string {
	return "    " + strings.ReplaceAll(body, "\n", "\n    ")
}

// escapeName returns a name as text for a heading: on one line, with imports, comments and a final
// run of # escaped.
func escapeName(name string) string {
	line := escapeInline(memories.CanonicalName(name))
	if trimmed := strings.TrimRight(line, "#"); trimmed != line && (trimmed == "" || strings.HasSuffix(trimmed, " ")) {
		// Parsers drop a run of # at the end of a heading.
		line = trimmed + `\` + line[len(trimmed):]
	}
	return line
}

var opensBlock = regexp.MustCompile("^(?:[#>+*=~`|<\\[-]|_{2}|\\d{1,9}[.)])")

// escapeLine returns a one-line text for a list item, with imports and comments escaped. If its
// start would open a block, it has a backslash there.
func escapeLine(line string) string {
	line = escapeInline(line)
	opener := opensBlock.FindString(line)
	if opener == "" {
		return line
	}
	if last := len(opener) - 1; opener[last] == '.' || opener[last] == ')' {
		return line[:last] + `\` + line[last:]
	}
	return `\` + line
}

// escapeInline returns a line with its imports and comments escaped.
func escapeInline(line string) string { return escapeComments(escapeImports(line)) }

// escapeComments writes each <!-- as <\!--, also for programs that remove comments with a regular
// expression. This includes Memoir's markers.
func escapeComments(text string) string { return strings.ReplaceAll(text, "<!--", `<\!--`) }

// WithoutControls returns text without control characters, except line ends and tabs.
func WithoutControls(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' && r != '\r' {
			return -1
		}
		return r
	}, text)
}

// escapeImports puts a backslash before each @ outside code that an agent could read as the import
// of a file. An @ after a letter, a digit or a slash, as in addresses, is not one.
func escapeImports(text string) string {
	if !strings.Contains(text, "@") {
		return text
	}
	inCode := mdcode.Code(mdcode.ParseCode(text))
	var out strings.Builder
	for i, r := range text {
		if r == '@' && !inCode.Holds(i) && importsAt(text, i) {
			out.WriteByte('\\')
		}
		out.WriteRune(r)
	}
	return out.String()
}

// importsAt reports whether an agent may read the @ at an offset as an import. It is one if it is
// not escaped, does not follow a letter, digit or slash, and precedes a visible character.
// importsAt does not check whether the @ is in code.
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

// sentinel is a heading that parsers find only if the text before it leaves nothing open.
const sentinel = "\n\n### sentinel"

// replacement replaces the bytes [from, to) by text.
type replacement struct {
	from, to int
	text     string
}

// sinkHeadings lowers headings by sinkBy levels, to the sixth at most, also in quotes and lists. If
// upTo is not 0, it lowers only headings up to this level. If it finds none of these, it changes
// lines outside code that other parsers may read as headings.
func sinkHeadings(text string, upTo int) string {
	var edits []replacement
	root := mdcode.ParseBlocks(text)
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if heading, ok := n.(*ast.Heading); ok && entering && (upTo == 0 || heading.Level <= upTo) {
			edits = append(edits, sink(text, heading)...)
		}
		return ast.WalkContinue, nil
	})
	if upTo > 0 && len(edits) == 0 {
		edits = sinkLines(text, mdcode.Code(root))
	}
	return replace(text, edits)
}

// sinkLines returns edits of the lines outside code that other parsers may read as headings.
func sinkLines(text string, code mdcode.Spans) (edits []replacement) {
	if !strings.ContainsAny(text, "#=-") {
		return nil
	}
	afterText := false
	for at := 0; at < len(text); {
		end := memtext.EndOfLine(text, at)
		line := text[at:end]
		isCode := len(code) > 0 && code.Holds(at+len(line)-len(strings.TrimLeft(line, " \t>")))
		if m := headingLine.FindStringSubmatchIndex(line); m != nil && !isCode {
			edits = append(edits, replacement{at + m[5], at + m[5], "###"})
		} else if m := doubleLine.FindStringSubmatchIndex(line); m != nil && afterText && !isCode {
			edits = append(edits, replacement{at + m[3], at + m[3], `\`})
		} else if afterText && !isCode && dashLine.MatchString(line) {
			edits = append(edits, replacement{at, at, "\n"})
		}
		afterText = strings.Trim(line, " \t") != ""
		at = end + 1
	}
	return edits
}

// atxOpening matches the start of a heading with number signs, after the marks of quotes and lists.
var atxOpening = regexp.MustCompile(`^[ \t>*+\-0-9.)]*(#{1,6})(?:[ \t\n\f\v]|$)`)

// sink returns the edits that lower a heading by sinkBy levels, to deepestHeading at most. It
// returns nil if the heading has no position in text.
func sink(text string, heading *ast.Heading) []replacement {
	marks := strings.Repeat("#", min(heading.Level+sinkBy, deepestHeading))
	at := heading.Pos()
	if at < 0 || at > len(text) {
		return nil
	}
	// The position is exact only for the line: tabs in quotes and lists shift it.
	line := strings.LastIndexByte(text[:at], '\n') + 1
	if found := atxOpening.FindStringSubmatchIndex(text[line:memtext.EndOfLine(text, line)]); found != nil && found[3]-found[2] == heading.Level {
		return []replacement{{line + found[2], line + found[3], marks}}
	}
	return sinkUnderlined(text, heading, marks)
}

// sinkUnderlined returns the edit that rewrites an underlined heading with the number signs marks,
// which allow more than two levels. It returns nil if the heading has no lines.
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
	underlined := memtext.EndOfLine(text, last.Start)
	return []replacement{{lines.At(0).Start, memtext.EndOfLine(text, underlined+1), marks + " " + joined}}
}

// replace returns text with the edits made, and sorts edits by their start. It skips an edit that
// overlaps the one before.
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

// staysInPlace reports whether a text has no heading of levels 1 to sinkBy, no open construct and
// no comment, and all parsers read it alike.
func staysInPlace(text string) bool {
	last := mdcode.ParseBlocks(text + sentinel).LastChild()
	if heading, ok := last.(*ast.Heading); !ok || heading.Level != sinkBy {
		return false
	}
	inPlace := !strings.Contains(text, "<!--") && isPlain(text, last.Parent())
	_ = ast.Walk(last.Parent(), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if heading, ok := n.(*ast.Heading); ok && n != last && heading.Level <= sinkBy {
			inPlace = false
			return ast.WalkStop, nil
		}
		return ast.WalkContinue, nil
	})
	return inPlace
}

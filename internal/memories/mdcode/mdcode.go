// Package mdcode finds code in Markdown texts and parses their blocks, at a bounded cost. It knows
// nothing of memories. claudemd and memorymd call it.
package mdcode

import (
	"sort"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"memoir/internal/memories/memtext"
)

// blocks parses the structure of a text: headings, code, quotes, lists and HTML.
var blocks = newMarkdown(parser.DefaultParagraphTransformers())

// hastyBlocks is blocks without link definitions, which become paragraphs. It finds the same
// headings, and is fast for texts with very many definitions.
var hastyBlocks = newMarkdown(nil)

// code also parses code spans. It parses no links and emphasis: they contain no code, and their
// cost can be quadratic.
var code = newMarkdown(parser.DefaultParagraphTransformers(),
	util.Prioritized(parser.NewCodeSpanParser(), 100),
	util.Prioritized(parser.NewAutoLinkParser(), 300),
	util.Prioritized(parser.NewRawHTMLParser(), 400),
)

func newMarkdown(paragraphs []util.PrioritizedValue, inline ...util.PrioritizedValue) parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithInlineParsers(inline...),
		parser.WithParagraphTransformers(paragraphs...),
	)
}

// maxDefinitions is how many link definitions a text may have before ParseBlocks ignores them. It
// is arbitrary.
const maxDefinitions = 500

// ParseBlocks parses the block structure of a Markdown text: headings, code, quotes, lists and
// HTML. Code spans, links and emphasis stay text. Offsets in the result are those of source. In a
// text with more than maxDefinitions link definitions, they are parsed as paragraphs.
func ParseBlocks(source string) ast.Node {
	p := blocks
	if strings.Count(source, "]:") > maxDefinitions {
		p = hastyBlocks
	}
	return p.Parse(text.NewReader([]byte(Flatten(source))))
}

// ParseCode parses a Markdown text for its blocks and code spans; links and emphasis stay text.
// Offsets in the result are those of source.
func ParseCode(source string) ast.Node {
	return code.Parse(text.NewReader([]byte(Flatten(source))))
}

// maxNesting is how many quotes and lists may be nested on one line. The cost of parsing is
// quadratic in it.
const maxNesting = 100

// Flatten returns a text of the same length where no line opens more than maxNesting quotes and
// lists. In a deeper line, it replaces one byte by x, which ends the nesting. It returns a text
// without such a line unchanged.
func Flatten(source string) string {
	var flat []byte
	for from := 0; from < len(source); {
		to := memtext.EndOfLine(source, from)
		depth := 0
		for i := from; i < to && strings.IndexByte(" \t>-+*.)0123456789", source[i]) >= 0; i++ {
			if source[i] == '>' || i+1 < to && strings.IndexByte("-+*.)", source[i]) >= 0 && strings.IndexByte(" \t", source[i+1]) >= 0 {
				depth++
			}
			if depth > maxNesting {
				if flat == nil {
					flat = []byte(source)
				}
				flat[i] = 'x'
				break
			}
		}
		from = to + 1
	}
	if flat == nil {
		return source
	}
	return string(flat)
}

// Spans are ordered ranges [from, to) of byte offsets in a text.
type Spans [][2]int

// Holds reports whether an offset is in one of the spans.
func (s Spans) Holds(at int) bool {
	i := sort.Search(len(s), func(i int) bool { return s[i][1] > at })
	return i < len(s) && s[i][0] <= at
}

// Of returns the text in the spans, joined. text must be the one that the spans are from.
func (s Spans) Of(text string) string {
	if len(s) == 1 && s[0] == [2]int{0, len(text)} {
		return text
	}
	var joined strings.Builder
	for _, part := range s {
		joined.WriteString(text[part[0]:part[1]])
	}
	return joined.String()
}

// Source returns a function that maps an offset in the result of Of to the offset in the text. It
// returns an offset at or after the end unchanged.
func (s Spans) Source() func(at int) int {
	ends := make([]int, len(s)) // ends in the joined text
	total := 0
	for i, part := range s {
		total += part[1] - part[0]
		ends[i] = total
	}
	return func(at int) int {
		i := sort.SearchInts(ends, at+1)
		if i == len(s) {
			return at
		}
		return s[i][1] - (ends[i] - at)
	}
}

// Blocks returns the spans of all lines in code blocks, fenced or indented, without the fences.
func Blocks(source string) Spans {
	return Code(ParseBlocks(source))
}

// Code returns the spans of code blocks and code spans below a parsed node, ordered by their start.
// The fences and backquotes around code are not part of them.
func Code(root ast.Node) Spans {
	var found Spans
	add := func(s text.Segment) { found = append(found, [2]int{s.Start, s.Stop}) }
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n.Kind() {
		case ast.KindFencedCodeBlock, ast.KindCodeBlock:
			for i := range n.Lines().Len() {
				add(n.Lines().At(i))
			}
		case ast.KindCodeSpan:
			for child := n.FirstChild(); child != nil; child = child.NextSibling() {
				if t, ok := child.(*ast.Text); ok {
					add(t.Segment)
				}
			}
		}
		return ast.WalkContinue, nil
	})
	sort.Slice(found, func(i, j int) bool { return found[i][0] < found[j][0] })
	return found
}

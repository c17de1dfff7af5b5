// Package mdcode finds the code in a Markdown text, and parses its blocks.
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

// blocks finds the structure of a text: headings, code, quotes, lists and HTML.
var blocks = newMarkdown(parser.DefaultParagraphTransformers())

// hastyBlocks takes definitions of link targets for paragraphs. That finds no heading less, and is quick where there
// are very many of them.
var hastyBlocks = newMarkdown(nil)

// code finds code between backticks as well. Links and emphasis are left to whoever renders the text: they change no
// code, and cost time that grows with the square of a hostile text's length.
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

// manyDefinitions is how many definitions of link targets a text may hold before they are passed over.
const manyDefinitions = 500

// ParseBlocks parses the block structure of a Markdown text.
func ParseBlocks(source string) ast.Node {
	p := blocks
	if strings.Count(source, "]:") > manyDefinitions {
		p = hastyBlocks
	}
	return p.Parse(text.NewReader([]byte(Flatten(source))))
}

// ParseCode parses a Markdown text for its code blocks and code spans only.
func ParseCode(source string) ast.Node {
	return code.Parse(text.NewReader([]byte(Flatten(source))))
}

// deepestNesting is how many quotes and lists may stand within each other on one line. The time to parse grows with the
// square of it.
const deepestNesting = 100

// Flatten returns a text of the same length in which no line nests deeper than deepestNesting.
func Flatten(source string) string {
	var flat []byte
	for from := 0; from < len(source); {
		to := memtext.EndOfLine(source, from)
		depth := 0
		for i := from; i < to && strings.IndexByte(" \t>-+*.)0123456789", source[i]) >= 0; i++ {
			if source[i] == '>' || i+1 < to && strings.IndexByte("-+*.)", source[i]) >= 0 && strings.IndexByte(" \t", source[i+1]) >= 0 {
				depth++
			}
			if depth > deepestNesting {
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

// Spans are parts of a text in order: the offset of the first byte of each, and of the byte after it.
type Spans [][2]int

// Holds reports whether a position is in one of the spans.
func (s Spans) Holds(at int) bool {
	i := sort.Search(len(s), func(i int) bool { return s[i][1] > at })
	return i < len(s) && s[i][0] <= at
}

// Of returns the parts of a text, joined.
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

// Source returns a function from an offset in the joined parts to the offset in the text.
func (s Spans) Source() func(at int) int {
	ends := make([]int, len(s)) // of each part, in the joined text
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

// Blocks returns the lines of all code blocks of a text, fenced and indented.
func Blocks(source string) Spans {
	return Code(ParseBlocks(source))
}

// Code returns the code blocks and code spans below a parsed node.
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

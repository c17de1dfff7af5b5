package memories

import (
	"sort"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
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

func parseBlocks(source string) ast.Node {
	p := blocks
	if strings.Count(source, "]:") > manyDefinitions {
		p = hastyBlocks
	}
	return p.Parse(text.NewReader([]byte(flatten(source))))
}

func parseCode(source string) ast.Node {
	return code.Parse(text.NewReader([]byte(flatten(source))))
}

// deepestNesting is how many quotes and lists may stand within each other on one line. The time to parse grows with the
// square of it.
const deepestNesting = 100

// flatten returns a text of the same length in which no line nests deeper than deepestNesting.
func flatten(source string) string {
	var flat []byte
	for from := 0; from < len(source); {
		to := endOfLine(source, from)
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

// spans are parts of a text, by their first byte and the byte behind them, in order and apart.
type spans [][2]int

// holds tells whether a position lies in one of the spans.
func (s spans) holds(at int) bool {
	i := sort.Search(len(s), func(i int) bool { return s[i][1] > at })
	return i < len(s) && s[i][0] <= at
}

// of returns the parts of a text, joined.
func (s spans) of(text string) string {
	if len(s) == 1 && s[0] == [2]int{0, len(text)} {
		return text
	}
	var joined strings.Builder
	for _, part := range s {
		joined.WriteString(text[part[0]:part[1]])
	}
	return joined.String()
}

// source returns a function that says where a byte of the joined parts stands in the text.
func (s spans) source() func(at int) int {
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

// codeBlocks returns the lines of all code blocks of a text, fenced and indented.
func codeBlocks(source string) spans {
	return codeSpans(parseBlocks(source))
}

// codeSpans returns the code that was found in a text.
func codeSpans(root ast.Node) spans {
	var found spans
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

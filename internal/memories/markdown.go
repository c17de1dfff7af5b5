package memories

import (
	"sort"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// markdown parses what decides over structure and code. Links and emphasis are left to whoever renders the text: they
// change neither, and cost time that grows with the square of a hostile text's length.
var markdown = parser.NewParser(
	parser.WithBlockParsers(parser.DefaultBlockParsers()...),
	parser.WithInlineParsers(
		util.Prioritized(parser.NewCodeSpanParser(), 100),
		util.Prioritized(parser.NewAutoLinkParser(), 300),
		util.Prioritized(parser.NewRawHTMLParser(), 400),
	),
	parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
)

func parseMarkdown(source string) ast.Node {
	return markdown.Parse(text.NewReader([]byte(source)))
}

// spans are parts of a text, by their first byte and the byte behind them, in order and apart.
type spans [][2]int

// holds tells whether a position lies in one of the spans.
func (s spans) holds(at int) bool {
	i := sort.Search(len(s), func(i int) bool { return s[i][1] > at })
	return i < len(s) && s[i][0] <= at
}

// codeBlocks returns the lines of all code blocks of a text, fenced and indented.
func codeBlocks(source string) spans {
	return codeSpans(parseMarkdown(source), false)
}

// codeSpans returns the code of a parsed text: that of blocks, and inline that between backticks.
func codeSpans(root ast.Node, inline bool) spans {
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
			for child := n.FirstChild(); inline && child != nil; child = child.NextSibling() {
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

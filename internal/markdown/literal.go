package markdown

import (
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// literalHTML renders HTML tags as text. Omitting them would hide text that the agent reads, such
// as "name it <team>-<topic>".
type literalHTML struct{}

func (literalHTML) RegisterFuncs(register renderer.NodeRendererFuncRegisterer) {
	register.Register(ast.KindRawHTML, renderInlineTag)
	register.Register(ast.KindHTMLBlock, renderTagBlock)
}

func renderInlineTag(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		segments := node.(*ast.RawHTML).Segments
		for i := range segments.Len() {
			segment := segments.At(i)
			_, _ = w.Write(util.EscapeHTML(segment.Value(source)))
		}
	}
	return ast.WalkSkipChildren, nil
}

func renderTagBlock(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkSkipChildren, nil
	}
	block := node.(*ast.HTMLBlock)
	_, _ = w.WriteString("<pre>")
	for i := range block.Lines().Len() {
		line := block.Lines().At(i)
		_, _ = w.Write(util.EscapeHTML(line.Value(source)))
	}
	if block.HasClosure() {
		_, _ = w.Write(util.EscapeHTML(block.ClosureLine.Value(source)))
	}
	_, _ = w.WriteString("</pre>\n")
	return ast.WalkSkipChildren, nil
}

package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"memoir/internal/marked"
)

// marks renders text and code as goldmark's renderer does, with spans of the source marked and without
// the language of code blocks. A mark is inside the element of its text, so that elements stay nested.
type marks []marked.Span

func (m marks) RegisterFuncs(register renderer.NodeRendererFuncRegisterer) {
	register.Register(ast.KindText, m.text)
	register.Register(ast.KindCodeSpan, m.codeSpan)
	register.Register(ast.KindCodeBlock, m.codeBlock)
	register.Register(ast.KindFencedCodeBlock, m.codeBlock)
}

// write writes a segment of the source piece by piece with a function that escapes it.
func (m marks) write(w util.BufWriter, source []byte, segment text.Segment, escaped func(util.BufWriter, []byte)) {
	for _, s := range m {
		start, end := max(segment.Start, s.Start), min(segment.Stop, s.End)
		if start >= end {
			continue
		}
		before := text.NewSegmentPadding(segment.Start, start, segment.Padding)
		escaped(w, before.Value(source))
		_, _ = w.WriteString("<mark>")
		escaped(w, source[start:end])
		_, _ = w.WriteString("</mark>")
		segment.Start, segment.Padding = end, 0
	}
	escaped(w, segment.Value(source))
}

func (m marks) text(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	n := node.(*ast.Text)
	if n.IsRaw() {
		m.write(w, source, n.Segment, html.DefaultWriter.RawWrite)
		return ast.WalkContinue, nil
	}
	m.write(w, source, n.Segment, html.DefaultWriter.Write)
	switch {
	case n.HardLineBreak():
		_, _ = w.WriteString("<br>\n")
	case n.SoftLineBreak():
		_ = w.WriteByte('\n')
	}
	return ast.WalkContinue, nil
}

func (m marks) codeSpan(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		_, _ = w.WriteString("</code>")
		return ast.WalkContinue, nil
	}
	_, _ = w.WriteString("<code>")
	for child := node.FirstChild(); child != nil; child = child.NextSibling() {
		m.write(w, source, child.(*ast.Text).Segment, func(w util.BufWriter, value []byte) {
			html.DefaultWriter.RawWrite(w, bytes.ReplaceAll(value, []byte("\n"), []byte(" ")))
		})
	}
	return ast.WalkSkipChildren, nil
}

func (m marks) codeBlock(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		_, _ = w.WriteString("</code></pre>\n")
		return ast.WalkContinue, nil
	}
	_, _ = w.WriteString("<pre><code>")
	for i := range node.Lines().Len() {
		m.write(w, source, node.Lines().At(i), html.DefaultWriter.RawWrite)
	}
	return ast.WalkContinue, nil
}

package markdown

import (
	"regexp"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// literalHTML renders HTML tags as text. Omitting them would hide text that the agent reads, such
// as "name it <team>-<topic>".
type literalHTML struct{ marks marks }

func (l literalHTML) RegisterFuncs(register renderer.NodeRendererFuncRegisterer) {
	register.Register(ast.KindRawHTML, l.inlineTag)
	register.Register(ast.KindHTMLBlock, l.tagBlock)
}

func escaped(w util.BufWriter, value []byte) { _, _ = w.Write(util.EscapeHTML(value)) }

func (l literalHTML) inlineTag(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		segments := node.(*ast.RawHTML).Segments
		for i := range segments.Len() {
			l.marks.write(w, source, segments.At(i), escaped)
		}
	}
	return ast.WalkSkipChildren, nil
}

func (l literalHTML) tagBlock(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkSkipChildren, nil
	}
	block := node.(*ast.HTMLBlock)
	_, _ = w.WriteString("<pre>")
	for i := range block.Lines().Len() {
		l.marks.write(w, source, block.Lines().At(i), escaped)
	}
	if block.HasClosure() {
		l.marks.write(w, source, block.ClosureLine, escaped)
	}
	_, _ = w.WriteString("</pre>\n")
	return ast.WalkSkipChildren, nil
}

// policy removes everything that the renderer should never produce. It starts empty, because the
// library's policy for user content allows ids, images and styles.
var policy = func() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "br", "hr", "h2", "h3", "h4", "h5", "h6", "ul", "li", "blockquote", "pre", "em", "strong", "del", "mark",
		"table", "thead", "tbody", "tr")
	p.AllowAttrs("start").Matching(bluemonday.Integer).OnElements("ol")
	p.AllowElements("ol")
	p.AllowAttrs("class").Matching(regexp.MustCompile(`^language-[\w+#.-]{1,40}$`)).OnElements("code")
	p.AllowElements("code")
	p.AllowAttrs("align").Matching(regexp.MustCompile(`^(left|center|right)$`)).OnElements("th", "td")
	p.AllowElements("th", "td")
	// Task list items have a checkbox that cannot be clicked.
	p.AllowAttrs("type").Matching(regexp.MustCompile(`^checkbox$`)).OnElements("input")
	p.AllowAttrs("checked", "disabled").Matching(regexp.MustCompile(`^$`)).OnElements("input")

	p.AllowAttrs("href").OnElements("a")
	p.AllowURLSchemes("http", "https", "mailto")
	p.AllowRelativeURLs(true)
	p.RequireParseableURLs(true)
	p.RequireNoFollowOnFullyQualifiedLinks(true)
	p.RequireNoReferrerOnFullyQualifiedLinks(true)
	p.AddTargetBlankToFullyQualifiedLinks(true)
	return p
}()

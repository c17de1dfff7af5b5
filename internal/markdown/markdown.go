// Package markdown converts the Markdown of a memory to safe HTML. The result cannot run scripts,
// load anything, submit forms, set styles, or use the page's ids. The package reads no files and
// finds no memories; the caller resolves links. The pages call it.
package markdown

import (
	"bytes"
	"fmt"
	"html"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"

	"memoir/internal/marked"
)

// HTML is sanitised HTML. Only Render and RenderMarked create it.
type HTML string

// Resolve returns the path on this site of a link to another memory, and false for an unknown
// memory. target is the text in [[target]], or the path of a link to a Markdown file, unescaped and
// without fragment.
type Resolve func(target string) (href string, ok bool)

// resolveKey is the key of the caller's Resolve in the parser's context.
var resolveKey = parser.NewContextKey()

// unmarked is the converter for a text without marks.
var unmarked = converterOf(nil)

// converterOf returns a converter that marks spans of the source.
func converterOf(spans marks) goldmark.Markdown {
	renderers := []util.PrioritizedValue{util.Prioritized(literalHTML{spans}, beforeDefault)}
	if len(spans) > 0 {
		renderers = append(renderers, util.Prioritized(spans, beforeDefault))
	}
	return goldmark.New(
		goldmark.WithExtensions(
			extension.Linkify,
			extension.Strikethrough,
			extension.TaskList,
			// The default uses style attributes, which the content security policy forbids.
			extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)),
		),
		goldmark.WithParserOptions(
			parser.WithInlineParsers(util.Prioritized(memoryLinkParser{}, beforeLinks)),
			parser.WithASTTransformers(util.Prioritized(safeTree{}, lastOfAll)),
		),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(renderers...)),
	)
}

// Priorities for goldmark, lowest first. Its link parser has 200, its HTML renderer 1000, and the
// last transformer of its extensions 999.
const (
	beforeLinks   = 199
	beforeDefault = 500
	lastOfAll     = 2000
)

// Render converts Markdown (GitHub's dialect without footnotes) to safe HTML. Links to web and
// mail addresses stay, links to memories lead to the result of resolve, and all others become
// text. Images become links, tags become text, and headings are lowered by two levels. A nil
// resolve resolves no link. A source that is too complex becomes preformatted text, and the error
// is nil. An error means that the converter failed.
func Render(source string, resolve Resolve) (HTML, error) {
	return render(unmarked, source, resolve)
}

// RenderMarked renders a passage as Render does, and marks its spans. An ellipsis stands for the text
// that is left out before or after it. Marks in the addresses of links, in bare addresses, and in the names of linked
// memories are not shown, nor those of a source that is too complex. An escaped character or an entity
// in which a mark begins or ends is shown as it is written.
func RenderMarked(p marked.Passage, resolve Resolve) (HTML, error) {
	source := p.Text
	if p.After {
		source += " …"
	}
	if p.Before {
		const more = "… "
		source = more + source
		p.Spans = slices.Clone(p.Spans)
		for i := range p.Spans {
			p.Spans[i].Start += len(more)
			p.Spans[i].End += len(more)
		}
	}
	if len(p.Spans) == 0 {
		return render(unmarked, source, resolve)
	}
	return render(converterOf(p.Spans), source, resolve)
}

func render(converter goldmark.Markdown, source string, resolve Resolve) (HTML, error) {
	if tooComplex(source) {
		return HTML("<pre>" + html.EscapeString(source) + "</pre>\n"), nil
	}
	if resolve == nil {
		resolve = func(string) (string, bool) { return "", false }
	}
	context := parser.NewContext()
	context.Set(resolveKey, resolve)
	var raw bytes.Buffer
	if err := converter.Convert([]byte(source), &raw, parser.WithContext(context)); err != nil {
		return "", fmt.Errorf("render Markdown: %w", err)
	}
	return HTML(finished.Replace(policy.Sanitize(raw.String()))), nil
}

// finished joins the marks of parts of a text that the parser has split, makes elements that scroll
// horizontally reachable with the keyboard, and gives each block the writing direction of its own text.
// Angle brackets in text are escaped, so these are tags.
var finished = strings.NewReplacer("</mark><mark>", "", "<pre><code", `<pre tabindex="0"><code`, "<table>", `<table tabindex="0">`,
	"<p>", `<p dir="auto">`, "<li>", `<li dir="auto">`, "<ul>", `<ul dir="auto">`, "<ol", `<ol dir="auto"`, "<pre>", `<pre dir="auto">`,
	"<h3>", `<h3 dir="auto">`, "<h4>", `<h4 dir="auto">`, "<h5>", `<h5 dir="auto">`, "<h6>", `<h6 dir="auto">`,
	"<td", `<td dir="auto"`, "<th>", `<th dir="auto">`, "<th ", `<th dir="auto" `, "<blockquote>", `<blockquote dir="auto">`)

// Package markdown converts the Markdown of a memory to safe HTML. The result cannot run scripts,
// load anything, submit forms, set styles, or use the page's ids. The package reads no files and
// finds no memories; the caller resolves links. The pages call it.
package markdown

import (
	"bytes"
	"fmt"
	"html"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// HTML is sanitised HTML. Only Render creates it.
type HTML string

// Resolve returns the path on this site of a link to another memory, and false for an unknown
// memory. target is the text in [[target]], or the path of a link to a Markdown file, unescaped and
// without fragment.
type Resolve func(target string) (href string, ok bool)

// resolveKey is the key of the caller's Resolve in the parser's context.
var resolveKey = parser.NewContextKey()

var converter = goldmark.New(
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
	goldmark.WithRendererOptions(
		renderer.WithNodeRenderers(util.Prioritized(literalHTML{}, beforeDefault)),
	),
)

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

// finished makes elements that scroll horizontally reachable with the keyboard, and gives each block
// the writing direction of its own text. Angle brackets in text are escaped, so these are tags.
var finished = strings.NewReplacer("<pre><code", `<pre tabindex="0"><code`, "<table>", `<table tabindex="0">`,
	"<p>", `<p dir="auto">`, "<li>", `<li dir="auto">`, "<ul>", `<ul dir="auto">`, "<ol", `<ol dir="auto"`, "<pre>", `<pre dir="auto">`,
	"<h3>", `<h3 dir="auto">`, "<h4>", `<h4 dir="auto">`, "<h5>", `<h5 dir="auto">`, "<h6>", `<h6 dir="auto">`,
	"<td", `<td dir="auto"`, "<th>", `<th dir="auto">`, "<th ", `<th dir="auto" `, "<blockquote>", `<blockquote dir="auto">`)

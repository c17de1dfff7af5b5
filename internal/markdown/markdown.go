// Package markdown turns the Markdown of a memory into HTML that is safe to show. It owns what a memory may look like
// on a page: nothing in one can run, fetch, submit, style, or take an id that the page uses. It never reads a file and
// never looks a memory up; where a link goes is asked of the caller. The HTML handlers call it.
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

// HTML is sanitised HTML. Only Render makes it, so a template that asks for it cannot be given anything else.
type HTML string

// Resolve says where a link to another memory goes. Its target is what stands between the brackets of [[target]], or
// the path of a link to a Markdown file, unescaped and without its fragment. It answers with a path on this site, and
// false where no memory of that name is known.
type Resolve func(target string) (href string, ok bool)

// resolveKey is where the parser's extensions find the caller's Resolve.
var resolveKey = parser.NewContextKey()

var converter = goldmark.New(
	goldmark.WithExtensions(
		extension.Linkify,
		extension.Strikethrough,
		extension.TaskList,
		// The default aligns by a style attribute, which a strict content security policy refuses.
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

// Priorities in goldmark's order: the lower number goes first. Its own link parser has 200, its own HTML renderer 1000,
// and the last of its extensions' tree transformers 999.
const (
	beforeLinks   = 199
	beforeDefault = 500
	lastOfAll     = 2000
)

// Render converts Markdown (GitHub's dialect without footnotes) to safe HTML. Tags in the source are shown as the text
// they are, images become links to them, headings sink two levels so that they stand below the page's own and the memory's name, and a
// link that leads nowhere safe is left as its text. A source made to keep a parser busy is shown as it was written. A
// nil resolve knows no memory.
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
	return HTML(reachable.Replace(policy.Sanitize(raw.String()))), nil
}

// reachable makes what scrolls sideways reachable with the keyboard: code and tables. In text, angle brackets are
// escaped by now, so that these can only be tags.
var reachable = strings.NewReplacer("<pre><code", `<pre tabindex="0"><code`, "<table>", `<table tabindex="0">`)

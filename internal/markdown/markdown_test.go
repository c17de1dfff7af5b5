package markdown_test

import (
	"strings"
	"testing"

	"golang.org/x/net/html"

	"memoir/internal/markdown"
	"memoir/internal/marked"
)

// known resolves the only memory by its name and its file.
func known(target string) (string, bool) {
	return "/agents/a/memory/1", target == "Release day" || target == "release day.md" || target == "team/release.md"
}

func render(t *testing.T, source string) string {
	t.Helper()
	rendered, err := markdown.Render(source, known)
	if err != nil {
		t.Fatal(err)
	}
	return withoutDirection(rendered)
}

func renderMarked(t *testing.T, passage marked.Passage) string {
	t.Helper()
	rendered, err := markdown.RenderMarked(passage, known)
	if err != nil {
		t.Fatal(err)
	}
	return withoutDirection(rendered)
}

func withoutDirection(rendered markdown.HTML) string {
	return strings.TrimSpace(strings.ReplaceAll(string(rendered), ` dir="auto"`, ""))
}

func TestRender_Direction(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"שלום.":           `<p dir="auto">שלום.</p>`,
		"# أ\n\n1. ب":     "<h3 dir=\"auto\">أ</h3>\n<ol dir=\"auto\">\n<li dir=\"auto\">ب</li>\n</ol>",
		"|a|\n|:-:|\n|ب|": "<table tabindex=\"0\">\n<thead>\n<tr>\n<th dir=\"auto\" align=\"center\">a</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td dir=\"auto\" align=\"center\">ب</td>\n</tr>\n</tbody>\n</table>",
	} {
		got, err := markdown.Render(source, nil)
		if err != nil || strings.TrimSpace(string(got)) != want {
			t.Errorf("Render(%q) = %q, %v, want %q", source, got, err, want)
		}
	}
}

func TestRender_Dialect(t *testing.T) {
	t.Parallel()
	const external = ` rel="nofollow noreferrer noopener" target="_blank"`
	for _, tc := range []struct{ name, source, want string }{
		{"a paragraph", "One *two* **three** ~~four~~ `five`", `<p>One <em>two</em> <strong>three</strong> <del>four</del> <code>five</code></p>`},
		{"headings sink two levels", "# A\n\n###### F", "<h3>A</h3>\n<h6>F</h6>"},
		{"a heading's attributes are text", "# A {#main onclick=x}", `<h3>A {#main onclick=x}</h3>`},
		{"a list that starts later", "3. c\n4. d", "<ol start=\"3\">\n<li>c</li>\n<li>d</li>\n</ol>"},
		{"tasks", "- [x] done\n- [ ] open", "<ul>\n<li><input checked=\"\" disabled=\"\" type=\"checkbox\"> done</li>\n<li><input disabled=\"\" type=\"checkbox\"> open</li>\n</ul>"},
		{"a table aligned without style", "|a|b|\n|:-:|--:|\n|1|2|", "<table tabindex=\"0\">\n<thead>\n<tr>\n<th align=\"center\">a</th>\n<th align=\"right\">b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td align=\"center\">1</td>\n<td align=\"right\">2</td>\n</tr>\n</tbody>\n</table>"},
		{"code in a language", "```go\na < b\n```", "<pre tabindex=\"0\"><code class=\"language-go\">a &lt; b\n</code></pre>"},
		{"a link to the web", "[x](https://example.com/a?b=c&d=e)", `<p><a href="https://example.com/a?b=c&amp;d=e"` + external + `>x</a></p>`},
		{"a bare address", "see https://example.com now", `<p>see <a href="https://example.com"` + external + `>https://example.com</a> now</p>`},
		{"a bare address without a host", "see https://#a.b now", `<p>see https://#a.b now</p>`},
		{"an image becomes a link", "![a chart](https://example.com/a.png)", `<p><a href="https://example.com/a.png"` + external + `>a chart</a></p>`},
		{"an image without words shows its address", "![](https://example.com/a.png)", `<p><a href="https://example.com/a.png"` + external + `>https://example.com/a.png</a></p>`},
		{"an image within a link keeps one link", "[![a](https://example.com/a.png)](https://example.com/)", `<p><a href="https://example.com/"` + external + `>a</a></p>`},
		{"a memory by name", "see [[Release day]]!", `<p>see <a href="/agents/a/memory/1">Release day</a>!</p>`},
		{"a memory by name, spaced", "[[ Release day ]]", `<p><a href="/agents/a/memory/1">Release day</a></p>`},
		{"an unknown name stays as written", "see [[Nobody *knows*]]", `<p>see [[Nobody <em>knows</em>]]</p>`},
		{"a name in code stays as written", "`[[Release day]]`", `<p><code>[[Release day]]</code></p>`},
		{"a memory by its file", "[it](team/release.md#when)", `<p><a href="/agents/a/memory/1">it</a></p>`},
		{"a memory by its escaped file", "[it](release%20day.md)", `<p><a href="/agents/a/memory/1">it</a></p>`},
		{"an unknown file is its text", "[*it*](other.md)", `<p><em>it</em></p>`},
		{"tags are text", "Name it <team>-<topic>.", `<p>Name it &lt;team&gt;-&lt;topic&gt;.</p>`},
		{"a block of tags is text", "<details>\n<b>x</b>\n</details>\n\nafter", "<pre>&lt;details&gt;\n&lt;b&gt;x&lt;/b&gt;\n&lt;/details&gt;\n</pre>\n<p>after</p>"},
		{"a comment is text", "<!-- memoir:begin -->", "<pre>&lt;!-- memoir:begin --&gt;</pre>"},
		{"nothing", "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := render(t, tc.source); got != tc.want {
				t.Errorf("%q\nbecame %q\nwant   %q", tc.source, got, tc.want)
			}
		})
	}
}

var hostile = []string{
	`<script>alert(1)</script>`,
	"<script\n>alert(1)</script>",
	`<img src=x onerror=alert(1)>`,
	`<svg><script>alert(1)</script></svg>`,
	`<iframe src="https://example.com"></iframe>`,
	`<a href="javascript:alert(1)">x</a>`,
	`<form action="/agents/a/forget" method="post"><button>x</button></form>`,
	`<style>body{display:none}</style>`,
	`<link rel=stylesheet href=https://example.com/x.css>`,
	`<meta http-equiv=refresh content="0;url=https://example.com">`,
	`<base href="https://example.com/">`,
	`<p id="main" name="notices" class="toast" style="position:fixed">x</p>`,
	`<div hx-get="/agents/a/forget" data-hx-post="/x" hx-trigger="load">x</div>`,
	`<math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>`,
	`<template id="unanswered"><script>alert(1)</script></template>`,
	`[x](javascript:alert(1))`,
	`[x](JaVaScRiPt:alert(1))`,
	"[x](java\tscript:alert(1))",
	`[x](&#106;avascript:alert(1))`,
	`[x](vbscript:x)`,
	`[x](data:text/html;base64,PHNjcmlwdD4=)`,
	`[x](file:///etc/passwd)`,
	`[x](//example.com/)`,
	`[x](/agents/a/forget)`,
	`[x](/static/htmx.min.js)`,
	`[x](../../etc/passwd)`,
	`[x](https:///nowhere)`,
	`[x](#main)`,
	`[x](?deleted=1)`,
	`<javascript:alert(1)>`,
	`<data:text/html,x>`,
	`![x](javascript:alert(1))`,
	`![x](https://example.com/pixel.gif "t")`,
	"![x][r]\n\n[r]: https://example.com/pixel.gif",
	"[x][r]\n\n[r]: javascript:alert(1) \"t\"",
	`[x](https://example.com/ "\" onmouseover=alert(1) \"")`,
	`[x](https://example.com/"onmouseover="alert(1))`,
	"# x {#main .toast onclick=alert(1)}",
	"```\"><script>alert(1)</script>\nx\n```",
	"```go\" onclick=\"alert(1)\nx\n```",
	"[[<script>alert(1)</script>]]",
	"[[Release day\"><script>alert(1)</script>]]",
	"|<img src=x onerror=alert(1)>|\n|-|\n|x|",
	"- [x] <input type=text autofocus onfocus=alert(1)>",
	"\x00<script>alert(1)</script>\xff",
	"<scr\x00ipt>alert(1)</script>",
	"</div></main><main id=main>",
}

func TestRender_Hostile(t *testing.T) {
	t.Parallel()
	for _, source := range hostile {
		t.Run(source, func(t *testing.T) {
			t.Parallel()
			checkHarmless(t, render(t, source))
		})
	}
}

// FuzzRender searches for a memory with harmful HTML.
func FuzzRender(f *testing.F) {
	for _, source := range hostile {
		f.Add(source)
	}
	f.Add("see [[Release day]] and [it](team/release.md), [web](https://example.com)\n\n> - [x] `a`\n\n|a|\n|-|\n|b|")
	f.Fuzz(func(t *testing.T, source string) {
		checkHarmless(t, render(t, source))
		middle := []marked.Span{{Start: len(source) / 3, End: len(source) / 2}}
		checkHarmless(t, renderMarked(t, marked.PassageOf(source, middle, 1000)))
	})
}

// allowed are the attributes of each allowed element.
var allowed = map[string]string{
	"p": "", "br": "", "hr": "", "h2": "", "h3": "", "h4": "", "h5": "", "h6": "", "ul": "", "li": "", "blockquote": "", "pre": "tabindex",
	"em": "", "strong": "", "del": "", "mark": "", "table": "tabindex", "thead": "", "tbody": "", "tr": "",
	"ol": "start", "code": "class", "th": "align", "td": "align", "input": "type checked disabled", "a": "href rel target",
}

func checkHarmless(t *testing.T, rendered string) {
	t.Helper()
	tokens := html.NewTokenizer(strings.NewReader(rendered))
	for kind := tokens.Next(); kind != html.ErrorToken; kind = tokens.Next() {
		token := tokens.Token()
		if kind == html.CommentToken || kind == html.DoctypeToken {
			t.Errorf("%q has %s", rendered, token)
		}
		if kind != html.StartTagToken && kind != html.SelfClosingTagToken {
			continue
		}
		attributes, ok := allowed[token.Data]
		if !ok {
			t.Errorf("%q has the element %s", rendered, token.Data)
		}
		for _, a := range token.Attr {
			if !strings.Contains(" "+attributes+" ", " "+a.Key+" ") {
				t.Errorf("%q has the attribute %s on %s", rendered, a.Key, token.Data)
			}
			switch a.Key {
			case "tabindex":
				if a.Val != "0" {
					t.Errorf("%q has the tabindex %s", rendered, a.Val)
				}
			case "href":
				checkAddress(t, a.Val, token)
			case "class":
				if !strings.HasPrefix(a.Val, "language-") {
					t.Errorf("%q has the class %s", rendered, a.Val)
				}
			}
		}
	}
}

func checkAddress(t *testing.T, href string, link html.Token) {
	t.Helper()
	switch {
	case href == "/agents/a/memory/1", strings.HasPrefix(href, "mailto:"):
	case strings.HasPrefix(href, "https://"), strings.HasPrefix(href, "http://"):
		for _, word := range []string{"nofollow", "noreferrer", "noopener"} {
			if !strings.Contains(link.String(), word) {
				t.Errorf("%s is not %s", link, word)
			}
		}
	default:
		t.Errorf("a link leads to %q", href)
	}
}

func TestRender_Megabyte(t *testing.T) {
	t.Parallel()
	const megabyte = 1 << 20
	for _, piece := range []string{
		"> ", "+ ", "1. ", "[", "[[", "[[a", "![", "*a ", "_a**", "`", "``a", "<", "<a ", "<!--", "<?", "|", "\\", "&", "](", "a\n\n", "# a\n", "a|b\n",
		"[a](b.md) ", "https://a.de ", "~~a", "- a\n", "*a\n\n", strings.Repeat("> ", 50) + "a\n", strings.Repeat("*a ", 1990) + "\n\n", strings.Repeat("_a**", 660) + "\n\n",
		"- " + strings.Repeat("_a**", 660) + "\n", "    - " + strings.Repeat("_a**", 500) + "\n", strings.Repeat("[", 1990) + "\n\n",
		strings.Repeat("- ", 50) + "a\n", "|a|b|\n|-|-|\n|c|d|\n", "[a]: https://a.de\n", "  - a\n    - b\n",
	} {
		t.Run(piece[:min(len(piece), 20)], func(t *testing.T) {
			t.Parallel()
			checkHarmless(t, render(t, strings.Repeat(piece, megabyte/len(piece))))
		})
	}
}

func TestRender_TooComplex(t *testing.T) {
	t.Parallel()
	for _, source := range []string{strings.Repeat(">", 51) + " <b>", strings.Repeat("*a", 2001) + "<b>", strings.Repeat("1. ", 51) + "<b>"} {
		want := "<pre>" + strings.NewReplacer("<", "&lt;", ">", "&gt;").Replace(source) + "</pre>"
		if got := render(t, source); got != want {
			t.Errorf("%.40q… became %.80q…", source, got)
		}
	}
	for _, source := range []string{strings.Repeat("**a** b\n\n", 5000), strings.Repeat("- **a** [b](c.md)\n", 5000)} {
		if got := render(t, source); strings.Contains(got, "<pre>") {
			t.Errorf("%.20q… is long and not tangled, but shown as it was written", source)
		}
	}
}

func TestRender_NilResolve(t *testing.T) {
	t.Parallel()
	got, err := markdown.Render("[[Release day]] [it](team/release.md)", nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := "<p dir=\"auto\">[[Release day]] it</p>\n"; string(got) != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

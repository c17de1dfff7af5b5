package markdown_test

import (
	"strings"
	"testing"

	"memoir/internal/marked"
)

// marksIn returns a text without « and », and the spans between them.
func marksIn(text string) (plain string, spans []marked.Span) {
	for {
		before, rest, found := strings.Cut(text, "«")
		plain += before
		if !found {
			return plain, spans
		}
		inside, after, _ := strings.Cut(rest, "»")
		spans = append(spans, marked.Span{Start: len(plain), End: len(plain) + len(inside)})
		plain, text = plain+inside, after
	}
}

func TestRenderMarked_Elements(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ source, want string }{
		"words":             {"One «two» three «four»", "<p>One <mark>two</mark> three <mark>four</mark></p>"},
		"a sentence":        {"«one two, three» four", "<p><mark>one two, three</mark> four</p>"},
		"across emphasis":   {"a «b **c» d**", "<p>a <mark>b </mark><strong><mark>c</mark> d</strong></p>"},
		"only signs":        {"a «**»b«**»", "<p>a <strong>b</strong></p>"},
		"two lines":         {"a «b\nc» d", "<p>a <mark>b</mark>\n<mark>c</mark> d</p>"},
		"a hard break":      {"«a»\\\nb", "<p><mark>a</mark><br>\nb</p>"},
		"a list":            {"- «one»\n- two", "<ul>\n<li><mark>one</mark></li>\n<li>two</li>\n</ul>"},
		"code":              {"`a «b»\nc`", "<p><code>a <mark>b</mark> c</code></p>"},
		"a code block":      {"```go\na\n«b < c»\n```", "<pre tabindex=\"0\"><code>a\n<mark>b &lt; c</mark>\n</code></pre>"},
		"an indented block": {"- x\n\n\t\ta «b»\n", "<ul>\n<li>\n<p>x</p>\n<pre tabindex=\"0\"><code>  a <mark>b</mark>\n</code></pre>\n</li>\n</ul>"},
		"a table":           {"|a|\n|-|\n|«1»|", "<table tabindex=\"0\">\n<thead>\n<tr>\n<th>a</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td><mark>1</mark></td>\n</tr>\n</tbody>\n</table>"},
		"a tag":             {"a <«b»>", "<p>a &lt;<mark>b</mark>&gt;</p>"},
		"a block of tags":   {"<div>\n«x»\n</div>", "<pre>&lt;div&gt;\n<mark>x</mark>\n&lt;/div&gt;</pre>"},
		"a memory's name":   {"see [[«Release day»]]", `<p>see <a href="/agents/a/memory/1">Release day</a></p>`},
		"a tag in a mark":   {"a «<mark onclick=x>»", "<p>a <mark>&lt;mark onclick=x&gt;</mark></p>"},
		"an entity":         {"«a &lt;» b", "<p><mark>a &lt;</mark> b</p>"},
		"half an entity":    {"a &l«t;» b", "<p>a &amp;l<mark>t;</mark> b</p>"},
	} {
		text, spans := marksIn(c.source)
		if got := renderMarked(t, marked.Passage{Text: text, Spans: spans}); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	cut := marked.Passage{Text: "one two", Spans: []marked.Span{{Start: 4, End: 7}}, Before: true, After: true}
	for range 2 { // the passage must not change
		if got := renderMarked(t, cut); got != "<p>… one <mark>two</mark> …</p>" {
			t.Errorf("a passage is shown as %q", got)
		}
	}
}

// Marks must not change how a text is shown otherwise.
func TestRenderMarked_LikeUnmarked(t *testing.T) {
	t.Parallel()
	const source = "# T `x` \n\n1. a **b *c* d** [e](https://example.com) ~~f~~\n   ```sh\n\tg <h>\n   ```\n\n> i  \n> j <k>\n\n|l|m|\n|:-:|-|\n|`n`|o|\n\n    p\n\tq\n\n- [x] r\n\n<!-- s -->\n[[Release day]] https://example.com t"
	want := strings.ReplaceAll(render(t, source), ` class="language-sh"`, "")
	for start := range source {
		got := renderMarked(t, marked.Passage{Text: source, Spans: []marked.Span{{Start: start, End: start + 1}}})
		if got = strings.NewReplacer("<mark>", "", "</mark>", "").Replace(got); got != want {
			t.Errorf("with %q at %d marked, the text is\n%s\nwant\n%s", source[start:start+1], start, got, want)
		}
	}
}

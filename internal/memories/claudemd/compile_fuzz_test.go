package claudemd_test

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
	"pgregory.net/rapid"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/memories/claudemd"
)

// hostileBodies try to affect text outside their section of CLAUDE.md.
var hostileBodies = []string{
	"",
	"plain",
	"# one\n## two\n### three\n#### four\n##### five\n###### six",
	"Title\n===\n\nSub\n---\ntext",
	"two\nlines\n===",
	"> # quoted\n> ## more\n\n- # in a list\n  ## again\n\n  under\n  ===\n1. # numbered",
	"> - # deep\n>   title\n>   ---",
	"#\n##\n- #\n> #",
	"#\ttab\n-\t# tab\n-\ttitle\n\t===",
	"```\nopen fence\n# not a heading",
	"~~~~ info\nopen\n```\n~~~",
	"- ```\n  open in a list\n",
	"> ```\n> open in a quote",
	"   ```\nindented fence",
	"```\nclosed\n```\n```",
	"<!-- open",
	"<!-- complete -->\n\n<!-- open\n\n# heading\n\n<!-- another",
	"text <!-- open inline",
	"<!--\n-->\n<!-->\n<!--->",
	"<pre>\n# x",
	"<SCRIPT src=x>\n\n# x\n\n<style>\n",
	"<textarea\n\nopen",
	"<?php\n\n# x",
	"<!DOCTYPE\n\n# x",
	"<![CDATA[\n\n# x",
	"<div>\n# inside\n\n# outside",
	"<!-- memoir:end -->\n# free\n<!-- memoir:begin -->",
	"```\n<!-- memoir:end -->\n```",
	"    <!-- memoir:begin -->",
	"<!-- memoir:begin\n-->\n===",
	"@/etc/passwd and @~/.ssh/id_rsa, (@x) `@code` a@b.c \\@y \\\\@z @",
	"```\n@in/code\n```\n    @indented\n@out",
	"`@span` `unclosed @span\n\n``@a`b`` @c",
	"[x]: /url\n===\n[y]: /z 'open\n===",
	"[x]: <\n# a\n===",
	"a\\\n===\nb  \n---",
	"title #\n===\n\ntitle ##\n---",
	"\fa\n===\n\v# x\n\u00a0# y\n# z\u0085# w",
	"| a |\n| --- |\n| # b |",
	"- a\n\n  - b\n\n    # c\n\n      d\n      ===",
	"    # code\n\n\t# code\n",
	"***\n---\n___\n===\n+ # x\n* # y\n1) # z",
	"line\r# x\r\ny\r===",
	"-\n  # x\n-\n\n  # y",
	"<a href=\"\n# x\n\">\n===",
	"`\n===\n`\n---",
	"[^1]: # note\n: # definition",
	">\t### ",
	"https://a.b/@c <https://a.b/@c/@d> /@e / @f /\\@g /\\\\@h //@i",
	"-\t# a\n\n\t# b\n>\t# c\n>\td\n>\t===",
	"<textarea></script>",
	"<?>",
	"<pre>\n\n# x\n</pre>\n\n# y",
	"text\n<?\n\n# x\n?>",
	"<!X>```\n\n<![CDATA[ ]]>\n\n<style>a</style> <script>",
	"<p\n\n# x\n\n<div\tx>\n# y\ntitle\n===",
	"```\n```~~\nx\n```\t",
	"[x]: /a \"open",
	"[x\n\n# y\n\n]: z (",
	"[x]:\n```\n\n# y",
	"##\u00a0x\n<pre\u00a0>",
	"a\x00b\x1b[31mc\u0085d\u009be\ff\tg<\x00!-- h",
	"line\n#### x\n> y\n---",
}

// FuzzCompile checks that no memory affects text outside its section.
func FuzzCompile(f *testing.F) {
	for i, body := range hostileBodies {
		f.Add("a", body, "name "+fmt.Sprint(i), hostileBodies[(i+1)%len(hostileBodies)], 0)
		f.Add(body, body, "b #", "description", 4000)
	}
	f.Fuzz(func(t *testing.T, nameA, bodyA, nameB, bodyB string, limit int) {
		checkCompiled(t, []memoirtest.Section{
			{ID: "1", Name: nameA, Type: memories.Feedback, Description: bodyB, Body: bodyA},
			{ID: "2", Name: nameB, Type: memories.Feedback, Description: nameA, Body: bodyB},
			{ID: "3", Name: nameA, Type: memories.Reference, Description: bodyA, Body: nameB},
		}, limit)
	})
}

func TestCompile_AnyMemories(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		body := rapid.OneOf(
			rapid.SampledFrom(hostileBodies),
			rapid.Map(rapid.SliceOfN(rapid.SampledFrom(fragments), 0, 30), func(s []string) string { return strings.Join(s, "") }),
			rapid.String(),
		)
		var set []memoirtest.Section
		for i := range rapid.IntRange(0, 6).Draw(t, "how many") {
			set = append(set, memoirtest.Section{
				ID:          fmt.Sprint(i),
				Name:        body.Draw(t, "name"),
				Type:        rapid.SampledFrom(append(memories.Types(), "")).Draw(t, "type"),
				Description: body.Draw(t, "description"),
				Body:        body.Draw(t, "body"),
			})
		}
		checkCompiled(t, set, rapid.SampledFrom([]int{0, 1, 2700, 4000, 4500, 40000}).Draw(t, "limit"))
	})
}

// fragments are texts with a meaning in Markdown.
var fragments = []string{
	"\n", "\n\n", " ", "  ", "    ", "\t", "#", "##", "# ", "### ", "=", "===", "-", "---", "- ", "* ", "1. ", "> ", ">",
	"`", "```", "````", "~~~", "<!--", "-->", "<!-->", "<pre>", "</pre>", "<script>", "</script>", "<?", "?>", "<!X", ">",
	"<![CDATA[", "]]>", "<div>", "</div>", "<a>", "[x]: ", "[x]", "(", ")", "\\", "@path", "@", "a", "b c", "|", "\r",
	"<!-- memoir:begin -->", "<!-- memoir:end -->", "memoir:end", "'", "\"", "<", "\u00a0", "\f", "é", "文",
	"\x00", "\x1b", "\x1b[31m", "\u0085", "\u009b", "<\x00!--", "<textarea>", "</textarea>", "<style ", "</style>", "<?>", "<!X",
	"<PRE", "<script\n", "`````", "~~~~", "```\t", "```x", "[", "]: ", "]", "[x]: y \"", "[x]: y (", "[^1]: ", "- [x]: z '", "| - |\n",
	"<a b=\"", "<details>\n", "<p\t", "\\\n", "1) ", "***", "   ", "  - ", "    - ", "\t```", "> ```", "- ```", "2. ```",
}

// comments matches HTML comments as programs without a Markdown parser do.
var comments = regexp.MustCompile(`<!--[\s\S]*?(?:-->|$)`)

// failer is the common part of *testing.T and *rapid.T.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// checkCompiled compiles a set of memories and checks the documented properties of the block.
func checkCompiled(t failer, set []memoirtest.Section, limit int) {
	t.Helper()
	for i := range set {
		canonical := memories.Content{Name: set[i].Name, Description: set[i].Description, Body: set[i].Body}.Canonical()
		set[i].Name, set[i].Description, set[i].Body = canonical.Name, canonical.Description, canonical.Body
		if set[i].Name == "" {
			set[i].Name = "unnamed"
		}
	}
	block, costs := memoirtest.Compile(set, limit, 0)

	reversed := slices.Clone(set)
	slices.Reverse(reversed)
	if again, _ := memoirtest.Compile(reversed, limit, 0); !bytes.Equal(again, block) {
		t.Fatalf("another order of the same memories gives other bytes")
	}
	if bytes.Contains(block, []byte("\r")) || !utf8.Valid(block) {
		t.Fatalf("the block holds a CR or is no UTF-8: %q", block)
	}
	for _, marker := range []string{"<!-- memoir:begin -->", "<!-- memoir:end -->"} {
		if n := bytes.Count(block, []byte(marker)); n != 1 {
			t.Fatalf("%d of %s in:\n%s", n, marker, block)
		}
	}
	stripped := comments.ReplaceAllString(string(block), "")
	if want := strings.NewReplacer("<!-- memoir:begin -->", "", "<!-- memoir:end -->", "").Replace(string(block)); stripped != want {
		t.Fatalf("stripping comments leaves %q of:\n%s", stripped, block)
	}
	if i := strings.IndexFunc(string(block), func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }); i >= 0 {
		t.Fatalf("the block holds a control character at %d: %q", i, block)
	}
	want, types := expectedHeadings(set, costs)
	got := headings(block)
	if len(got) != len(want) {
		t.Fatalf("headings are %q, not %q, in:\n%s", got, want, block)
	}
	for i := range got {
		if plain(got[i]) != plain(want[i]) {
			t.Fatalf("heading %d is %q, not %q, in:\n%s", i, got[i], want[i], block)
		}
	}
	if len(costs) != types {
		t.Fatalf("%d costs for %d memories", len(costs), types)
	}
	for _, line := range strings.Split(string(block), "\n") {
		if strings.HasPrefix(line, "- ") && limit > 0 && limit < 3000 && utf8.RuneCountInString(line) > 200 {
			t.Fatalf("an entry of %d characters: %s", utf8.RuneCountInString(line), line)
		}
	}
	document, err := claudemd.ReadDocument(document(t, "# Mine\n").With(block))
	if err != nil || !bytes.Equal(document.Block(), block) {
		t.Fatalf("the block is not found again: %v", err)
	}
}

func document(t failer, raw string) claudemd.Document {
	t.Helper()
	d, err := claudemd.ReadDocument([]byte(raw))
	if err != nil {
		t.Fatalf("reading %q: %v", raw, err)
	}
	return d
}

// expectedHeadings returns the expected headings of the levels 1 to 3, as "level text".
func expectedHeadings(set []memoirtest.Section, costs []claudemd.Cost) (want []string, typed int) {
	want = []string{"1 Memory System", "1 Learned Memory"}
	byID := map[string]memoirtest.Section{}
	for _, m := range set {
		byID[m.ID] = m
		if m.Type != "" {
			typed++
		}
	}
	var last memories.Type
	for _, cost := range costs {
		m := byID[cost.ID]
		if m.Type != last && cost.Chars > 0 {
			want = append(want, "2 "+strings.ToUpper(string(m.Type[:1]))+string(m.Type[1:])+" Memory")
			last = m.Type
		}
		if !cost.Listed {
			want = append(want, "3 "+m.Name)
		}
	}
	return want, typed
}

func headings(source []byte) []string {
	var found []string
	root := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(source))
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if heading, ok := n.(*ast.Heading); ok && entering && heading.Level <= 3 {
			found = append(found, fmt.Sprint(heading.Level, " ", string(heading.Lines().Value(source))))
		}
		return ast.WalkContinue, nil
	})
	return found
}

// plain returns a heading without escapes.
func plain(heading string) string {
	return strings.NewReplacer(`\`, "", " ", "").Replace(heading)
}

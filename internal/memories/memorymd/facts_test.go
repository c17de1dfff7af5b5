package memorymd_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"memoir/internal/memoirtest"
	"memoir/internal/memories/memorymd"
)

func TestIndexFacts_OfEachKindOfLine(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, index string
		want        []string // "first-last [heading] text"
	}{
		{"nothing", "", nil},
		{"items, numbers and paragraphs under headings", "# Shop\n\n## Build\n- Use `pnpm`\n- Node 22 only\n\n## Problems\n1. It is flaky\n2) Still\n\nBe careful.\nTwice.\n", []string{
			"4-4 [Build] Use `pnpm`", "5-5 [Build] Node 22 only", "8-8 [Problems] It is flaky", "9-9 [Problems] Still", "11-12 [Problems] Be careful.\nTwice.",
		}},
		{"headings below others, and setext headings", "Shop\n====\n\n## A\n### B ###\n- x\n\nC\n---\n- y\n", []string{"6-6 [A › B] x", "10-10 [C] y"}},
		{"a heading of level 1 that is not the first", "# Shop\n- x\n# Build\n- y\n", []string{"2-2 [] x", "4-4 [Build] y"}},
		{"entries", "- [A](a.md) — hook\n* **[A](a.md)** hook\n- [[stem]]\n- [[stem|text]] hook\n[A](a.md): hook\n- see also [A](a.md)\n| [A](a.md) | hook |\n- [ ] [A](a.md)\n", nil},
		{"reference links", "- [A] — hook\n- see [B][a]\n\n[a]: a.md\n[web]: https://example.com\n", nil},
		{"text around a link", "- The API of [A](a.md) is old; call v2 instead\n- [docs](https://example.com) are wrong about ports\n- [run](../run.sh) deploys\n", []string{
			"1-1 [] The API of [A](a.md) is old; call v2 instead", "2-2 [] [docs](https://example.com) are wrong about ports", "3-3 [] [run](../run.sh) deploys",
		}},
		{"items below an item, and text after a blank line", "- one\n  - two\n    three\n\n  four\n- five\nlazy\n\nsix\n", []string{
			"1-5 [] one\n- two\n  three\n\nfour", "6-7 [] five\nlazy", "9-9 [] six",
		}},
		{"entries below an item", "- Topics:\n  - [A](a.md) — hook\n  - own text\n- Two files say more\n  - [B](b.md)\n", []string{"3-3 [] own text", "4-4 [] Two files say more"}},
		{"text below an entry", "- [A](a.md) — hook\n  more of it\n  - an item of its own\n- [B](b.md)\nNot below it\n", []string{"3-3 [] an item of its own", "5-5 [] Not below it"}},
		{"introductions", "Never do this:\n\n- x\n- y\n\n**Build**\n\nz\n\nThe end:\n", []string{"3-3 [Never do this] x", "4-4 [Never do this] y", "8-8 [Build] z", "10-10 [] The end:"}},
		{"code", "Build:\n```sh\n- pnpm -r\n# not a heading\n```\n\n```\nalone\n```\n- item\n  ~~~\n  code\n  ~~~\n- ```\n  in it\n  ```\n", []string{
			"1-5 [] Build:\n```sh\n- pnpm -r\n# not a heading\n```", "7-9 [] ```\nalone\n```", "10-13 [] item\n~~~\ncode\n~~~", "14-16 [] ```\nin it\n```",
		}},
		{"code that does not close, and code in a line", "```inline``` is code\n\n```\nx\n\n- y\n", []string{"1-1 [] ```inline``` is code", "3-6 [] ```\nx\n\n- y"}},
		{"comments", "<!-- a\n- no\n-->\n- yes\n<!-- b -->\n- too\n\n<!-- never closed\n- open\n", []string{"4-4 [] yes", "6-6 [] too", "8-8 [] <!-- never closed", "9-9 [] open"}},
		{"tables", "| key | value |\n| --- | --- |\n| port | 8080 |\n\n| [A](a.md) | hook |\n| --- | --- |\n| b | c |\n", []string{"1-3 [] | key | value |\n| --- | --- |\n| port | 8080 |"}},
		{"rules, quotes and tasks", "---\n\n***\n> said\n> twice\n\n- [ ] do it\n- - -\n", []string{"4-5 [] said\ntwice", "7-7 [] [ ] do it"}},
		{"frontmatter, a byte order mark and CRLF", "\uFEFF---\r\na: b\r\n---\r\n- x\r\n- y", []string{"4-4 [] x", "5-5 [] y"}},
		{"the same text twice", "- x\n- y\n- x\n", []string{"1-1 [] x", "2-2 [] y"}},
		{"no letter", "- …\n- !!!\n\n--\n", nil},
		{"bytes that are no text", "- a\x00b \xff\n", []string{"1-1 [] a\uFFFDb \uFFFD"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, f := range memorymd.Facts([]byte(tt.index)) {
				got = append(got, fmt.Sprintf("%d-%d [%s] %s", f.Line, f.LastLine, f.Heading, f.Text))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got\n%q, want\n%q", got, tt.want)
			}
		})
	}
}

func TestIndexFact_TitleAndDescription(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, title, description string }{
		{"Use `pnpm -r build`; the yarn lockfile is stale", "Use pnpm -r build", "Use pnpm -r build; the yarn lockfile is stale"},
		{"**Node 22** only, 24 breaks the canvas module", "Node 22 only, 24 breaks the canvas module", "Node 22 only, 24 breaks the canvas module"},
		{"[ ] Ask Ann. She knows", "Ask Ann", "Ask Ann. She knows"},
		{"one two three four five six seven eight nine", "one two three four five six seven eight", "one two three four five six seven eight nine"},
		{"```sh\nmake all\n```", "make all", "make all"},
		{"v1.2 is broken", "v1.2 is broken", "v1.2 is broken"},
		{"(see below)", "(see below)", "(see below)"},
	} {
		f := memorymd.Fact{Text: tt.text}
		if f.Title() != tt.title || f.Description() != tt.description {
			t.Errorf("%q: title %q, description %q", tt.text, f.Title(), f.Description())
		}
	}
}

func TestReplaceIndexFact_KeepsAllOtherBytes(t *testing.T) {
	t.Parallel()
	const index = "\uFEFF# Shop\r\n- one\r\n  - two\r\n\r\n  three\r\n- four \xff\n  * five"
	facts := memorymd.Facts([]byte(index))
	if len(facts) != 2 {
		t.Fatalf("got %+v", facts)
	}
	for i, want := range []string{
		"\uFEFF# Shop\r\n- [T](t.md)\r\n- four \xff\n  * five",
		"\uFEFF# Shop\r\n- one\r\n  - two\r\n\r\n  three\r\n- [T](t.md)",
	} {
		if got := memorymd.ReplaceFact([]byte(index), facts[i], "- [T](t.md)"); string(got) != want {
			t.Errorf("fact %d: it became %q, not %q", i, got, want)
		}
	}
}

// FuzzIndexFacts checks that facts are ordered, disjoint and valid text, and that each can be
// replaced.
func FuzzIndexFacts(f *testing.F) {
	for _, seed := range []string{
		"", "# A\n- b\n  - [C](c.md)\n\n```\nd\n", "\uFEFF---\na: 1\n---\n1. x\r\n<!-- y\n-->\n| z |\r", "A:\n\n**B**\n\nC\n===\n> d\n\t- e\n~~~\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, index []byte) {
		facts := memorymd.Facts(index)
		last := 0
		for _, fact := range facts {
			if fact.Line <= last || fact.LastLine < fact.Line || fact.Text == "" || strings.ToValidUTF8(fact.Text, "") != fact.Text {
				t.Fatalf("%q has the fact %+v after line %d", index, fact, last)
			}
			last = fact.LastLine
			before, behind, found := strings.Cut(string(memorymd.ReplaceFact(index, fact, "\x01\x02entry")), "\x01\x02entry")
			if whole := string(index); !found || !strings.HasPrefix(whole, before) || !strings.HasSuffix(whole, behind) ||
				len(before)+len(behind) >= len(whole) {
				t.Fatalf("%q became %q and %q around an entry for %+v", index, before, behind, fact)
			}
			_, _ = fact.Title(), fact.Description()
		}
	})
}

// TestIndexFacts_CostOfAnIndexIsBounded does not run in parallel, because it measures CPU time.
func TestIndexFacts_CostOfAnIndexIsBounded(t *testing.T) {
	indexes := memoirtest.NastyFiles()
	for name, line := range map[string]string{
		"short lines": "!\n", "items": "- a\n", "nested items": "- a\n  - b\n", "brackets": "- [[[[](((\n", "one line": "[a](", "headings": "# a\n",
		"rules": "---\n", "rows": "|\n", "quotes": ">\n", "fences": "```\n", "comments": "<!--\n", "ends of comments": "-->\n",
		"links in text": "one two three four [a](a.md) ", "spaces": " ", "tabs": "\t- a\n", "definitions": "[a]: a.md\n",
	} {
		indexes[name] = strings.Repeat(line, 1<<20/len(line))
	}
	indexes["a long heading"] = "# " + strings.Repeat("h", 1<<19) + "\n## " + strings.Repeat("h", 1<<18) + strings.Repeat("\n- a", 1<<16)
	indexes["nesting"] = func() string {
		var b strings.Builder
		for i := 0; b.Len() < 1<<20; i++ {
			b.WriteString(strings.Repeat(" ", i) + fmt.Sprintf("- %d\n", i))
		}
		return b.String()
	}()
	for name, index := range indexes {
		raw := []byte(index)
		if took := memoirtest.CPUTime(t, func() { memorymd.Facts(raw) }); took > time.Second {
			t.Errorf("%s took %v", name, took)
		}
	}
}

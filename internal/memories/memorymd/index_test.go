package memorymd_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"memoir/internal/memories"
	"memoir/internal/memories/memorymd"
)

func removing(files ...string) func(memorymd.Link) bool {
	return func(l memorymd.Link) bool { return slices.Contains(files, l.Target) }
}

func TestRemove_Links(t *testing.T) {
	t.Parallel()
	gone := removing("a.md", "team/a.md", "my file.md", "(x).md", "über.md")
	for _, tt := range []struct{ name, line, want string }{
		{"the usual entry", "- [A](a.md) — hook", ""},
		{"a bold entry", "- **[A](a.md)** (user) — hook", ""},
		{"two hyphens", "- [A](a.md) -- hook", ""},
		{"a bracket alone", "- text [a.md]", ""},
		{"the file's name as title", "- [a.md](a.md): hook", ""},
		{"a wiki link", "- [[a.md]]", ""},
		{"a team file", "* [A](team/a.md) — hook", ""},
		{"a leading dot", "1. [A](./a.md)", ""},
		{"a fragment", "- [A](a.md#section)", ""},
		{"an encoded space", "- [A](my%20file.md)", ""},
		{"angle brackets", "- [A](<my file.md>)", ""},
		{"a title behind the target", "- [A](a.md \"Title\")", ""},
		{"parentheses", "- [A]((x).md) and [A](%28x%29.md)", ""},
		{"brackets in the title", "- [A [b] \\] c](a.md)", ""},
		{"letters of any script", "- [Ü](über.md) and [Ü](%C3%BCber.md)", ""},
		{"a table row", "| [A](a.md) | hook |", ""},
		{"a link to the web beside it", "- [A](a.md) — see [docs](https://example.com/b.md)", ""},
		{"both names removed", "- [A](a.md), [B](team/a.md)", ""},

		{"another file first", "- [A](a.md), [B](b.md) — hooks", "- [B](b.md) — hooks\n"},
		{"another file last", "- [B](b.md) / [A](a.md) — hooks", "- [B](b.md) — hooks\n"},
		{"another file, in bold", "- **[A](a.md)** and **[B](b.md)** — hooks", "- **[B](b.md)** — hooks\n"},
		{"text that becomes a link without the one in it", "- [][A](a.md)(a.md) [B](b.md)", "- [B](b.md)\n"},
		{"files without a separator", "- [B](b.md) [A](a.md) [C](c.md)", "- [B](b.md) [C](c.md)\n"},

		{"another file", "- [B](b.md) — a.md", "- [B](b.md) — a.md\n"},
		{"a name within another", "- [B](ba.md)", "- [B](ba.md)\n"},
		{"the web", "- [A](https://a.md)", "- [A](https://a.md)\n"},
		{"no link", "a.md", "a.md\n"},
		{"an empty target", "- [A]()", "- [A]()\n"},
		{"a fragment alone", "- [A](#a.md)", "- [A](#a.md)\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			index := "# Memory\n" + tt.line + "\nlast"
			out, lines := memorymd.Remove([]byte(index), gone)
			if want := "# Memory\n" + tt.want + "last"; string(out) != want {
				t.Errorf("it became\n%q, not\n%q", out, want)
			}
			if (len(lines) > 0) != (string(out) != index) {
				t.Errorf("gone are %+v", lines)
			}
			if back := memorymd.Restore(out, lines); string(back) != index {
				t.Errorf("restored it is\n%q, not\n%q", back, index)
			}
		})
	}
}

func TestRemove_KeepsRest(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ index, want string }{
		{"\uFEFF- [A](a.md)\r\n- [B](b.md)\r\n", "\uFEFF- [B](b.md)\r\n"},
		{"- [B](b.md)\r\n- [A](a.md)", "- [B](b.md)\r\n"},
		{"x \xff\n\n- [A](a.md)\n\n\n", "x \xff\n\n\n\n"},
		{"- [A](a.md)\n", ""},
		{"", ""},
		{"a\rb\r- [A](a.md)\r", "a\rb\r"},
	} {
		out, gone := memorymd.Remove([]byte(tt.index), removing("a.md"))
		if string(out) != tt.want {
			t.Errorf("%q became\n%q, not\n%q", tt.index, out, tt.want)
		}
		if back := memorymd.Restore(out, gone); string(back) != tt.index {
			t.Errorf("restored it is\n%q, not\n%q", back, tt.index)
		}
	}
}

func TestRemove_TextBelowEntry(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, index, want string }{
		{"below the entry", "- [B](b.md) — b\n- [A](a.md) — a\n  never on Fridays\n\tnor later\n- [C](c.md)\n", "- [B](b.md) — b\n- [C](c.md)\n"},
		{"at the end", "- [B](b.md)\n- [A](a.md)\n  last", "- [B](b.md)\n"},
		{"same text below another", "- [A](a.md)\n  see wiki\n- [B](b.md)\n  see wiki\n", "- [B](b.md)\n  see wiki\n"},
		{"with another link", "- [A](a.md)\n  see [B](b.md)\n", "  see [B](b.md)\n"},
		{"nested item", "- [A](a.md)\n  - a note\n", "  - a note\n"},
		{"below a line that stays", "- [A](a.md), [B](b.md)\n  both\n", "- [B](b.md)\n  both\n"},
		{"below a paragraph", "See [A](a.md)\n  for more\n", "  for more\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			out, gone := memorymd.Remove([]byte(tt.index), removing("a.md"))
			if string(out) != tt.want {
				t.Errorf("Remove() = %q, want %q", out, tt.want)
			}
			back := memorymd.Restore(out, gone)
			if string(back) != tt.index {
				t.Errorf("Restore() = %q, want %q", back, tt.index)
			}
			if twice := memorymd.Restore(back, gone); string(twice) != tt.index {
				t.Errorf("a second Restore() = %q, want %q", twice, tt.index)
			}
		})
	}
	_, gone := memorymd.Remove([]byte("- [A](a.md) — a\n  never on Fridays\n"), removing("a.md"))
	const relisted = "- [A](a.md) — another\n"
	if got := memorymd.Restore([]byte(relisted), gone); string(got) != relisted {
		t.Errorf("Restore() of a listed file = %q, want %q", got, relisted)
	}
}

func TestRestore_Position(t *testing.T) {
	t.Parallel()
	index := "# One\n- [B](b.md)\n\n- [A](a.md) — hook\n- [C](c.md)\n"
	_, gone := memorymd.Remove([]byte(index), removing("a.md"))
	for _, tt := range []struct{ name, now, want string }{
		{"lines were added above", "new\n# One\n- [B](b.md)\n\n- [C](c.md)\n", "new\n# One\n- [B](b.md)\n\n- [A](a.md) — hook\n- [C](c.md)\n"},
		{"the line above is gone", "# One\n- [C](c.md)\n", "# One\n- [C](c.md)\n- [A](a.md) — hook\n"},
		{"the index is gone", "", "- [A](a.md) — hook\n"},
		{"the index ends without a line end", "# One", "# One\n- [A](a.md) — hook\n"},
		{"it is back already", index, index},
		{"it is back elsewhere", "- [A](a.md) — hook\n# One\n\n", "- [A](a.md) — hook\n# One\n\n"},
		{"the index has CRLF now", "# One\r\n\r\nx\r\n", "# One\r\n\r\n- [A](a.md) — hook\nx\r\n"},
	} {
		once := memorymd.Restore([]byte(tt.now), gone)
		if string(once) != tt.want {
			t.Errorf("%s: it became\n%q, not\n%q", tt.name, once, tt.want)
		}
		if twice := memorymd.Restore(once, gone); string(twice) != string(once) {
			t.Errorf("%s: a second time it became\n%q", tt.name, twice)
		}
	}
}

func TestRestore_TwoLinks(t *testing.T) {
	t.Parallel()
	index := "# One\n- [A](a.md), [B](b.md) — hooks\n"
	withoutA, a := memorymd.Remove([]byte(index), removing("a.md"))
	withoutBoth, b := memorymd.Remove(withoutA, removing("b.md"))
	if string(withoutBoth) != "# One\n" {
		t.Fatalf("without both it is %q", withoutBoth)
	}
	if got := memorymd.Restore(memorymd.Restore(withoutBoth, b), a); string(got) != index {
		t.Errorf("the last removed first: %q", got)
	}
	onlyA := memorymd.Restore(withoutBoth, a)
	if want := "# One\n- [A](a.md)\n"; string(onlyA) != want {
		t.Errorf("the first alone: %q, not %q", onlyA, want)
	}
	if twice := memorymd.Restore(onlyA, a); string(twice) != string(onlyA) {
		t.Errorf("the first alone, twice: %q", twice)
	}
}

func TestRemovedLine_JSON(t *testing.T) {
	t.Parallel()
	_, gone := memorymd.Remove([]byte("x\n- [A](a.md) \xff\x00 — hook"), removing("a.md"))
	kept, err := json.Marshal(gone)
	if err != nil {
		t.Fatal(err)
	}
	var back []memorymd.RemovedLine
	if err := json.Unmarshal(kept, &back); err != nil || !reflect.DeepEqual(back, gone) {
		t.Errorf("%s became %+v (%v)", kept, back, err)
	}
	if strings.Contains(string(kept), `\u0000`) {
		t.Errorf("%s holds a NUL, which jsonb refuses", kept)
	}
}

func TestLoad_Limits(t *testing.T) {
	t.Parallel()
	const (
		warning = "\n\n> WARNING: MEMORY.md is "
		advice  = ". Keep index entries to one line under ~200 chars; move detail into topic files."
		part    = ". Only part of it was loaded: "
		long    = "24.4KB (limit: 24.4KB) — index entries are too long" + part
		inLine  = "everything after the first 25000 characters of line 1 was cut off" + advice
		line201 = "201 lines (limit: 200)" + part + "1 of 201 lines were cut off, starting at line 201"
	)
	x79, x100 := strings.Repeat("x", 79), strings.Repeat("x", 100)
	lines := func(n int, line string) string { return strings.TrimSuffix(strings.Repeat(line+"\n", n), "\n") }
	for _, tt := range []struct{ name, index, want string }{
		{"white space around", "\n\n - a\n\n", "- a"},
		{"frontmatter and block comments", "\uFEFF---\nx: 1\n---\n<!-- note\nover lines -->\n- a <!-- kept -->\n\n<!-- b --> rest\n", "- a <!-- kept -->\n\n rest"},
		{"a comment in code", "```\n<!-- x -->\n```\n", "```\n<!-- x -->\n```"},
		{"a comment that never closes", "- a\n\n<!-- b\n", "- a\n\n<!-- b"},
		{"200 lines", lines(200, "x"), lines(200, "x")},
		{"201 lines", lines(201, "x"), lines(200, "x") + warning + line201 + ` ("x")` + advice},
		{"a long line is cut", lines(200, "x") + "\n  " + x79 + "yz", lines(200, "x") + warning + line201 + ` ("` + x79 + `…")` + advice},
		{"an emoji across the end", lines(200, "x") + "\n" + strings.Repeat("😀", 41),
			lines(200, "x") + warning + line201 + ` ("` + strings.Repeat("😀", 39) + `…")` + advice},
		{"80 units are cut", lines(200, "x") + "\n" + x79 + "y", lines(200, "x") + warning + line201 + ` ("` + x79 + `y")` + advice},
		{"a blank line is cut", lines(200, "x") + "\n \t\ny", lines(200, "x") + warning + "202 lines (limit: 200)" + part +
			"2 of 202 lines were cut off, starting at line 201" + advice},
		{"25,000 units", lines(25, strings.Repeat("é", 999)) + "é", lines(25, strings.Repeat("é", 999)) + "é"},
		{"one unit more, an emoji counting two", lines(25, strings.Repeat("x", 999)) + "😀", lines(24, strings.Repeat("x", 999)) +
			warning + long + `1 of 25 lines were cut off, starting at line 25 ("` + x79 + `…")` + advice},
		{"a line end just behind the cap", strings.Repeat("x", 25_000) + "\ny",
			strings.Repeat("x", 25_000) + warning + long + `1 of 2 lines were cut off, starting at line 2 ("y")` + advice},
		{"one long line of emoji", "x" + strings.Repeat("😀", 14_000),
			"x" + strings.Repeat("😀", 12_499) + warning + "27.3KB (limit: 24.4KB) — index entries are too long" + part + inLine},
		{"too many lines, too long", lines(300, x100), lines(200, x100) + warning + "300 lines and 29.6KB" + part +
			`100 of 300 lines were cut off, starting at line 201 ("` + x79 + `…")` + advice},
		{"empty lines after a comment", "- a\n\n<!-- b -->\n\n\n- c", "- a\n\n- c"},
		{"nothing", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := memorymd.Load([]byte(tt.index)); got != tt.want {
				t.Errorf("%d bytes are loaded, not %d, ending\n%.300q", len(got), len(tt.want), got[max(0, len(got)-300):])
			}
		})
	}
}

func TestEntry_LinksToFile(t *testing.T) {
	t.Parallel()
	if got, want := memorymd.Entry("Tabs", "feedback_tabs.md", "indent\nwith tabs"), "- [Tabs](feedback_tabs.md) — indent with tabs"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
	if got := memorymd.Entry("Tabs", "a.md", ""); got != "- [Tabs](a.md)" {
		t.Errorf("%q", got)
	}
	if got := []rune(memorymd.Entry("T", "a.md", strings.Repeat("é", 500))); len(got) != 200 || got[199] != '…' {
		t.Errorf("%d characters: %s", len(got), string(got))
	}
	rapid.Check(t, func(t *rapid.T) {
		title := rapid.String().Draw(t, "title")
		file := rapid.StringMatching(`[a-zA-Z0-9 :()%#?<>"'\\&ü日\[\]_-]{1,20}\.md`).Draw(t, "file")
		entry := memorymd.Entry(title, file, "hook")
		_, gone := memorymd.Remove([]byte(entry), removing(file))
		if len(gone) != 1 || gone[0].Rest != "" {
			t.Fatalf("%q is not found in %q: %+v", file, entry, gone)
		}
	})
}

// FuzzIndex checks that removed lines can be restored exactly.
func FuzzIndex(f *testing.F) {
	for _, index := range []string{
		"- [A](a.md) — hook\n- [B](b.md)\n", "\uFEFF- **[A](a.md)** (user)\r\n", "- [A](a.md), [B](b.md)", "[a.md] [b.md]\r", "- [A](<a.md>)\n\xff\x00\n",
		"\n\n- [A](a.md)\n\n- [A](a.md)\n",
		"- [[a]] - hook\n- [[a|A]], [[b]]\n", "- [A][r], [b][]\n[r]: a.md\n[b]: b.md\n", "[r]: [x](a.md)\n[r]: a.md \"t\"\n- [r]\n[r]: <b.md>\n",
	} {
		f.Add([]byte(index))
	}
	f.Fuzz(func(t *testing.T, index []byte) {
		out, gone := memorymd.Remove(index, removing("a.md"))
		if _, still := memorymd.Remove(out, removing("a.md")); len(still) > 0 {
			t.Errorf("%q still links to the file: %q", out, fmt.Sprint(still))
		}
		back := memorymd.Restore(out, gone)
		seen := map[string]bool{}
		// A CR and an LF that end two lines join to one line end when the text between them is
		// removed.
		exact := !strings.Contains(strings.ReplaceAll(string(index), "\r\n", ""), "\r") || !strings.Contains(string(index), "\n")
		for _, line := range gone {
			exact = exact && !seen[line.Text] && !strings.Contains(line.Text, "\uFFFD")
			seen[line.Text] = true
		}
		for _, line := range strings.FieldsFunc(string(out), func(r rune) bool { return r == '\n' || r == '\r' }) {
			exact = exact && !seen[line]
		}
		if exact && string(back) != string(index) {
			t.Errorf("restored\n%q it is\n%q (gone: %+v)", index, back, gone)
		}
		if twice := memorymd.Restore(back, gone); string(twice) != string(back) {
			t.Errorf("restored twice it is\n%q, not\n%q", twice, back)
		}
		memorymd.Load(index)
	})
}

func TestIndex_WikiLinks(t *testing.T) {
	t.Parallel()
	gone := removing("a.md", "my note.md", "team/a.md")
	for line, want := range map[string]string{
		"- [[a]] - hook":               "",
		"- [[a|When we deploy]] - x":   "",
		"- [[a#part|title]]":           "",
		"- [[a.md|title]]":             "",
		"- [[my note]]":                "",
		"- [[team/a]]":                 "",
		"- **[[a]]**, [[b|B]] — hooks": "- [[b|B]] — hooks\n",
		"- [[b]] and [A](a.md)":        "- [[b]]\n",
		"- [[ab]]":                     "- [[ab]]\n",
		"- test with [[ -f a ]]":       "- test with [[ -f a ]]\n",
		"- [[https://x.y/a]]":          "- [[https://x.y/a]]\n",
	} {
		index := "# Memory\n" + line + "\nlast"
		out, lines := memorymd.Remove([]byte(index), gone)
		if string(out) != "# Memory\n"+want+"last" {
			t.Errorf("%q became %q", index, out)
		}
		if back := memorymd.Restore(out, lines); string(back) != index {
			t.Errorf("%q is restored as %q", index, back)
		}
	}
}

func TestIndex_ReferenceLinks(t *testing.T) {
	t.Parallel()
	index := "# Memory\n- [A][one] — hook\n- [One][], [b] — hooks\n- [x][unknown] [one]: a.md\n\n[one]: a.md \"Title\"\n[B]: <b.md>\n[^1]: a.md\n"
	out, lines := memorymd.Remove([]byte(index), removing("a.md"))
	if want := "# Memory\n- [b] — hooks\n\n[B]: <b.md>\n[^1]: a.md\n"; string(out) != strings.Replace(want, "\n\n", "\n- [x][unknown] : a.md\n\n", 1) && string(out) != want {
		t.Errorf("it became %q", out)
	}
	if back := memorymd.Restore(out, lines); string(back) != index {
		t.Errorf("it is restored as %q", back)
	}
	listed := "- [A](a.md)\n" + string(out)
	if back := memorymd.Restore([]byte(listed), lines); string(back) != listed {
		t.Errorf("a file that is listed again is restored as %q", back)
	}
}

func TestIndex_LinksOfEveryFormAreInStep(t *testing.T) {
	t.Parallel()
	index := "# Memory\n\n- [[a]] - one\n- [[b|Bee]] - two\n- [C][c] - three\n\n[c]: c.md\n"
	files := []memorymd.IndexedFile{{ID: "1", Path: "a.md", Name: "a", Type: memories.User}, {ID: "2", Path: "b.md", Name: "b", Type: memories.User}, {ID: "3", Path: "c.md", Name: "c", Type: memories.User}}
	leads := func(there ...string) memorymd.LinkResolver {
		return func(target string) (string, bool) { return target, slices.Contains(there, target) }
	}
	all := leads("a.md", "b.md", "c.md")
	if found := memorymd.Lint(memorymd.Read([]byte(index)), files, all); len(found) > 0 {
		t.Errorf("LintIndex() = %+v", found)
	}
	if got := repaired([]byte(index), files, all); string(got) != index {
		t.Errorf("repaired() = %q", got)
	}
	if got := repaired([]byte(index), files[:1], leads("a.md")); string(got) != "# Memory\n\n- [[a]] - one\n\n" {
		t.Errorf("repaired() of dead links = %q", got)
	}
}

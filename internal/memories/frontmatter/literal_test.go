package frontmatter_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"memoir/internal/memories"
	"memoir/internal/memories/frontmatter"
)

func TestUnquotedText_IsWhole(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, front, wantName, wantDescription string }{
		{"a comment", "name: Issue #42 fix\ndescription: see PR #9 first", "Issue #42 fix", "see PR #9 first"},
		{"only a comment", "name: a\ndescription: #infra knows why", "a", "#infra knows why"},
		{"a comment behind a tab", "name: a\t#b", "a\t#b", ""},
		{"a tag", "name: !urgent a\ndescription: !x", "!urgent a", "!x"},
		{"an anchor", "name: &x a\ndescription: &y", "&x a", "&y"},
		{"an alias", "name: &x a\ndescription: *x", "&x a", "*x"},
		{"an unknown alias", "name: a\ndescription: *x", "a", "*x"},
		{"quotes under a tag", "name: !x \"a\"", "!x \"a\"", ""},
		{"a comment behind null", "name: a\ndescription: ~ # none", "a", "~ # none"},
		{"a comment on the first of two lines", "name: a\ndescription: # note\n  text", "a", "# note\ntext"},
		{"a comment on the last of two lines", "name: a\ndescription: one\n  two # three", "a", "one\ntwo # three"},
		{"a block header with a comment and no block", "name: a\ndescription: | # text", "a", "| # text"},
		{"a list with a comment", "name: a\ndescription: [b] # c", "a", "[b] # c"},
		{"a table", "name: {a: b} # c", "{a: b} # c", ""},
		{"a list below", "name:\n- a\n- b\ndescription:\n  - c", "a, b", "c"},
		{"in metadata", "metadata:\n  name: a # b\n  description: !c d", "a # b", "!c d"},
		{"beside a slip", "other: a: b\nname: c # d\ndescription: #e", "c # d", "#e"},
		{"a full-width colon", "name：甲 # 乙\ndescription： 丙", "甲 # 乙", "丙"},
		{"another space", "name:\u00a0a #b\ndescription: c\u00a0# d", "a #b", "c\u00a0# d"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			raw := "---\n" + tt.front + "\ntype: user # note\n---\nB"
			got := frontmatter.Parse([]byte(raw), "stem")
			want := memories.Content{Name: tt.wantName, Type: memories.User, Description: tt.wantDescription, Body: "B"}
			want.Name = want.Canonical().Name
			if got.Content() != want {
				t.Errorf("read\n%+v, want\n%+v", got.Content(), want)
			}
			codes := []string{memories.CodeReadLeniently, memories.CodeNameNotText, memories.CodeDescriptionNotText}
			if !slices.ContainsFunc(got.Problems, func(p memories.Problem) bool { return slices.Contains(codes, p.Code) }) {
				t.Errorf("problems are %v", got.Problems)
			}
			fixed := fixAll(t, raw, "memory/stem.md")
			after := frontmatter.Parse([]byte(fixed), "stem")
			if after.Name != got.Name || after.Body != "B" || len(codesOf(after.Problems)) > 0 {
				t.Errorf("fixed to\n%q\nit reads\n%+v", fixed, after)
			}
		})
	}
}

func TestQuotedText_KeepsItsComment(t *testing.T) {
	t.Parallel()
	for _, front := range []string{
		"name: \"a\" # b", "name: 'a' # b", "name: |- # b\n  a", "# b\nname: a\n# c", "name: a\n  # b", "name: >\n  a\n# b",
	} {
		got := frontmatter.Parse([]byte("---\n"+front+"\ntype: user\n---\nB"), "stem")
		if got.Name != "a" || len(codesOf(got.Problems)) > 0 {
			t.Errorf("%q is read as %+v", front, got)
		}
	}
}

func TestRewrite_LeavesNoOldWords(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		"---\nname: old #old\ndescription: #old\ntype: user\nother: x # kept\n---\nB",
		"---\nname: old\ndescription: old #old\n# kept\ntype: user\n---\nB",
		"---\nname: &old old\ntitle: *old # kept\ndescription: !old old\ntype: user\n---\nB",
		"---\nmetadata:\n  name: old #old\n  # kept\n  description: #old\n  type: user\n---\nB",
		"---\nname: old #old\ndescription: #old\ntype: user\nslip: a: b\n# kept\n---\nB",
	} {
		want := memories.Content{Name: "new", Type: memories.Project, Description: "also new", Body: "B"}
		for _, out := range [][]byte{frontmatter.Rewrite([]byte(raw), want, now), frontmatter.Renamed([]byte(raw), "memory/x.md", "new")} {
			got := frontmatter.Parse(out, "stem")
			if got.Name != "new" || len(codesOf(got.Problems)) > 0 {
				t.Errorf("%q became\n%q\nwhich reads %+v", raw, out, got)
			}
			if got.Description == "also new" && strings.Count(strings.ReplaceAll(string(out), "title: old", ""), "old") > 0 {
				t.Errorf("%q became\n%q", raw, out)
			}
			if !strings.Contains(string(out), "# kept") && strings.Contains(raw, "# kept") {
				t.Errorf("%q became\n%q\nwhich lost a comment", raw, out)
			}
		}
	}
}

func TestAddQuotes_ChangesOneLine(t *testing.T) {
	t.Parallel()
	got := fixed(t, "---\nzeta:  1 # odd\nname: Issue #42\ndescription: #infra\n# next\ntype: user\n---\n\nB\n", "memory/a.md", "quotes")
	if want := "---\nzeta:  1 # odd\nname: 'Issue #42'\ndescription: '#infra'\n# next\ntype: user\n---\n\nB\n"; got != want {
		t.Errorf("fixed to\n%q, want\n%q", got, want)
	}
}

// TestOneLine_ShowsEveryWord draws lines of text for each key that is shown as text.
func TestOneLine_ShowsEveryWord(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.SampledFrom([]string{"name", "description"}).Draw(t, "key")
		text := drawLine(t)
		around := rapid.SampledFrom([]string{"%type: user\n", "type: user\n%", "x: &x 1\n%type: user\n", "slip: a: b\n%", "metadata:\n  type: user\n%",
			"# note\n%\n# note\ntype: user\n", "other: |\n  b\n%tags:\n- a\n", "metadata:\n  %"}).Draw(t, "around")
		raw := "---\n" + strings.Replace(around, "%", key+": "+text+"\n", 1) + "---\nB\n"
		checkWords(t, raw, key, text)
	})
}

// FuzzOneLine checks the same for any text.
func FuzzOneLine(f *testing.F) {
	for _, text := range []string{"a #b", "#a", "!a b", "&a b", "*a", "[a] #b", "{a: b}", "| # a", "'a' b", "\"a\" # b", "a: b", "%a", "- a", "? a", "@a", "`a", ">-2 #x", "a\u0085b #c"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = memories.Content{Name: text}.Canonical().Name
		if strings.ContainsFunc(text, unicode.IsControl) {
			t.Skip("not one line")
		}
		for _, key := range []string{"name", "description"} {
			checkWords(t, "---\n"+key+": "+text+"\ntype: user\n---\nB\n", key, text)
		}
	})
}

type tester interface {
	Helper()
	Fatalf(format string, args ...any)
}

// checkWords fails unless the parsed value of the key has every word of the text, also after all
// fixes.
func checkWords(t tester, raw, key, text string) {
	t.Helper()
	fixed := fixAll(t, raw, "memory/stem.md")
	for _, raw := range []string{raw, fixed} {
		file := frontmatter.Parse([]byte(raw), "stem")
		shown := map[string]string{"name": file.Name, "description": file.Description}[key]
		if len(text) > 200 || file.Unreadable {
			return // long names are cut
		}
		for _, word := range expectedWords(text) {
			if !strings.Contains(shown, word) {
				t.Fatalf("%q of\n%q\nis not in %q", word, raw, shown)
			}
		}
	}
	if left := frontmatter.Parse([]byte(fixed), "stem").Problems; slices.ContainsFunc(left, isAboutFrontmatter) && !hasProblem(left, memories.CodeTypeMissing) {
		t.Fatalf("%q\nis fixed to\n%q\nwhich has %v", raw, fixed, left)
	}
}

// expectedWords returns the words of a text, without words that YAML reads as null, an escape or a
// comment after quotes.
func expectedWords(text string) []string {
	text = strings.TrimSpace(text)
	if slices.Contains([]string{"null", "Null", "NULL", "~"}, text) {
		return nil
	}
	if strings.HasPrefix(text, `"`) || strings.HasPrefix(text, "'") {
		quote := text[:1]
		end := strings.Index(text[1:], quote)
		if end < 0 || strings.ContainsAny(text, `\`) {
			return nil
		}
		text = text[1 : 1+end]
	}
	return strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

func drawLine(t *rapid.T) string {
	words := rapid.SampledFrom([]string{"a", "Issue", "42", "user", "null", "true", "2026-01-01", "é", "日本", "#", "#b", "!", "!t", "&", "&x", "*", "*x", "[", "]", "{", "}", ",", ":", ": ", "|", ">",
		"-", "?", "%", "@", "`", "'", "\"", "\\", "---", "...", "<<", "=", "~", "+", "\t", " ", "  ", "\u00a0", "\u2028", "：", "'a'", "\"b\"", "name: c"})
	parts := rapid.SliceOfN(words, 0, 8).Draw(t, "parts")
	separator := rapid.SampledFrom([]string{" ", "", "  ", "\t"}).Draw(t, "separator")
	return strings.Join(parts, separator)
}

// fixAll applies the first offered fix until no fix is offered.
func fixAll(t tester, raw, path string) string {
	t.Helper()
	for range 10 {
		fixes := frontmatter.Fixes([]byte(raw), path)
		if len(fixes) == 0 {
			return raw
		}
		raw = string(fixes[0].After)
	}
	t.Fatalf("there is no end to the fixes of %q", raw)
	return ""
}

func hasProblem(problems []memories.Problem, code string) bool {
	return slices.ContainsFunc(problems, func(p memories.Problem) bool { return p.Code == code })
}

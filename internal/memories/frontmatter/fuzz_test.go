package frontmatter_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"memoir/internal/memories"
	"memoir/internal/memories/frontmatter"
)

var now = time.Date(2026, 3, 5, 12, 30, 0, 420_000_000, time.UTC)

// oddFiles are unusual files as agents, editors and accidents produce them.
var oddFiles = []string{
	"",
	"---",
	"---\n---",
	"---\n---\n",
	"no frontmatter at all\n",
	"---\nname: a\ntype: user\ndescription: d\n---\n\nBody\n",
	"\uFEFF---\r\nname: a\r\ntype: user\r\n---\r\n\r\nBody\r\n",
	"---\rname: a\rtype: user\r---\rBody\r",
	"---  \nname: a\ntype: user\n--- \t\nBody",
	"---\nname: never closed\ntype: user\n",
	"---\nname: a\ndescription: a: b\ntype: user\n---\nBody",
	"---\nname: a\nname: b\ntype: user\n---\nBody",
	"---\nname: a\n...\ntype: user\n---\nBody",
	"---\n- a\n- b: c\n---\nBody",
	"---\njust a text\n---\nBody",
	"---\n{name: a, type: user, x: [1, 2]}\n---\nBody",
	"---\nname:\ttab\n\ttype: user\n---\nBody",
	"---\n\"name\": a\n'type': \"User\"\n---\nBody",
	"---\nname: |\n  two\n  lines\ntype: user\ndescription: >-\n  folded\n  text\n---\nBody",
	"---\nname: &n a\ntitle: *n\ntype: user\nbase: &b {x: 1}\n<<: *b\n---\nBody",
	"---\nname: [a]\ndescription: {a: b}\ntype: [user]\n---\nBody",
	"---\nname: 012\ndescription: 2026-01-01\ntype: true\n---\nBody",
	"---\nname: null\ntype: ~\n---\nBody",
	"---\nname: a\x00b\ntype: user\n---\nBo\x00dy \xff\xfe",
	"---\nname: \xff\ntype: user\n---\n\xc3\x28",
	"---\nname: adapter-vs-flow\ndescription: \"…\"\nmetadata: \n  node_type: memory\n  type: feedback\n  originSessionId: 0b\n  modified: 2026-07-29T13:16:34.420Z\n---\n\nBody\n",
	"---\nname: a\ndescription: x: y\nmetadata:\n\ttype: feedback\n\tmodified: 2026-07-29\n---\nBody",
	"---\nname: a\ntype: user\nmetadata:\n  type: project\n---\nBody",
	"---\nname: a\ntype: banana\n# a comment\ntags:\n- x # y\n- z\n---\nBody",
	"---\na: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nd: &d [*c, *c]\n---\nBody",
	"---\na: &a [*a]\nname: x\n---\nBody",
	"---\n# only a comment\n---\nBody",
	"---\n? complex\n: key\nname: a\n---\n",
	"---\nname: a\n  continued\ntype: user\n---\n    indented code\n",
	"---\nname: " + strings.Repeat("long ", 100) + "\ntype: user\n---\n",
	"---\ntype: user\n---\n---\nname: b\n---\n",
	"---\n\ndescription: 'it''s'\n\n\nname: \"a\\u0085b\"\n---\n\n\n \n  Body \n\n",
	"---\nmetadata: {type: user, modified: 2026-01-01T00:00:00Z}\nname: a\n---\n",
	"---\nname: \"unclosed\ntype: user\n---\nBody",
	"---\n%YAML 1.1\nname: a\n---\n",
	"---\nname: a\u2028b\ntype: user\n---\nBody\u2028",
	"---\nname: a #1\ndescription: #infra\ntype: user # x\n---\nBody",
	"---\nname: !x a\ndescription: &y *z\nmetadata:\n  name: #q\n  type: user\n---\nBody",
	"\n<!-- x -->\n---\nName: a\nType: user\n---\nBody",
	"```md\n---\nname: a\ntype: user\n---\nBody\n```",
	"----\nname: a\ntype: user\n----\nBody",
	"---\nname: a\ntype: user\n...\nBody\n\n---\n",
	"---\nx: 1\n---\n---\nname: a\nx: 2\n---\n---\ntype: user\n---\nBody",
	"+++\nname = \"a\"\ntype = 'user'\n+++\nBody",
	"{\"name\": \"a\", \"type\": \"user\"}\nBody",
	"Text\n\n---\nname: a\ntype: user\n---\nBody",
	"---\n\nA rule: and prose.\n\n---\nBody",
}

// FuzzParse checks the properties of Parse on which its callers rely, for any bytes.
func FuzzParse(f *testing.F) {
	for _, raw := range oddFiles {
		f.Add([]byte(raw), "stem")
	}
	f.Fuzz(func(t *testing.T, raw []byte, stem string) {
		file := frontmatter.Parse(raw, stem)
		if file.Name == "" || !fitForDatabase(file.Name) || strings.ContainsAny(file.Name, "\r\n\t") {
			t.Errorf("the name %q is no line of text", file.Name)
		}
		if utf8.RuneCountInString(file.Name) > memories.MaxNameLength {
			t.Errorf("the name has %d characters", utf8.RuneCountInString(file.Name))
		}
		for _, text := range []string{file.Description, file.Body, file.OriginSession} {
			if !fitForDatabase(text) {
				t.Errorf("%q is no text for a database", text)
			}
		}
		if file.Type != "" && !slices.Contains(memories.Types(), file.Type) {
			t.Errorf("type %q is not in the list", file.Type)
		}
		if file.Unreadable {
			if len(file.Problems) != 1 || file.Body != "" {
				t.Errorf("an unreadable file says %+v", file)
			}
			return
		}
		if content := file.Content(); content != content.Canonical() {
			t.Errorf("%+v is not canonical", content)
		}
		again := frontmatter.Parse(frontmatter.Encode(file.Content()), "another")
		if again.Content() != file.Content() || len(codesOf(again.Problems)) > 0 && file.Type != "" {
			t.Errorf("written anew it reads\n%+v, not\n%+v", again, file)
		}
	})
}

// FuzzRewrite checks the documented properties of Rewrite and Touch for any file.
func FuzzRewrite(f *testing.F) {
	for i, raw := range oddFiles {
		f.Add([]byte(raw), "a", uint8(i), "d", "Body")
		f.Add([]byte(raw), "new: \"name\" #1", uint8(i), "- a: b\n  c", "---\nname: x\n---\n\n# B\r\n")
	}
	f.Fuzz(func(t *testing.T, raw []byte, name string, kind uint8, description, body string) {
		types := append(memories.Types(), "")
		want := memories.Content{Name: name, Type: types[int(kind)%len(types)], Description: description, Body: body}.Canonical()
		if !mayBeName(want.Name) {
			t.Skip("a memory has a name that can be seen")
		}
		out := frontmatter.Rewrite(raw, want, now)
		if len(out) > memories.MaxFileSize {
			t.Skip("no file may be this large")
		}
		got := frontmatter.Parse(out, "stem")
		if got.Content() != want {
			t.Errorf("rewritten to\n%q\nit reads\n%+v, not\n%+v", out, got.Content(), want)
		}
		if want.Type != "" && slices.ContainsFunc(got.Problems, isAboutFrontmatter) {
			t.Errorf("rewritten to\n%q\nit has %v", out, got.Problems)
		}
		if again := frontmatter.Rewrite(out, want, now.Add(time.Hour)); !bytes.Equal(again, out) {
			t.Errorf("rewriting it with what it says gave\n%q, not\n%q", again, out)
		}
		checkTouch(t, raw)
		checkTouch(t, out)
	})
}

func checkTouch(t *testing.T, raw []byte) {
	t.Helper()
	before := frontmatter.Parse(raw, "stem")
	out, changed := frontmatter.Touch(raw, now)
	if changed == bytes.Equal(out, raw) {
		t.Errorf("changed is %v for\n%q and\n%q", changed, raw, out)
	}
	after := frontmatter.Parse(out, "stem")
	if after.Content() != before.Content() || after.Fingerprint(out) != before.Fingerprint(raw) {
		if !before.Unreadable {
			t.Errorf("touched, it reads\n%+v, not\n%+v", after, before)
		}
	}
	if changed && !after.Modified.Equal(now) {
		t.Errorf("touched, it was modified at %v", after.Modified)
	}
	if !before.Modified.IsZero() && !after.Modified.Equal(now) {
		t.Errorf("a file that states when it was modified was not touched: %q", out)
	}
}

func isAboutFrontmatter(p memories.Problem) bool {
	switch p.Code {
	case memories.CodeNoFrontmatter, memories.CodeReadLeniently, memories.CodeNameMissing, memories.CodeNameNotText,
		memories.CodeTypeMissing, memories.CodeTypeUnknown, memories.CodeTypeNotText:
		return true
	}
	return false
}

// fitForDatabase reports whether Postgres accepts s as text.
func fitForDatabase(s string) bool {
	return utf8.ValidString(s) && !strings.Contains(s, "\x00")
}

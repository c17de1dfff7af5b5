package frontmatter_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"memoir/internal/memories"
	"memoir/internal/memories/frontmatter"
)

// fixed returns the file after the fix with this id. It fails the test if the fix is not offered.
func fixed(t *testing.T, raw, path, id string) string {
	t.Helper()
	fixes := frontmatter.Fixes([]byte(raw), path)
	for _, fix := range fixes {
		if fix.ID == id {
			return string(fix.After)
		}
	}
	t.Fatalf("%q is not offered for %q, only %v", id, raw, ids(fixes))
	return ""
}

func ids(fixes []frontmatter.Fix) []string {
	var ids []string
	for _, fix := range fixes {
		ids = append(ids, fix.ID)
	}
	return ids
}

func TestFixes_ChangeNothingElse(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, path, raw, fix, want string }{
		{
			"a type that is missing", "memory/a.md",
			"---\nzeta:   [1,2]   # odd\nname: a\nmetadata:\n  modified: 2026-01-01\n---\n\nB\r\n\n\n", "type:user",
			"---\nzeta:   [1,2]   # odd\nname: a\ntype: user\nmetadata:\n  modified: 2026-01-01\n---\n\nB\r\n\n\n",
		},
		{
			"a type that is unknown, where it stands", "memory/a.md",
			"---\nname: a\nmetadata:\n  type: banana # yellow\n  x: 1\n---\nB", "type:project",
			"---\nname: a\nmetadata:\n  type: project # yellow\n  x: 1\n---\nB",
		},
		{
			"two types that differ", "memory/a.md",
			"---\nname: a\ntype: user\nmetadata:\n  type: project\n---\nB", "type:user",
			"---\nname: a\ntype: user\nmetadata:\n  type: user\n---\nB",
		},
		{
			"two types that differ, the other way", "memory/a.md",
			"---\nname: a\ntype: user\nmetadata:\n  type: project\n---\nB", "type:project",
			"---\nname: a\ntype: project\nmetadata:\n  type: project\n---\nB",
		},
		{
			"a name that is missing", "memory/sub/Tabs or spaces.md",
			"---\n# about\ntype: user\n---\nB\n", "name",
			"---\nname: Tabs or spaces\n# about\ntype: user\n---\nB\n",
		},
		{
			"no frontmatter", "memory/notes.md",
			"# Heading\r\n\r\nText\r\n", "type:reference",
			"---\r\nname: notes\r\ntype: reference\r\n---\r\n\r\n# Heading\r\n\r\nText\r\n",
		},
		{
			"a frontmatter that is not closed", "memory/notes.md",
			"\uFEFF---\nname: Open\ntype: user\ntags:\n- x\n# about it\nlast: 1\n\n# Heading\nNote: this is text\n", "close",
			"\uFEFF---\nname: Open\ntype: user\ntags:\n- x\n# about it\nlast: 1\n---\n\n# Heading\nNote: this is text\n",
		},
		{
			"a frontmatter that is all there is", "memory/notes.md",
			"---\nname: Open\ntype: user", "close", "---\nname: Open\ntype: user\n---\n",
		},
		{
			"a value that YAML refuses", "memory/a.md",
			"---\nname: a\ndescription: use: this\ntype: user\nother: [1, 2]\n---\n\nB\n", "yaml",
			"---\nname: a\ndescription: 'use: this'\ntype: user\nother: [1, 2]\n---\n\nB\n",
		},
		{
			"a description that is a list", "memory/a.md",
			"---\nname: a\ndescription: [one, {two: three}]\ntype: user\n---\nB", "description",
			"---\nname: a\ndescription: 'one, two: three'\ntype: user\n---\nB",
		},
		{
			"NUL characters", "memory/a.md",
			"---\nname: a\ntype: user\n---\nB\x00o\x00dy", "nul", "---\nname: a\ntype: user\n---\nBody",
		},
		{
			"one NUL beside a line end", "memory/a.md",
			"---\nname: a\ntype: user\n---\n\nBody.\x00\n", "nul", "---\nname: a\ntype: user\n---\n\nBody.\n",
		},
		{
			"bytes of an older encoding", "memory/a.md",
			"---\nname: a\ntype: user\n---\nCaf\xe9 für \x8010\n", "windows-1252", "---\nname: a\ntype: user\n---\nCafé für €10\n",
		},
		{
			"bytes that say nothing", "memory/a.md",
			"---\nname: a\ntype: user\n---\nB\x81\xfe\n", "replace", "---\nname: a\ntype: user\n---\nB\uFFFD\uFFFD\n",
		},
		{
			"UTF-16", "memory/a.md",
			"\xff\xfe-\x00-\x00-\x00\n\x00n\x00a\x00m\x00e\x00:\x00a\x00\n\x00", "utf-16", "---\nname:a\n",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := fixed(t, tt.raw, tt.path, tt.fix); got != tt.want {
				t.Errorf("it is fixed to\n%q, not\n%q", got, tt.want)
			}
		})
	}
}

func TestFixes_GuessedType(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		path, raw string
		want      string
	}{
		{"memory/feedback_tabs.md", "Use tabs.", "type:feedback"},
		{"memory/projects/checkout.md", "Moves in May.", "type:project"},
		{"memory/a.md", "---\nname: User likes tea\n---\nTea.", "type:user"},
		{"memory/feedback_tea.md", "---\nname: Tea\ntype: user preference\n---\nTea.", "type:user"},
		{"memory/a.md", "---\nname: Tea\nmetadata:\n  type: links\n---\nTea.", "type:reference"},
		{"memory/tea.md", "Feedback matters.", ""},
	} {
		got := ""
		for _, fix := range frontmatter.Fixes([]byte(tt.raw), tt.path) {
			if fix.Guessed {
				got += fix.ID
			}
		}
		if got != tt.want {
			t.Errorf("of %s, %q, the guess is %q, not %q", tt.path, tt.raw, got, tt.want)
		}
	}
}

func TestFixes_NoProblems(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		"---\nname: a\ntype: user\n---\nB",
		"\uFEFF---\r\nname: a\r\ntype: User\r\n---\r\nB\r\n",
		strings.Repeat("x", memories.MaxFileSize+1),
	} {
		if fixes := frontmatter.Fixes([]byte(raw), "memory/a.md"); len(fixes) > 0 {
			t.Errorf("%.40q is offered %v", raw, ids(fixes))
		}
	}
}

func TestRenamed_OnlyName(t *testing.T) {
	t.Parallel()
	got := string(frontmatter.Renamed([]byte("---\nx: 1 # odd\nname: a\ntype: user\n---\n\nB\n"), "memory/a.md", "b: c"))
	if want := "---\nx: 1 # odd\nname: 'b: c'\ntype: user\n---\n\nB\n"; got != want {
		t.Errorf("renamed to\n%q, not\n%q", got, want)
	}
}

func TestFixes_EveryProblem(t *testing.T) {
	t.Parallel()
	for _, raw := range oddFiles {
		file := frontmatter.Parse([]byte(raw), "stem")
		if file.Unreadable {
			continue
		}
		for range 10 {
			fixes := frontmatter.Fixes([]byte(raw), "memory/stem.md")
			if len(fixes) == 0 {
				break
			}
			raw = string(fixes[0].After)
		}
		if left := codesOf(frontmatter.Parse([]byte(raw), "stem").Problems); len(left) > 0 {
			t.Errorf("nothing is offered against %v of %q", left, raw)
		}
	}
}

// FuzzFixes checks the documented properties of Fixes for any file.
func FuzzFixes(f *testing.F) {
	for _, raw := range oddFiles {
		f.Add([]byte(raw))
	}
	const stem, path = "feedback_x", "memory/feedback_x.md"
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, fix := range frontmatter.Fixes(raw, path) {
			before, after := frontmatter.Parse(raw, stem), frontmatter.Parse(fix.After, stem)
			if after.Unreadable || slices.ContainsFunc(after.Problems, func(p memories.Problem) bool { return p.Code == fix.Code }) {
				t.Errorf("%s makes of %q\n%q\nwhich has %v", fix.ID, raw, fix.After, after.Problems)
			}
			if bytes.Equal(raw, fix.After) || len(fix.After) > memories.MaxFileSize {
				t.Errorf("%s makes of %q\n%q", fix.ID, raw, fix.After)
			}
			aboutText := fix.Code == memories.CodeNUL || fix.Code == memories.CodeInvalidUTF8
			if !aboutText && fix.ID != "close" && (after.Name != before.Name || after.Body != before.Body) {
				t.Errorf("%s makes of %q\n%q\nwhich says something else", fix.ID, raw, fix.After)
			}
			if slices.Contains(ids(frontmatter.Fixes(fix.After, path)), fix.ID) && fix.Code != memories.CodeTypeConflict && !aboutText {
				t.Errorf("%s is offered again for\n%q", fix.ID, fix.After)
			}
		}
	})
}

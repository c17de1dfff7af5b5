package memorymd_test

import (
	"bytes"
	"path"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"memoir/internal/memories"
	"memoir/internal/memories/frontmatter"
	"memoir/internal/memories/memorymd"
)

var plainFile = regexp.MustCompile(`^[a-z0-9][a-z0-9_]*\.md$`)

// FuzzFileName checks the file of a name and its index line: the file is one plain file other than
// the index, and the line is found and removed again.
func FuzzFileName(f *testing.F) {
	for _, name := range []string{"Release day", "../../etc/passwd", "a/b\\c", "MEMORY", "memory", "日本語", "🙂", "...", "", "CON", ".hidden", "a\x00b", "\xff", "İstanbul", "K", strings.Repeat("long ", 60), "a](b.md) [c"} {
		f.Add(name, uint8(len(name)), "hook: "+name+" [x](gone.md) [[other.md]]")
	}
	f.Fuzz(func(t *testing.T, name string, kind uint8, hook string) {
		types := append(memories.Types(), "")
		file := memories.FileName(types[int(kind)%len(types)], name)
		if !plainFile.MatchString(file) || len(file) > 64 || strings.EqualFold(file, "memory.md") {
			t.Errorf("%q goes to the file %q", name, file)
		}
		if stem := strings.TrimSuffix(memories.FileName("", name), ".md"); memories.Slug(stem) != stem {
			t.Errorf("the slug of %q is not one: %q", name, stem)
		}
		for n := 2; n < 4; n++ {
			if numbered := memories.NumberedFileName(file, n); numbered == file || !plainFile.MatchString(numbered) {
				t.Errorf("in the place of %q comes %q", file, numbered)
			}
		}
		entry := memorymd.Entry(name, "team/"+file, hook)
		if strings.ContainsAny(entry, "\r\n\x00") || !utf8.ValidString(entry) {
			t.Errorf("the entry is no line: %q", entry)
		}
		if n := utf8.RuneCountInString(entry); n > memories.MaxEntryLength {
			t.Errorf("the entry has %d characters: %q", n, entry)
		}
		if _, gone := memorymd.Remove([]byte(entry), removing("team/"+file)); len(gone) != 1 || gone[0].Rest != "" {
			t.Errorf("%q does not lead to the file alone: %+v", entry, gone)
		}
	})
}

// FuzzIndexTarget checks that an index line links to the path for which it was written.
func FuzzIndexTarget(f *testing.F) {
	for _, file := range []string{"a.md", "team/who.md", "a b(c).md", "100%.md", "a%2Fb.md", "ü日.md", "c:d.md", "http:x.md", "#a.md", "a?b.md", "<a>.md", "a\\b.md", "'\".md", "//a.md", "*a*.md"} {
		f.Add(file)
	}
	f.Fuzz(func(t *testing.T, file string) {
		if !utf8.ValidString(file) || strings.ContainsAny(file, "\x00\r\n") || path.Clean(file) != file || path.IsAbs(file) || file == "." || strings.HasPrefix(file, "..") {
			t.Skip("the file would not be listed")
		}
		entry := memorymd.Entry("Title", file, "")
		if _, gone := memorymd.Remove([]byte(entry), removing(file)); len(gone) != 1 {
			t.Errorf("%q does not lead to %q", entry, file)
		}
		if _, gone := memorymd.Remove([]byte(entry), func(l memorymd.Link) bool { return l.Target != file }); len(gone) != 0 {
			t.Errorf("%q leads elsewhere than to %q: %+v", entry, file, gone)
		}
	})
}

// FuzzKept checks that an edit changes nothing else: lines of other keys stay in valid frontmatter,
// and all of it if only the body changes.
func FuzzKept(f *testing.F) {
	f.Add("tags: [a, b] # why\nx:\n  - 1\n", "a rule", "another: \"rule\"", "Body")
	f.Add("# a comment\nmetadata:\n  node_type: memory\n", "", "d", "# B\n\n---\n")
	f.Add("x: |\n  text\n\n  more\ny: 'z'\n", "d", "", "")
	f.Add("x: \"a\\tb\" \r\n\"q r\": {s: t}\r\n", "d", "e", "\r\nB\r\n")
	f.Fuzz(func(t *testing.T, extra, description, other, body string) {
		raw := []byte("---\nname: A\ndescription: d\ntype: user\n" + extra)
		if !strings.HasSuffix(extra, "\n") {
			raw = append(raw, '\n')
		}
		raw = append(raw, "---\n\nBody\n"...)
		before := frontmatter.Parse(raw, "stem")
		if len(before.Problems) > 0 || before.Content() != (memories.Content{Name: "A", Type: memories.User, Description: "d", Body: "Body"}) || !before.Modified.IsZero() {
			t.Skip("the lines are not about other things")
		}
		front, _, _ := bytes.Cut(raw, []byte("\n---\n\nBody\n"))
		want := before.Content()
		want.Body = body
		if out := frontmatter.Rewrite(raw, want.Canonical(), time.Now()); !bytes.HasPrefix(out, append(front, "\n---\n"...)) {
			t.Errorf("with another body\n%q became\n%q", raw, out)
		}
		want.Description = description + other
		out := frontmatter.Rewrite(raw, want.Canonical(), time.Now())
		if !bytes.Contains(out, []byte(extra)) {
			t.Errorf("with another description\n%q became\n%q", raw, out)
		}
	})
}

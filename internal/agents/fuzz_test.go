package agents_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"memoir/internal/agents"
	"memoir/internal/memories"
)

var urlSafe = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)

// FuzzSlugs creates agents with these directory names, one per line, in two layouts. It checks that
// each agent keeps one slug, which is valid in a URL.
func FuzzSlugs(f *testing.F) {
	for _, names := range []string{
		"ada", "a b\na-b\na/b", "A\na", "日本\n東京", "..a\n.hidden", "a-2\na\na b", "<script>\n\"'", "a\x00b", "\xff\n\xfe", "%2e%2e", "a\tb\r", "-\n--", strings.Repeat("n", 255),
	} {
		f.Add(names)
	}
	f.Fuzz(func(t *testing.T, names string) {
		top := t.TempDir()
		settings := agents.Settings{AgentsDir: filepath.Join(top, "hive"), ClaudeDir: filepath.Join(top, "claude")}
		made := 0
		for name := range strings.SplitSeq(names, "\n") {
			if strings.Contains(name, "/") || name == "" || name == "." || name == ".." || made == 8 {
				continue
			}
			for _, dir := range []string{filepath.Join(settings.AgentsDir, name, "memory"), filepath.Join(settings.ClaudeDir, "projects", name, "memory")} {
				if os.MkdirAll(dir, 0o755) == nil {
					made++
				}
			}
		}
		found, _ := agents.Discover(settings, func(string) {})
		if len(found) > made {
			t.Errorf("%d agents in %d directories", len(found), made)
		}
		first := agents.AssignSlugs(found, nil)
		var known []agents.KnownAgent
		seen := map[string]bool{}
		for i, a := range first {
			if !urlSafe.MatchString(a.Slug) || a.Slug == "." || a.Slug == ".." {
				t.Errorf("%q has the slug %q", found[i].Dir, a.Slug)
			}
			if seen[a.Slug] {
				t.Errorf("two agents have the slug %q", a.Slug)
			}
			seen[a.Slug] = true
			if a.Dir != found[i].Dir || !strings.HasPrefix(a.Dir, top) || !utf8.ValidString(a.DisplayName) || strings.ContainsAny(a.DisplayName, "\x00\n\r\t") {
				t.Errorf("%+v of %+v", a, found[i])
			}
			known = append(known, agents.KnownAgent{Slug: a.Slug, Layout: a.Layout, Dir: a.Dir, Present: true})
		}
		slices.Reverse(known) // the order of known agents must not matter
		if again := agents.AssignSlugs(found, known); !slices.Equal(again, first) {
			t.Errorf("known, they are\n%+v, not\n%+v", again, first)
		}
		if len(found) > 1 {
			if fewer := agents.AssignSlugs(found[1:], known); !slices.Equal(fewer, first[1:]) {
				t.Errorf("with one less, they are\n%+v, not\n%+v", fewer, first[1:])
			}
		}
	})
}

// FuzzWalk creates files and links, one per line, links as "path > target". It checks that each .md
// file is listed once, readable or with a problem. It also checks that a walk of one path lists the
// same as a full walk.
func FuzzWalk(f *testing.F) {
	for _, tree := range []string{
		"memory/a.md", "memory/A.MD\nmemory/MEMORY.md\nmemory/memory.MD/x.md", "memory/1/2/3/a.md\nmemory/1/2/3/4/a.md\nmemory/1/2/3/4/5/6/7/8/9/a.md",
		"sessions/u-c-1700000000.1/memory/a.md\nsessions/stray.md\nsessions/x/a.md", "memory/\xff.md\nmemory/\\xff.md", "memory/logs/a.md\nmemory/.b.md\nmemory/.git/c.md",
		"memory/a\nb.md\nmemory/\u202e.md", "memory/l.md > a.md\nmemory/a.md", "memory/l.md > ../../x\nmemory/m > ..\nmemory/n.md > n.md", "memory > elsewhere\nelsewhere/a.md",
		"sessions/s > ../memory\nmemory/a.md", "memory/.md\nmemory/ .md\nmemory/a.md.md",
	} {
		f.Add(tree)
	}
	f.Fuzz(func(t *testing.T, tree string) {
		dir := filepath.Join(t.TempDir(), "ada")
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		plant(root, tree)
		agent := agents.Agent{Slug: "ada", Layout: agents.Hive, Dir: dir}
		walk := func(scope ...string) agents.Listing { return agents.Walk(root, agent, scope, func(string) {}) }
		all := walk(".")
		for i, entry := range all.Files {
			if i > 0 && entry.Path <= all.Files[i-1].Path {
				t.Errorf("%q is listed after %q", entry.Path, all.Files[i-1].Path)
			}
			if !utf8.ValidString(entry.Path) || !utf8.ValidString(entry.Session) || !filepath.IsLocal(entry.Path) {
				t.Errorf("%q of session %q is listed", entry.Path, entry.Session)
			}
			if entry.Problem != nil {
				continue
			}
			if !strings.EqualFold(filepath.Ext(entry.Path), ".md") {
				t.Errorf("%q is listed", entry.Path)
			}
			if _, err := agents.ReadFile(root, entry.Path, memories.MaxFileSize); err != nil {
				t.Errorf("%q is listed as readable: %v", entry.Path, err)
			}
			if one := walk(entry.Path).Files; !slices.Equal(one, []agents.Entry{entry}) {
				t.Errorf("looked at alone it is\n%+v, not\n%+v", one, entry)
			}
		}
	})
}

// plant creates the files and links, as far as the system allows them.
func plant(root *os.Root, tree string) {
	planted := 0
	for line := range strings.SplitSeq(tree, "\n") {
		at, target, isLink := strings.Cut(line, " > ")
		if len(line) > 300 || planted == 10 {
			continue
		}
		planted++
		_ = root.MkdirAll(filepath.Dir(at), 0o755)
		if isLink {
			_ = root.Symlink(target, at)
			continue
		}
		_ = root.WriteFile(at, []byte("x"), 0o644)
	}
}

// FuzzSession checks that ParseSession sets all fields or none, and only to parts of the name.
func FuzzSession(f *testing.F) {
	for _, name := range []string{"U1-C1-1700000000.123456", "a-b-C1-1700000000", "a--1700000000", "-C-123456789", "U-C-99999999999.999999999", "U-C-1.2", "日本-C-1700000000", "U\n-C-1700000000"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		s := agents.ParseSession(name)
		if s.Name != name {
			t.Errorf("%q became %q", name, s.Name)
		}
		if (s.User == "") != (s.Channel == "") || (s.User == "") != s.Thread.IsZero() {
			t.Errorf("%q is half of a conversation: %+v", name, s)
		}
		if s.User != "" && !strings.HasPrefix(name, s.User+"-"+s.Channel+"-") {
			t.Errorf("%q is not %+v", name, s)
		}
		if year := s.Thread.Year(); year > 9999 {
			t.Errorf("%q began in the year %d, which JSON does not take", name, year)
		}
	})
}

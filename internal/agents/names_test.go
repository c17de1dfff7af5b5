package agents_test

import (
	"os"
	"path"
	"strings"
	"testing"
	"unicode/utf8"

	"memoir/internal/agents"
	"memoir/internal/files/filestest"
)

func TestSafePath_Escapes(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("\xff", 200)
	for raw, want := range map[string]string{
		"memory/a.md":            "memory/a.md",
		"memory/日本\n.md":         "memory/日本\n.md",
		"memory/caf\xe9.md":      `memory/caf\xe9.md`,
		"d\xe9/n\x00l.md":        `d\xe9/n\x00l.md`,
		`memory/literal\xe9.md`:  `memory/literal\xe9.md`,
		"\xe2\x82":               `\xe2\x82`,
		"":                       "",
		"memory/" + long + ".md": "",
	} {
		got := agents.SafePath(raw)
		if want != "" && got != want {
			t.Errorf("SafePath(%q) = %q, want %q", raw, got, want)
		}
		if len(path.Base(got)) > 255 {
			t.Errorf("SafePath(%q) has a name of %d bytes", raw, len(path.Base(got)))
		}
	}
	if a, b := agents.SafePath(long+"a"), agents.SafePath(long+"b"); a == b {
		t.Errorf("two long names are both %q", a)
	}
}

// FuzzSafePath creates a file of any name among others. It checks that SafePath returns a stable
// path that can be stored. A walk of that path must list the same as a full walk.
func FuzzSafePath(f *testing.F) {
	for _, name := range []string{"a.md", "caf\xe9.md", `\xe9.md`, "\\x\xe9.md", "\xff\xfe.md", "\xe9", "line\nend.md", strings.Repeat("\xf0", 120) + ".md", "…0123456789abcdef.md", "\u0085.md"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		safe := agents.SafePath(name)
		if !utf8.ValidString(safe) || strings.Contains(safe, "\x00") || agents.SafePath(safe) != safe {
			t.Fatalf("SafePath(%q) = %q", name, safe)
		}
		d := setup(t)
		d.mkdir("memory")
		root := d.open()
		if err := root.WriteFile("memory/"+name, []byte("x"), 0o644); err != nil {
			return // no file system allows the name
		}
		whole, alone := d.walk(agents.Hive, nil), d.walk(agents.Hive, nil, "memory/"+safe)
		if len(whole.Files) != len(alone.Files) {
			t.Fatalf("%q: %d files in the whole, %d alone", name, len(whole.Files), len(alone.Files))
		}
		for i, entry := range whole.Files {
			if alone.Files[i].Path != entry.Path || entry.Path != "memory/"+safe {
				t.Errorf("%q is listed as %q, and alone as %q", name, entry.Path, alone.Files[i].Path)
			}
		}
		if err := root.Remove("memory/" + name); err != nil {
			t.Fatal(err)
		}
		gone, err := d.walk(agents.Hive, nil, "memory/"+safe).Gone(d.open(), []string{"memory/" + safe})
		if err != nil || len(gone) != 1 {
			t.Errorf("%q was removed: gone are %q, %v", name, gone, err)
		}
	})
}

func TestWalk_MisnamedFileIsGoneOnceRenamed(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.putAll("memory/good.md", "memory/caf\xe9.md")
	path := `memory/caf\xe9.md`
	if gone, err := d.walk(agents.Hive, nil, path).Gone(d.open(), []string{path}); err != nil || len(gone) > 0 {
		t.Errorf("a file that is there is gone: %q, %v", gone, err)
	}
	if !agents.IsMisnamed(d.open(), path) || agents.IsMisnamed(d.open(), "memory/good.md") {
		t.Error("IsMisnamed() takes the one file for the other")
	}
	if err := os.Rename(d.at("memory/caf\xe9.md"), d.at("memory/café.md")); err != nil {
		t.Fatal(err)
	}
	if gone, err := d.walk(agents.Hive, nil).Gone(d.open(), []string{path}); err != nil || len(gone) != 1 {
		t.Errorf("a file that was renamed is not gone: %q, %v", gone, err)
	}
}

func TestDiscover_PathsThatCannotBeStored(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.mkdir("hive/good/memory")
	d.mkdir("hive/b\xe9d/memory")
	d.mkdir("named-\xe9")
	survey := agents.DiscoverAll(agents.Settings{
		AgentsDir:  d.at("hive"),
		MemoryDirs: []agents.NamedDir{{Slug: "named", Path: d.at("named-\xe9")}, {Slug: "nul", Path: "/tmp/a\x00b"}},
	}, nil, func(string) {})
	if len(survey.Found) != 1 || survey.Found[0].Slug != "good" {
		t.Errorf("found %+v, want only the good one", survey.Found)
	}
	if len(survey.Blocked) != 2 || survey.Blocked[0].Dir != d.at(`hive/b\xe9d`) || survey.Blocked[1].Dir != d.at(`named-\xe9`) {
		t.Errorf("blocked %+v", survey.Blocked)
	}
	for _, b := range survey.Blocked {
		if b.Reason == "" || b.Owner == "" {
			t.Errorf("%+v says neither why nor whose", b)
		}
	}
}

func TestBlocked_NamesOwnerAndReason(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.putAll("agents/ada/memory/a.md", "agents/ada/memory/closed/b.md", "agents/bob/memory/a.md", "claude/projects/p/memory/a.md")
	for _, dir := range []string{"agents/ada/memory/closed", "agents/bob", "claude"} {
		if err := os.Chmod(d.at(dir), 0); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.Chmod(d.at(dir), 0o755) }) //nolint:errcheck // so that it can be removed
	}
	d.openToNobody()
	filestest.AsNobody(t, func() {
		survey := agents.DiscoverAll(agents.Settings{AgentsDir: d.at("agents"), ClaudeDir: d.at("claude")}, nil, func(string) {})
		root, err := os.OpenRoot(d.at("agents/ada"))
		if err != nil {
			t.Error(err)
			return
		}
		defer root.Close()
		listing := agents.Walk(root, agents.Agent{Slug: "ada", Layout: agents.Hive, Dir: d.at("agents/ada")}, []string{"."}, func(string) {})
		var dirs []string
		for _, b := range append(survey.Blocked, listing.Blocked...) {
			dirs = append(dirs, strings.TrimPrefix(b.Dir, d.dir+"/"))
			if b.Owner == "" || b.Reason != "permission denied" {
				t.Errorf("%+v", b)
			}
		}
		if got, want := strings.Join(dirs, " "), "agents/bob claude agents/ada/memory/closed"; got != want {
			t.Errorf("blocked are %q, want %q", got, want)
		}
	})
}

package sync_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"memoir/internal/memories"
	"memoir/internal/waittest"
)

// codes returns the first problem of each memory that is not deleted, by path.
func (b *bench) codes(slug string) map[string]string {
	b.Helper()
	found := map[string]string{}
	for path, m := range b.everything(slug) {
		if found[path] = ""; len(m.Problems) > 0 {
			found[path] = m.Problems[0].Code
		}
	}
	return found
}

func TestOtherTextFiles_NeedAttention(t *testing.T) {
	t.Parallel()
	b := setup(t, withMemory)
	seen := map[string]string{
		"prefs.txt": "Always answer in French", "progress.xml": "<status>Refunds</status>", "notes.markdown": "# N", "page.mdx": "x", "facts.json": "{}",
		"noext": "some text", "sub/deep.txt": "x", "utf16.txt": "\xff\xfeh\x00i\x00", "gbk.txt": "\xc4\xe3\xba\xc3", "caf\xe9.txt": "x",
	}
	unseen := map[string]string{
		"pic.png": "text", "data.bin": "text", "raw": "a\x00b\x01", "empty.txt": "", "big.txt": strings.Repeat("x", 1<<20+1), ".hidden.txt": "x",
		".prefs.txt.swp": "x", "prefs.txt~": "x", "prefs.txt.swp": "x", ".memoir-tmp-x.txt": "x", "x.lock": "x", "LOCK": "x", "logs/day.txt": "x",
		"1/2/3/4/deep.txt": "x",
	}
	for name, text := range unseen {
		b.write("ada/memory/"+name, text)
	}
	for name, text := range seen {
		b.write("ada/memory/"+name, text)
	}
	waittest.For(b, "all of them", func() bool { return len(b.codes("ada")) >= len(seen) })
	for name := range seen {
		path, want := "memory/"+strings.ReplaceAll(name, "\xe9", `\xe9`), memories.CodeNotMarkdown
		if strings.Contains(name, "\xe9") {
			want = memories.CodeFileNameNotUTF8
		}
		if m := b.everything("ada")[path]; len(m.Problems) == 0 || m.Problems[0].Code != want || m.State != memories.NeedsAttention {
			t.Errorf("%q is %s with %v", path, m.State, m.Problems)
		}
	}
	b.scan("ada")
	if got := len(b.codes("ada")); got != len(seen) {
		t.Errorf("%d are listed, want %d: %v", got, len(seen), b.codes("ada"))
	}
	if s := b.statusOf("ada"); s.FilesOnDisk != len(seen) || s.Mirrored != len(seen) {
		t.Errorf("%d files on disk, %d mirrored", s.FilesOnDisk, s.Mirrored)
	}

	b.write("ada/memory/prefs.txt", "a\x00b") // data by now
	b.remove("ada/memory/noext")
	waittest.For(b, "that two are gone", func() bool { return len(b.codes("ada")) == len(seen)-2 })
	b.restart()
	if got := len(b.codes("ada")); got != len(seen)-2 {
		t.Errorf("after a restart %d are listed", got)
	}
}

func TestOtherTextFile_RenamedByFix(t *testing.T) {
	t.Parallel()
	b := setup(t, withMemory)
	b.write("ada/memory/prefs.txt", "---\nname: French\ntype: user\n---\nAlways answer in French\n")
	b.write("ada/memory/prefs.md", note("Taken", memories.User, "text"))
	waittest.For(b, "both", func() bool { return len(b.codes("ada")) == 2 })
	m := b.everything("ada")["memory/prefs.txt"]
	flawed, err := b.engine.ProposeFixes(t.Context(), "ada", m.ID)
	if err != nil || len(flawed) != 1 || len(flawed[0].Fixes) != 1 || flawed[0].Fixes[0].NewPath != "memory/prefs_2.md" {
		t.Fatalf("proposed are %+v, %v", flawed, err)
	}
	result, err := b.engine.Fix(t.Context(), "ada", m.ID, "", m.Path, flawed[0].Fixes[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	if r := result.Memory; r.Name != "French" || r.Path != "memory/prefs_2.md" || r.State != memories.Active {
		t.Errorf("it is %+v", r)
	}
	if b.read("ada/memory/prefs.txt") != "" || !strings.Contains(b.read("ada/CLAUDE.md"), "Always answer in French") || len(b.codes("ada")) != 2 {
		t.Errorf("listed are %v", b.codes("ada"))
	}
}

func TestOtherTextFiles_AreBounded(t *testing.T) {
	t.Parallel()
	b := setup(t, func(dir string) {
		withMemory(dir)
		o := &bench{T: t, dir: dir}
		for i := range 300 {
			o.write(fmt.Sprintf("ada/memory/many/%03d.txt", i), "text")
		}
		o.write("ada/memory/good.md", note("Good", memories.User, "text"))
	})
	const most = 200
	check := func() {
		t.Helper()
		codes := b.codes("ada")
		if _, hasFirst := codes["memory/many/000.txt"]; len(codes) != most+1 || !hasFirst {
			t.Errorf("%d are listed", len(codes))
		}
	}
	check()
	m := b.everything("ada")[fmt.Sprintf("memory/many/%03d.txt", most-1)]
	if len(m.Problems) == 0 || !strings.Contains(m.Problems[0].Message, "There may be more") {
		t.Errorf("the last one says %v", m.Problems)
	}
	b.scan("ada")
	check()
	b.restart()
	check()
	b.remove("ada/memory/many/000.txt")
	waittest.For(b, "that it is gone", func() bool { return b.codes("ada")["memory/many/000.txt"] == "" && len(b.codes("ada")) == most })
	b.scan("ada")
	if len(b.codes("ada")) != most+1 {
		t.Errorf("%d are listed after one is gone", len(b.codes("ada")))
	}
}

func TestWellKnownFiles_AreNoMemories(t *testing.T) {
	t.Parallel()
	b := setup(t, withMemory)
	for _, name := range []string{"CLAUDE.md", "README.md", "sub/AGENTS.md", "readme.MD"} {
		b.write("ada/memory/"+name, "# How to build\n\nRun make.\n")
	}
	b.write("ada/memory/sub/README.md", note("A memory", memories.User, "because it has a type"))
	waittest.For(b, "all of them", func() bool { return len(b.codes("ada")) == 5 })
	var listed []string
	for path, m := range b.everything("ada") {
		if m.Name == "A memory" {
			continue
		}
		listed = append(listed, path)
		if m.Readable || m.State != memories.NeedsAttention || m.Problems[0].Code != memories.CodeNotMemory {
			t.Errorf("%s is %s with %v", path, m.State, m.Problems)
		}
		flawed, err := b.engine.ProposeFixes(t.Context(), "ada", m.ID)
		if err != nil || len(flawed) != 1 || len(flawed[0].Fixes) > 0 {
			t.Errorf("%s: proposed are %+v, %v", path, flawed, err)
		}
	}
	slices.Sort(listed)
	if want := "memory/CLAUDE.md memory/README.md memory/readme.MD memory/sub/AGENTS.md"; strings.Join(listed, " ") != want {
		t.Errorf("listed are %q", listed)
	}
	if text := b.read("ada/CLAUDE.md"); strings.Contains(text, "Run make") || !strings.Contains(text, "because it has a type") {
		t.Errorf("CLAUDE.md says %s", text)
	}
	b.write("ada/memory/README.md", note("Now one", memories.User, "with a type"))
	waittest.For(b, "that it is a memory", func() bool { return b.hasNamed("ada", "Now one") && len(b.codes("ada")) == 5 })
}

package agents_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"memoir/internal/agents"
	"memoir/internal/files/filestest"
)

// walk walks the disk's directory as an agent of the layout.
func (d disk) walk(layout agents.Layout, visit func(relDir string), scope ...string) agents.Listing {
	d.t.Helper()
	root := d.open()
	if len(scope) == 0 {
		scope = []string{"."}
	}
	if visit == nil {
		visit = func(string) {}
	}
	return agents.Walk(root, agents.Agent{Slug: "ada", Layout: layout, Dir: d.dir}, scope, visit)
}

func (d disk) open() *os.Root {
	d.t.Helper()
	root, err := os.OpenRoot(d.dir)
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { root.Close() })
	return root
}

// wantsFiles checks what is listed: "path", "session: path", and "path ! code" for what is flagged.
func wantsFiles(t *testing.T, l agents.Listing, want ...string) {
	t.Helper()
	var got []string
	for _, entry := range l.Files {
		line := entry.Path
		if entry.Session != "" {
			line = entry.Session + ": " + line
		}
		if entry.Problem != nil {
			line += " ! " + entry.Problem.Code
		}
		got = append(got, line)
	}
	if !slices.Equal(got, want) {
		t.Errorf("listed\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

func TestMemoryFilesOfAHiveAgentAreThoseInItsMemoryDirectories(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.putAll("CLAUDE.md", "notes.md", "memory/a.md", "memory/B.MD", "memory/sub/c.Md", "memory/d.md/e.md", "memory/picture.png",
		"memory/MEMORY.md", "memory/sub/memory.MD", "memory/.hidden.md", "memory/.git/x.md", "memory/logs/today.md", "memory/sub/logs/x.md",
		"memory/logs.md", "logs/x.md", "sessions/stray.md", "sessions/u-c-1/memory/f.md", "sessions/u-c-1/notes.md",
		"sessions/u-c-1/memory/MEMORY.md", "sessions/.hidden/memory/x.md", "sessions/logs/memory/x.md", "memory/.memoir-tmp-x.md")
	d.mkdir("sessions/u-c-2")
	l := d.walk(agents.Hive, nil)
	wantsFiles(t, l, "memory/B.MD", "memory/a.md", "memory/d.md/e.md", "memory/logs.md", "memory/sub/c.Md", "u-c-1: sessions/u-c-1/memory/f.md")
	if want := []string{"memory/MEMORY.md", "memory/sub/memory.MD", "sessions/u-c-1/memory/MEMORY.md"}; !slices.Equal(l.Indexes, want) {
		t.Errorf("indexes %v, want %v", l.Indexes, want)
	}
	if l.Sessions != 2 || !l.DurableThere || len(l.Failed) > 0 {
		t.Errorf("%d sessions, durable directory there %v, failed %v", l.Sessions, l.DurableThere, l.Failed)
	}
}

func TestMemoryFilesOfTheOtherLayoutsAreThoseInTheDirectoryItself(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.putAll("a.md", "memory/b.md", "sessions/u-c-1/memory/c.md", "logs/x.md", "MEMORY.md")
	for _, layout := range []agents.Layout{agents.Claude, agents.Directory} {
		l := d.walk(layout, nil)
		wantsFiles(t, l, "a.md", "memory/b.md", "sessions/u-c-1/memory/c.md")
		if !slices.Equal(l.Indexes, []string{"MEMORY.md"}) || !l.DurableThere {
			t.Errorf("indexes %v, durable directory there %v", l.Indexes, l.DurableThere)
		}
	}
}

func TestFilesAreCountedFourLevelsDeepAndFlaggedBelow(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.putAll("memory/1/2/3/ok.md", "memory/1/2/3/4/deep.md", "memory/1/2/3/4/MEMORY.md", "memory/1/2/3/4/5/6/7/8/9/10/buried.md",
		"sessions/s/memory/1/2/3/ok.md", "sessions/s/memory/1/2/3/4/deep.md")
	l := d.walk(agents.Hive, nil)
	wantsFiles(t, l, "memory/1/2/3/4/5/6/7/8 ! too_deep", "memory/1/2/3/4/deep.md ! too_deep", "memory/1/2/3/ok.md",
		"s: sessions/s/memory/1/2/3/4/deep.md ! too_deep", "s: sessions/s/memory/1/2/3/ok.md")
	if l.Covers("memory/1/2/3/4/5/6/7/8/9/10/buried.md") || !l.Covers("memory/1/2/3/4/gone.md") {
		t.Error("what is too deep to be looked at counts as covered, or what is not does not")
	}
}

func TestWhatIsNoRegularFileIsFlagged(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.mkdir("memory")
	if err := syscall.Mkfifo(d.at("memory/pipe.md"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(d.at("memory/MEMORY.md"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(d.at("memory/pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	wantsFiles(t, d.walk(agents.Hive, nil), "memory/MEMORY.md ! not_regular_file", "memory/pipe.md ! not_regular_file")
}

func TestLinksToFiles(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		target string
		want   []string // besides memory/real.md
	}{
		"to a memory file are passed over":                  {"real.md", nil},
		"to a session's memory file are passed over":        {"../sessions/s/memory/s.md", nil},
		"by an absolute path inside are passed over":        {"{dir}/memory/real.md", nil},
		"to an index are passed over":                       {"MEMORY.md", nil},
		"to another file inside are read":                   {"../notes/n.md", []string{"memory/link.md"}},
		"to a file that is no Markdown are read":            {"../notes/plain.txt", []string{"memory/link.md"}},
		"to a hidden file are read":                         {".hidden.md", []string{"memory/link.md"}},
		"to another file by an absolute path are read":      {"{dir}/notes/n.md", []string{"memory/link.md"}},
		"out of the agent's directory are flagged":          {"../../outside.md", []string{"memory/link.md ! link_leaves"}},
		"out of the directory by absolute path are flagged": {"/etc/passwd", []string{"memory/link.md ! link_leaves"}},
		"to nothing are flagged":                            {"nothing.md", []string{"memory/link.md ! link_broken"}},
		"to themselves are flagged":                         {"link.md", []string{"memory/link.md ! link_broken"}},
		"by way of a file are flagged":                      {"real.md/x.md", []string{"memory/link.md ! link_broken"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := setup(t)
			d.putAll("memory/real.md", "memory/MEMORY.md", "memory/.hidden.md", "notes/n.md", "notes/plain.txt", "sessions/s/memory/s.md")
			d.link(strings.ReplaceAll(c.target, "{dir}", d.dir), "memory/link.md")
			l := d.walk(agents.Hive, nil)
			want := append(c.want, "memory/real.md", "s: sessions/s/memory/s.md")
			wantsFiles(t, l, want...)
			if !slices.Equal(l.Indexes, []string{"memory/MEMORY.md"}) {
				t.Errorf("indexes %v", l.Indexes)
			}
			for _, entry := range l.Files {
				if entry.Problem != nil {
					continue
				}
				if data, err := agents.ReadFile(d.open(), entry.Path, 1000); err != nil || int64(len(data)) != entry.Size {
					t.Errorf("reading %s gives %d bytes (error %v), %d are listed", entry.Path, len(data), err, entry.Size)
				}
			}
		})
	}
}

func TestLinksToDirectories(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		at, target string
		want       []string // besides memory/a.md and the session's s.md
	}{
		"to another directory inside are followed": {"memory/link", "../notes", []string{"memory/link/n.md"}},
		"named like a file are followed":           {"memory/link.md", "../notes", []string{"memory/link.md/n.md"}},
		"to a walked directory are passed over":    {"memory/link", "../sessions/s/memory", nil},
		"to the agent itself are passed over":      {"memory/link", "..", nil},
		"to all sessions are passed over":          {"memory/link", "../sessions", nil},
		"to a session are passed over":             {"sessions/latest", "s", nil},
		"to where they are are passed over":        {"memory/link", ".", nil},
		"of a session to the durable directory":    {"sessions/t/memory", "../../memory", nil},
		"of a session to another directory inside": {"sessions/t/memory", "../../notes", []string{"t: sessions/t/memory/n.md"}},
		"to a session kept elsewhere":              {"sessions/t", "../archive/t", []string{"t: sessions/t/memory/t.md"}},
		"that leave are flagged":                   {"memory/link", "../../elsewhere", []string{"memory/link ! link_leaves"}},
		"of a session that leave are flagged":      {"sessions/t", "/etc", []string{"t: sessions/t ! link_leaves"}},
		"of a session's memory, leaving":           {"sessions/t/memory", "/etc", []string{"t: sessions/t/memory ! link_leaves"}},
		"to nothing are flagged":                   {"memory/link", "nothing", []string{"memory/link ! link_broken"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := setup(t)
			d.putAll("memory/a.md", "notes/n.md", "archive/t/memory/t.md", "sessions/s/memory/s.md")
			d.link(c.target, c.at)
			l := d.walk(agents.Hive, nil)
			want := append(c.want, "memory/a.md", "s: sessions/s/memory/s.md")
			slices.SortFunc(want, func(a, b string) int { return strings.Compare(pathOf(a), pathOf(b)) })
			wantsFiles(t, l, want...)
			flagged := len(c.want) > 0 && strings.Contains(c.want[0], "!")
			if l.Covers(c.at+"/was-there.md") == flagged {
				t.Errorf("beneath the link is covered: %v", !flagged)
			}
		})
	}
}

func pathOf(line string) string {
	if _, after, found := strings.Cut(line, ": "); found {
		return after
	}
	return line
}

func TestLinkedDirectoriesThatLeadToEachOtherEnd(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.putAll("notes/n.md", "more/m.md")
	d.link("../more", "notes/more")
	d.link("../notes", "more/notes")
	d.link(".", "notes/self")
	d.link("../notes", "memory/notes")
	wantsFiles(t, d.walk(agents.Hive, nil), "memory/notes/more ! link_nested", "memory/notes/n.md")
}

func TestADurableDirectoryThatIsALink(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.putAll("data/a.md")
	d.link("data", "memory")
	l := d.walk(agents.Hive, nil)
	wantsFiles(t, l, "memory/a.md")
	if !l.DurableThere || !l.Covers("memory/gone.md") {
		t.Error("a durable directory reached by a link inside does not count as there")
	}

	leaving := setup(t)
	leaving.mkdir("sessions")
	leaving.link("/etc", "memory")
	l = leaving.walk(agents.Hive, nil)
	wantsFiles(t, l, "memory ! link_leaves")
	if l.DurableThere || l.Covers("memory/gone.md") || l.Covers("memory") {
		t.Error("a durable directory that is a link out counts as there")
	}
}

func TestNamesThatAreNotUTF8AreFlaggedUnderAPrintablePath(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.putAll("memory/a\xff.md", "memory/b\xff.md", `memory/b\xff.md`, "memory/c\xfe/x.md", "sessions/s\xfe/memory/y.md", "memory/\xff.png", "memory/日本.md")
	wantsFiles(t, d.walk(agents.Hive, nil), `memory/a\xff.md ! name_not_utf8`, `memory/b\xff.md`, `memory/c\xfe ! name_not_utf8`,
		"memory/日本.md", `s\xfe: sessions/s\xfe ! name_not_utf8`)
}

func TestNothingIsConcludedFromWhatCouldNotBeRead(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.putAll("memory/a.md", "memory/closed/b.md", "memory/listed/c.md", "sessions/s/memory/d.md")
	for dir, mode := range map[string]os.FileMode{"memory/closed": 0, "memory/listed": 0o444, "sessions/s": 0} {
		if err := os.Chmod(d.at(dir), mode); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.Chmod(d.at(dir), 0o755) })
	}
	d.openToNobody()
	filestest.AsNobody(t, func() {
		l := d.walk(agents.Hive, nil)
		wantsFiles(t, l, "memory/a.md")
		if want := []string{"memory/closed", "memory/listed", "sessions/s/memory"}; !slices.Equal(l.Failed, want) {
			t.Errorf("failed %v, want %v", l.Failed, want)
		}
		gone := l.Gone(d.open(), []string{"memory/a.md", "memory/gone.md", "memory/closed/b.md", "memory/listed/c.md", "sessions/s/memory/d.md"})
		if !slices.Equal(gone, []string{"memory/gone.md"}) || !l.DurableThere {
			t.Errorf("gone are %v, durable directory there %v", gone, l.DurableThere)
		}
	})
}

func TestNothingIsConcludedWithoutTheDurableDirectory(t *testing.T) {
	t.Parallel()
	known := []string{"memory/a.md", "sessions/s/memory/b.md", "sessions/gone/memory/c.md"}
	for name, c := range map[string]struct {
		build func(d disk)
		gone  []string
	}{
		"gone":           {func(d disk) { d.putAll("sessions/s/memory/b.md") }, []string{"sessions/gone/memory/c.md"}},
		"a file":         {func(d disk) { d.putAll("memory", "sessions/s/memory/b.md") }, []string{"sessions/gone/memory/c.md"}},
		"sessions gone":  {func(d disk) { d.putAll("memory/x.md") }, []string{"memory/a.md"}},
		"all of it gone": {func(disk) {}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := setup(t)
			c.build(d)
			l := d.walk(agents.Hive, nil)
			if gone := l.Gone(d.open(), known); !slices.Equal(gone, c.gone) {
				t.Errorf("gone are %v, want %v", gone, c.gone)
			}
			if want := name == "sessions gone"; l.DurableThere != want {
				t.Errorf("durable directory there: %v, want %v", l.DurableThere, want)
			}
		})
	}
}

func TestADirectoryThatIsReplacedDuringTheWalkTellsNothing(t *testing.T) {
	t.Parallel()
	for name, replace := range map[string]func(d disk) error{
		"removed": func(d disk) error { return os.RemoveAll(d.dir) },
		"moved":   func(d disk) error { return os.Rename(d.dir, d.dir+"-old") },
		"replaced": func(d disk) error {
			if err := os.RemoveAll(d.dir); err != nil {
				return err
			}
			return os.MkdirAll(d.at("memory"), 0o755)
		},
	} {
		for _, layout := range []agents.Layout{agents.Hive, agents.Claude} {
			t.Run(fmt.Sprint(name, " ", layout), func(t *testing.T) {
				t.Parallel()
				d := disk{t: t, dir: filepath.Join(t.TempDir(), "ada")}
				d.putAll("memory/a.md")
				l := d.walk(layout, func(relDir string) {
					if relDir != "." {
						return
					}
					if err := replace(d); err != nil {
						t.Error(err)
					}
				})
				if l.DurableThere || l.Covers("memory/a.md") {
					t.Error("the walk concludes from a directory that is no longer in its place")
				}
			})
		}
	}
}

func TestTheScopeLimitsWhatIsLookedAtAndConcluded(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.putAll("memory/a.md", "memory/b.md", "memory/sub/c.md", "memory/MEMORY.md", "memory/logs/l.md", "sessions/s/memory/d.md", "sessions/t/memory/e.md", "CLAUDE.md")
	d.link("sub", "memory/linked")
	known := []string{"memory/gone.md", "memory/sub/gone.md", "memory/gone/g.md", "sessions/s/memory/gone.md", "sessions/gone/memory/g.md"}
	for _, c := range []struct {
		scope, files, gone string
		sessions           int
	}{
		{"memory/a.md", "memory/a.md", "", -1},
		{"memory/gone.md", "", "memory/gone.md", -1},
		{"memory/gone", "", "memory/gone/g.md", -1},
		{"memory/gone/g.md", "", "memory/gone/g.md", -1},
		{"memory/sub", "memory/sub/c.md", "memory/sub/gone.md", -1},
		{"memory/sub memory/sub/c.md", "memory/sub/c.md", "memory/sub/gone.md", -1},
		{"memory/linked/c.md", "", "", -1},
		{"memory/logs/l.md memory/.hidden", "", "", -1},
		{"memory/b.md memory/sub/c.md", "memory/b.md memory/sub/c.md", "", -1},
		{"sessions/s", "s: sessions/s/memory/d.md", "sessions/s/memory/gone.md", -1},
		{"sessions/s/memory/d.md", "s: sessions/s/memory/d.md", "", -1},
		{"sessions/gone", "", "sessions/gone/memory/g.md", -1},
		{"sessions", "s: sessions/s/memory/d.md,t: sessions/t/memory/e.md", "sessions/s/memory/gone.md sessions/gone/memory/g.md", 2},
		{"CLAUDE.md", "", "", -1},
		{"../ada /etc", "", "", -1},
		{"memory/../memory/a.md", "memory/a.md", "", -1},
	} {
		t.Run(strings.ReplaceAll(c.scope, "/", ":"), func(t *testing.T) {
			l := d.walk(agents.Hive, nil, strings.Fields(c.scope)...)
			want := strings.Split(c.files, ",")
			if !strings.Contains(c.files, ",") && !strings.Contains(c.files, ": ") {
				want = strings.Fields(c.files)
			}
			wantsFiles(t, l, want...)
			if gone := l.Gone(d.open(), known); !slices.Equal(gone, strings.Fields(c.gone)) {
				t.Errorf("gone are %v, want %v", gone, c.gone)
			}
			if l.Sessions != c.sessions || !l.DurableThere {
				t.Errorf("%d sessions, want %d; durable directory there %v", l.Sessions, c.sessions, l.DurableThere)
			}
		})
	}
}

func TestAFileThatAppearsDuringTheLookIsNotGone(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.putAll("memory/a.md")
	l := d.walk(agents.Hive, nil)
	d.putAll("memory/late.md")
	d.mkdir("memory/now-a-directory.md")
	d.link("a.md", "memory/now-a-link.md")
	gone := l.Gone(d.open(), []string{"memory/late.md", "memory/now-a-directory.md", "memory/now-a-link.md"})
	if want := []string{"memory/now-a-directory.md", "memory/now-a-link.md"}; !slices.Equal(gone, want) {
		t.Errorf("gone are %v, want %v", gone, want)
	}
}

func TestEachDirectoryIsVisitedBeforeItIsLookedInto(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.mkdir("memory/sub", "sessions/s")
	var visited []string
	l := d.walk(agents.Hive, func(relDir string) {
		visited = append(visited, relDir)
		// A watch put on the directory now would not tell of what is made before it is listed.
		switch relDir {
		case "memory", "memory/sub":
			d.putAll(relDir + "/new.md")
		case "sessions":
			d.mkdir("sessions/new")
		case "sessions/s", "sessions/new":
			d.mkdir(relDir + "/memory")
		case "sessions/s/memory", "sessions/new/memory":
			d.putAll(relDir + "/new.md")
		}
	})
	wantsFiles(t, l, "memory/new.md", "memory/sub/new.md", "new: sessions/new/memory/new.md", "s: sessions/s/memory/new.md")
	slices.Sort(visited)
	if want := []string{".", "memory", "memory/sub", "sessions", "sessions/new", "sessions/new/memory", "sessions/s", "sessions/s/memory"}; !slices.Equal(visited, want) {
		t.Errorf("visited %v, want %v", visited, want)
	}
}

func TestAnEntryTellsOneContentFromAnother(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.put("memory/a.md", "1234567")
	before := d.walk(agents.Hive, nil).Files[0]
	info, err := os.Stat(d.at("memory/a.md"))
	if err != nil || before.Size != 7 || !before.ModTime.Equal(info.ModTime()) || before.Inode == 0 || before.Device == 0 || before.ChangeTime.IsZero() {
		t.Errorf("%+v (error %v)", before, err)
	}
	d.put("agent.tmp", "7654321")
	if err := os.Chtimes(d.at("agent.tmp"), info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(d.at("agent.tmp"), d.at("memory/a.md")); err != nil {
		t.Fatal(err)
	}
	if after := d.walk(agents.Hive, nil).Files[0]; after.Inode == before.Inode {
		t.Error("a file saved by renaming, with the old size and time, cannot be told from the old one")
	}
}

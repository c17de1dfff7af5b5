package agents_test

import (
	"math"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"memoir/internal/agents"
)

// walk walks the disk as an agent of the given layout.
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

// wantsFiles compares the listed files, as "path", "session: path" or "path ! problem code".
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

func TestWalk_Hive(t *testing.T) {
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
	if l.Sessions != 2 || !l.HasPrimary || len(l.Failed) > 0 {
		t.Errorf("%d sessions, primary directory there %v, failed %v", l.Sessions, l.HasPrimary, l.Failed)
	}
}

func TestWalk_OtherLayouts(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.putAll("a.md", "memory/b.md", "sessions/u-c-1/memory/c.md", "logs/x.md", "MEMORY.md")
	for _, layout := range []agents.Layout{agents.Claude, agents.Directory} {
		l := d.walk(layout, nil)
		wantsFiles(t, l, "a.md", "memory/b.md", "sessions/u-c-1/memory/c.md")
		if !slices.Equal(l.Indexes, []string{"MEMORY.md"}) || !l.HasPrimary {
			t.Errorf("indexes %v, primary directory there %v", l.Indexes, l.HasPrimary)
		}
	}
}

func TestWalk_TooDeep(t *testing.T) {
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

func TestWalk_NotRegular(t *testing.T) {
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
	wantsFiles(t, d.walk(agents.Hive, nil), "memory/MEMORY.md ! not_regular", "memory/pipe.md ! not_regular")
}

func TestWalk_InvalidNames(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.putAll("memory/a\xff.md", "memory/b\xff.md", `memory/b\xff.md`, "memory/c\xfe/x.md", "sessions/s\xfe/memory/y.md", "memory/\xff.png", "memory/日本.md")
	wantsFiles(t, d.walk(agents.Hive, nil), `memory/a\xff.md ! file_name_not_utf8`, `memory/b\xff.md`, `memory/c\xfe ! file_name_not_utf8`,
		"memory/日本.md", `s\xfe: sessions/s\xfe ! file_name_not_utf8`)
}

func TestWalk_VisitsFirst(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.mkdir("memory/sub", "sessions/s")
	var visited []string
	l := d.walk(agents.Hive, func(relDir string) {
		visited = append(visited, relDir)
		// A watch added now would miss what is created before the directory is listed.
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

func TestWalk_ChangedEntry(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.put("memory/a.md", "1234567")
	before := d.walk(agents.Hive, nil).Files[0]
	info, err := os.Stat(d.at("memory/a.md"))
	if err != nil || before.Size != 7 || before.ModTime != info.ModTime().UnixNano() || before.Inode == 0 || before.ChangeTime == 0 {
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

func TestWalk_ExtremeTimes(t *testing.T) {
	t.Parallel()
	d := setup(t)
	for name, year := range map[string]int{"past.md": 1600, "future.md": 2300, "far.md": 10_000, "now.md": 2026} {
		d.put("memory/"+name, "text")
		at := unix.Timespec{Sec: time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC).Unix()}
		if err := unix.UtimesNanoAt(unix.AT_FDCWD, d.at("memory/"+name), []unix.Timespec{at, at}, 0); err != nil {
			t.Fatal(err)
		}
	}
	for _, entry := range d.walk(agents.Hive, nil).Files {
		info, err := os.Stat(d.at(entry.Path))
		if err != nil {
			t.Fatal(err)
		}
		want := time.Unix(0, math.MaxInt64) // file systems may support a smaller range of times
		switch year := info.ModTime().UTC().Year(); {
		case year < 1677:
			want = time.Unix(0, math.MinInt64)
		case year < 2263:
			want = info.ModTime()
		}
		if got := time.Unix(0, entry.ModTime); !got.Equal(want) {
			t.Errorf("%s is of %v, and listed with %v, want %v", entry.Path, info.ModTime(), got, want)
		}
	}
}

func TestWalk_ParentsOfScope(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.putAll("memory/file.md", "memory/plain", "memory/1/2/3/4/5/6/7/8/deep.md")
	d.link("loop", "memory/loop")
	l := d.walk(agents.Hive, nil, "memory/file.md/a.md", "memory/plain/a.md", "memory/loop/a.md", "memory/1/2/3/4/5/6/7/8/9/a.md")
	wantsFiles(t, l)
	for path, gone := range map[string]bool{"memory/file.md/a.md": true, "memory/plain/a.md": true, "memory/loop/a.md": false, "memory/1/2/3/4/5/6/7/8/9/a.md": false} {
		if l.Covers(path) != gone {
			t.Errorf("it covers %s: %v", path, !gone)
		}
	}
}

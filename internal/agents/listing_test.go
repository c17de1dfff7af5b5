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

func TestGone_Unreadable(t *testing.T) {
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
		wantsFiles(t, l, "memory/a.md", "memory/closed ! unreadable", "memory/listed ! unreadable", "s: sessions/s/memory ! unreadable")
		if want := []string{"memory/closed", "memory/listed", "sessions/s/memory"}; !slices.Equal(l.Failed, want) {
			t.Errorf("failed %v, want %v", l.Failed, want)
		}
		gone := d.gone(l, []string{"memory/a.md", "memory/gone.md", "memory/closed/b.md", "memory/listed/c.md", "sessions/s/memory/d.md"})
		if !slices.Equal(gone, []string{"memory/gone.md"}) || !l.HasPrimary {
			t.Errorf("gone are %v, primary directory there %v", gone, l.HasPrimary)
		}
	})
}

func TestGone_MissingDirectory(t *testing.T) {
	t.Parallel()
	known := []string{"memory/a.md", "sessions/s/memory/b.md", "sessions/gone/memory/c.md"}
	for name, c := range map[string]struct {
		build func(d disk)
		gone  []string
	}{
		"gone":            {func(d disk) { d.putAll("sessions/s/memory/b.md") }, []string{"sessions/gone/memory/c.md"}},
		"a file":          {func(d disk) { d.putAll("memory", "sessions/s/memory/b.md") }, []string{"sessions/gone/memory/c.md"}},
		"sessions gone":   {func(d disk) { d.putAll("memory/x.md") }, known},
		"sessions a file": {func(d disk) { d.putAll("memory/x.md", "sessions") }, []string{"memory/a.md"}},
		"sessions a link that leads nowhere": {func(d disk) {
			d.putAll("memory/x.md")
			d.link("nowhere", "sessions")
		}, []string{"memory/a.md"}},
		"all of it gone": {func(disk) {}, known[1:]},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := setup(t)
			c.build(d)
			l := d.walk(agents.Hive, nil)
			if gone := d.gone(l, known); !slices.Equal(gone, c.gone) {
				t.Errorf("gone are %v, want %v", gone, c.gone)
			}
			if want := strings.HasPrefix(name, "sessions"); l.HasPrimary != want {
				t.Errorf("primary directory there: %v, want %v", l.HasPrimary, want)
			}
		})
	}
}

func TestGone_ReplacedRoot(t *testing.T) {
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
				d.putAll("memory/a.md", "sessions/s/memory/b.md")
				l := d.walk(layout, func(relDir string) {
					if relDir != "." {
						return
					}
					if err := replace(d); err != nil {
						t.Error(err)
					}
				})
				if l.HasPrimary || l.Covers("memory/a.md") || l.Covers("sessions/s/memory/b.md") {
					t.Error("the walk concludes from a directory that is no longer in its place")
				}
			})
		}
	}
}

func TestGone_Scope(t *testing.T) {
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
			if gone := d.gone(l, known); !slices.Equal(gone, strings.Fields(c.gone)) {
				t.Errorf("gone are %v, want %v", gone, c.gone)
			}
			if l.Sessions != c.sessions || !l.HasPrimary {
				t.Errorf("%d sessions, want %d; primary directory there %v", l.Sessions, c.sessions, l.HasPrimary)
			}
		})
	}
}

func TestGone_NewFile(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.putAll("memory/a.md")
	l := d.walk(agents.Hive, nil)
	d.putAll("memory/late.md")
	d.mkdir("memory/now-a-directory.md")
	d.link("a.md", "memory/now-a-link.md")
	gone := d.gone(l, []string{"memory/late.md", "memory/now-a-directory.md", "memory/now-a-link.md"})
	if want := []string{"memory/now-a-directory.md", "memory/now-a-link.md"}; !slices.Equal(gone, want) {
		t.Errorf("gone are %v, want %v", gone, want)
	}
}

func TestGone_SkippedLink(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.putAll("memory/a.md", "sessions/s/memory/s.md")
	d.link("../../memory", "sessions/t/memory")
	l := d.walk(agents.Hive, nil)
	known := []string{"memory/a.md", "sessions/t/memory/a.md"}
	if gone := d.gone(l, known); !slices.Equal(gone, known[1:]) {
		t.Errorf("gone are %v, want %v", gone, known[1:])
	}
	if err := os.Remove(d.at("sessions/t/memory")); err != nil {
		t.Fatal(err)
	}
	d.putAll("sessions/t/memory/a.md") // created after the walk
	if gone := d.gone(l, known); len(gone) > 0 {
		t.Errorf("gone are %v, which are there", gone)
	}
}

func TestGone_PrimaryRemoved(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(d disk){
		"removed": func(d disk) {
			if err := os.RemoveAll(d.at("memory")); err != nil {
				d.t.Error(err)
			}
		},
		"replaced": func(d disk) {
			// The new file is created before the old one is removed, so that it gets another inode.
			d.mkdir("fresh")
			if err := os.Rename(d.at("memory"), d.at("old")); err != nil {
				d.t.Error(err)
			}
			if err := os.Rename(d.at("fresh"), d.at("memory")); err != nil {
				d.t.Error(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := setup(t)
			d.putAll("memory/a.md", "memory/sub/b.md", "sessions/s/memory/c.md")
			l := d.walk(agents.Hive, func(relDir string) {
				if relDir == "sessions" {
					change(d)
				}
			})
			if l.HasPrimary || l.Covers("memory/sub/b.md") || !l.Covers("sessions/s/memory/gone.md") {
				t.Errorf("primary directory there %v, covered %v", l.HasPrimary, l.Covers("memory/sub/b.md"))
			}
		})
	}
}

func TestWalk_DirectoryBecomesPipe(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.putAll("memory/a.md", "memory/sub/b.md")
	l := d.walk(agents.Hive, func(relDir string) {
		if relDir != "memory/sub" {
			return
		}
		if err := os.RemoveAll(d.at("memory/sub")); err != nil {
			t.Error(err)
		}
		if err := syscall.Mkfifo(d.at("memory/sub"), 0o644); err != nil {
			t.Error(err)
		}
	})
	if !slices.Equal(l.Failed, []string{"memory/sub"}) || l.Covers("memory/sub/b.md") {
		t.Errorf("failed %v, covered %v", l.Failed, l.Covers("memory/sub/b.md"))
	}
}

// gone returns the paths among known that the listing reports as gone.
func (d disk) gone(l agents.Listing, known []string) []string {
	d.t.Helper()
	gone, err := l.Gone(d.open(), known)
	if err != nil {
		d.t.Fatal(err)
	}
	return gone
}

// File systems that ignore letter case find a renamed file also by its former name. A link
// simulates this.
func TestGone_OtherSpelling(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.putAll("memory/tabs.md", "memory/caf\u00e9.md", "memory/other.md")
	l := d.walk(agents.Hive, nil)
	for listed, before := range map[string]string{"tabs.md": "Tabs.md", "caf\u00e9.md": "cafe\u0301.md", "other.md": "another.md"} {
		if err := os.Link(d.at("memory/"+listed), d.at("memory/"+before)); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"memory/Tabs.md", "memory/cafe\u0301.md"}
	if gone := d.gone(l, []string{"memory/Tabs.md", "memory/another.md", "memory/cafe\u0301.md", "memory/tabs.md"}); !slices.Equal(gone, want) {
		t.Errorf("gone are %q, want %q", gone, want)
	}
}

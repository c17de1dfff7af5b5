package files_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"memoir/internal/files"
	"memoir/internal/files/filestest"
)

func TestWrite_NoLeftovers(t *testing.T) {
	t.Parallel()
	p := setup(t)
	for _, content := range []string{"first", "second, and longer", ""} {
		if err := files.Write(p.root, "a.md", []byte(content), files.Options{}); err != nil {
			t.Fatal(err)
		}
		p.wants("a.md", content)
	}
	p.wantsNoLeftovers()
}

func TestWrite_Atomic(t *testing.T) {
	t.Parallel()
	p := setup(t)
	contents := []string{strings.Repeat("a", 200_000), strings.Repeat("b", 100_000)}
	p.put("a.md", contents[0])

	var writer sync.WaitGroup
	done := make(chan struct{})
	writer.Go(func() {
		defer close(done)
		for i := range 50 {
			if err := files.Write(p.root, "a.md", []byte(contents[i%2]), files.Options{}); err != nil {
				t.Error(err)
			}
		}
	})
	for reading := true; reading; {
		select {
		case <-done:
			reading = false
		default:
		}
		got, err := os.ReadFile(p.at("a.md"))
		if err != nil || string(got) != contents[0] && string(got) != contents[1] {
			t.Fatalf("read %d bytes (error %v) that nobody wrote", len(got), err)
		}
	}
	writer.Wait()
}

func TestWrite_KeepsAttributes(t *testing.T) {
	t.Parallel()
	p := setup(t)
	p.put("a.md", "old")
	if err := os.Chmod(p.at("a.md"), 0o640); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() == 0 {
		if err := os.Chown(p.at("a.md"), 1234, 2345); err != nil {
			t.Fatal(err)
		}
	}
	before := stat(t, p.at("a.md"))
	if err := files.Write(p.root, "a.md", []byte("new"), files.Options{}); err != nil {
		t.Fatal(err)
	}
	after := stat(t, p.at("a.md"))
	if after.Uid != before.Uid || after.Gid != before.Gid || after.Mode != before.Mode {
		t.Errorf("owner %d:%d mode %o, want %d:%d %o", after.Uid, after.Gid, after.Mode, before.Uid, before.Gid, before.Mode)
	}
	if after.Ino == before.Ino {
		t.Error("the file was written in place")
	}
}

func TestWrite_NewFileOwner(t *testing.T) {
	t.Parallel()
	p := setup(t)
	if os.Getuid() == 0 {
		if err := os.Chown(p.dir, 1234, 2345); err != nil {
			t.Fatal(err)
		}
	}
	want := stat(t, p.dir)
	if err := files.Write(p.root, "memory/deep/a.md", []byte("new"), files.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, made := range []string{"memory", "memory/deep", "memory/deep/a.md"} {
		got := stat(t, p.at(made))
		if got.Uid != want.Uid || got.Gid != want.Gid {
			t.Errorf("%s belongs to %d:%d, want %d:%d", made, got.Uid, got.Gid, want.Uid, want.Gid)
		}
	}
}

func TestWrite_NewFileMode(t *testing.T) {
	t.Parallel()
	for directory, want := range map[fs.FileMode]fs.FileMode{0o755: 0o644, 0o775: 0o644, 0o750: 0o640, 0o700: 0o600, 0o711: 0o600} {
		p := setup(t)
		if err := os.Chmod(p.dir, directory); err != nil {
			t.Fatal(err)
		}
		if err := files.Write(p.root, "a.md", []byte("new"), files.Options{}); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(p.at("a.md"))
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != want {
			t.Errorf("in a directory of mode %o: mode %o, want %o", directory, info.Mode().Perm(), want)
		}
	}
}

func TestWrite_OtherOwner(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		return // only root can change a file's owner
	}
	p := setup(t)
	p.put("a.md", "old")
	if err := os.Chmod(p.dir, 0o777); err != nil {
		t.Fatal(err)
	}
	filestest.AsNobody(t, func() {
		if err := files.Write(p.root, "a.md", []byte("new"), files.Options{}); !errors.Is(err, files.ErrOwner) {
			t.Errorf("error %v, want ErrOwner", err)
		}
	})
	p.wants("a.md", "old")
	p.wantsNoLeftovers()
}

func TestWrite_ModTime(t *testing.T) {
	t.Parallel()
	p := setup(t)
	want := time.Date(2020, 2, 3, 4, 5, 6, 0, time.UTC)
	if err := files.Write(p.root, "a.md", []byte("new"), files.Options{ModTime: want}); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(p.at("a.md"))
	if err != nil || !info.ModTime().Equal(want) {
		t.Errorf("modified %v (error %v), want %v", info.ModTime(), err, want)
	}
}

func TestWrite_LinkInside(t *testing.T) {
	t.Parallel()
	for name, target := range map[string]func(p dirHandle) string{
		"relative":         func(dirHandle) string { return "docs/real.md" },
		"absolute":         func(p dirHandle) string { return p.at("docs/real.md") },
		"by another link":  func(dirHandle) string { return "hop.md" },
		"up and down":      func(dirHandle) string { return "docs/../docs/real.md" },
		"by way of itself": func(p dirHandle) string { return "../" + filepath.Base(p.dir) + "/docs/real.md" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := setup(t)
			p.put("docs/real.md", "old")
			p.link("docs/real.md", "hop.md")
			p.link(target(p), "a.md")
			err := files.Write(p.root, "a.md", []byte("new"), files.Options{})
			if name == "by way of itself" {
				if !errors.Is(err, files.ErrLeaves) {
					t.Errorf("error %v, want ErrLeaves: the way leads out and in again", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			p.wants("docs/real.md", "new")
			if info, err := os.Lstat(p.at("a.md")); err != nil || info.Mode().Type() != fs.ModeSymlink {
				t.Errorf("the link was replaced (error %v)", err)
			}
			p.wantsNoLeftovers()
		})
	}
}

func TestWrite_LinkLeaves(t *testing.T) {
	t.Parallel()
	p := setup(t)
	secret := filepath.Join(p.outside, "secret")
	if err := os.WriteFile(secret, []byte("theirs"), 0o644); err != nil {
		t.Fatal(err)
	}
	p.link(secret, "absolute.md")
	p.link("../outside/secret", "relative.md")
	p.link("../outside", "directory")
	for _, path := range []string{"absolute.md", "relative.md", "directory/secret", "directory/new", "../outside/secret"} {
		if err := files.Write(p.root, path, []byte("mine"), files.Options{}); !errors.Is(err, files.ErrLeaves) {
			t.Errorf("%s: error %v, want ErrLeaves", path, err)
		}
		if _, err := files.ReadHash(p.root, path); !errors.Is(err, files.ErrLeaves) {
			t.Errorf("reading %s: error %v, want ErrLeaves", path, err)
		}
	}
	if got, err := os.ReadFile(secret); err != nil || string(got) != "theirs" {
		t.Errorf("what is outside holds %q (error %v)", got, err)
	}
	entries, err := os.ReadDir(p.outside)
	if err != nil || len(entries) != 1 {
		t.Errorf("outside are %v (error %v), want the one file", entries, err)
	}
}

func TestWrite_LinkLoop(t *testing.T) {
	t.Parallel()
	p := setup(t)
	p.link("b.md", "a.md")
	p.link("a.md", "b.md")
	if err := files.Write(p.root, "a.md", []byte("new"), files.Options{}); !errors.Is(err, files.ErrLoop) {
		t.Errorf("error %v, want ErrLoop", err)
	}
}

func TestWrite_NotRegular(t *testing.T) {
	t.Parallel()
	p := setup(t)
	if err := syscall.Mkfifo(p.at("pipe.md"), 0o644); err != nil {
		t.Fatal(err)
	}
	p.put("directory.md/a.md", "kept")
	for _, path := range []string{"pipe.md", "directory.md"} {
		if err := files.Write(p.root, path, []byte("new"), files.Options{}); !errors.Is(err, files.ErrNotRegular) {
			t.Errorf("writing %s: error %v, want ErrNotRegular", path, err)
		}
		if _, err := files.ReadHash(p.root, path); !errors.Is(err, files.ErrNotRegular) {
			t.Errorf("reading %s: error %v, want ErrNotRegular", path, err)
		}
		if err := files.NewGuard().RemoveIf(p.root, path, hashOf("")); !errors.Is(err, files.ErrNotRegular) {
			t.Errorf("removing %s: error %v, want ErrNotRegular", path, err)
		}
	}
	p.wants("directory.md/a.md", "kept")
	p.wantsNoLeftovers()
}

func TestWrite_IfHash(t *testing.T) {
	t.Parallel()
	p := setup(t)
	p.put("a.md", "theirs")
	for _, path := range []string{"a.md", "gone.md"} {
		err := files.Write(p.root, path, []byte("mine"), files.Options{IfHash: hashOf("what I saw")})
		if !errors.Is(err, files.ErrChanged) {
			t.Errorf("%s: error %v, want ErrChanged", path, err)
		}
	}
	p.wants("a.md", "theirs")
	p.wantsNothing("gone.md")
	if err := files.Write(p.root, "a.md", []byte("mine"), files.Options{IfHash: hashOf("theirs")}); err != nil {
		t.Error(err)
	}
	p.wants("a.md", "mine")
	p.wantsNoLeftovers()
}

func TestWrite_New(t *testing.T) {
	t.Parallel()
	p := setup(t)
	p.put("taken.md", "theirs")
	p.link("nowhere", "dangling.md")
	p.link("taken.md", "linked.md")
	for _, path := range []string{"taken.md", "dangling.md", "linked.md"} {
		if err := files.Write(p.root, path, []byte("mine"), files.Options{New: true}); !errors.Is(err, files.ErrExists) {
			t.Errorf("%s: error %v, want ErrExists", path, err)
		}
	}
	if err := files.Write(p.root, "sub/free.md", []byte("mine"), files.Options{New: true}); err != nil {
		t.Error(err)
	}
	p.wants("taken.md", "theirs")
	p.wants("sub/free.md", "mine")
	p.wantsNothing("nowhere")
	p.wantsNoLeftovers()
}

func TestWrite_NewConcurrent(t *testing.T) {
	t.Parallel()
	p := setup(t)
	var wins [8]bool
	var writers sync.WaitGroup
	for i := range wins {
		writers.Go(func() {
			err := files.Write(p.root, "a.md", []byte(strconv.Itoa(i)), files.Options{New: true})
			wins[i] = err == nil
			if err != nil && !errors.Is(err, files.ErrExists) {
				t.Error(err)
			}
		})
	}
	writers.Wait()
	winner := -1
	for i, won := range wins {
		if won && winner >= 0 {
			t.Error("two made it")
		}
		if won {
			winner = i
		}
	}
	p.wants("a.md", strconv.Itoa(winner))
	p.wantsNoLeftovers()
}

func stat(t *testing.T, path string) *syscall.Stat_t {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Sys().(*syscall.Stat_t)
}

package files_test

import (
	"errors"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"memoir/internal/files"
)

func TestMove_File(t *testing.T) {
	t.Parallel()
	p := setup(t)
	for _, to := range []string{"b.md", "new/directory/b.md"} {
		p.put("a.md", "text")
		if err := files.NewGuard().Move(p.root, "a.md", to); err != nil {
			t.Fatal(err)
		}
		p.wants(to, "text")
		p.wantsNothing("a.md")
	}
	p.wantsNoLeftovers()
}

func TestMove_Directory(t *testing.T) {
	t.Parallel()
	p := setup(t)
	p.put("old/sub/a.md", "text")
	if err := files.NewGuard().Move(p.root, "old", "new/place"); err != nil {
		t.Fatal(err)
	}
	p.wants("new/place/sub/a.md", "text")
	p.wantsNothing("old")
}

func TestMove_Exists(t *testing.T) {
	t.Parallel()
	p := setup(t)
	p.put("a.md", "text")
	p.put("old/a.md", "text")
	p.put("b.md", "stays")
	p.link("nowhere.md", "link.md")
	if err := os.Mkdir(p.at("empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, from := range []string{"a.md", "old"} {
		for _, to := range []string{"b.md", "link.md", "empty", from} {
			if err := files.NewGuard().Move(p.root, from, to); !errors.Is(err, files.ErrExists) {
				t.Errorf("%s over %s: %v", from, to, err)
			}
		}
	}
	p.wants("a.md", "text")
	p.wants("old/a.md", "text")
	p.wants("b.md", "stays")
}

func TestMove_Concurrent(t *testing.T) {
	t.Parallel()
	p := setup(t)
	for range 200 {
		p.put("a.md", "text")
		p.put("b.md", "text")
		var moving sync.WaitGroup
		var moved atomic.Int32
		for _, from := range []string{"a.md", "b.md"} {
			moving.Go(func() {
				err := files.NewGuard().Move(p.root, from, "c.md")
				if err == nil {
					moved.Add(1)
				} else if !errors.Is(err, files.ErrExists) {
					t.Error(err)
				}
			})
		}
		moving.Wait()
		if n := moved.Load(); n != 1 {
			t.Fatalf("%d of two were moved", n)
		}
		for _, name := range []string{"a.md", "b.md", "c.md"} {
			if err := os.Remove(p.at(name)); err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
		}
	}
}

func TestMove_OutsideRoot(t *testing.T) {
	t.Parallel()
	p := setup(t)
	p.put("a.md", "text")
	p.link(p.outside, "out")
	for _, c := range []struct{ from, to string }{{"a.md", "out/a.md"}, {"a.md", "../outside/a.md"}, {"out/x.md", "x.md"}, {"../outside", "x"}} {
		if err := files.NewGuard().Move(p.root, c.from, c.to); !errors.Is(err, files.ErrLeaves) {
			t.Errorf("%s to %s: %v", c.from, c.to, err)
		}
	}
	p.wants("a.md", "text")
}

func TestMove_MissingSource(t *testing.T) {
	t.Parallel()
	p := setup(t)
	if err := files.NewGuard().Move(p.root, "a.md", "new/a.md"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it is %v", err)
	}
	p.wantsNothing("new")
}

func TestMove_Link(t *testing.T) {
	t.Parallel()
	p := setup(t)
	p.put("real.md", "text")
	p.link("real.md", "a.md")
	if err := files.NewGuard().Move(p.root, "a.md", "b.md"); err != nil {
		t.Fatal(err)
	}
	p.wantsNothing("a.md")
	p.wants("real.md", "text")
	if target, err := os.Readlink(p.at("b.md")); err != nil || target != "real.md" {
		t.Errorf("it leads to %q, %v", target, err)
	}
}

func TestRemoveDirectory_EmptyOnly(t *testing.T) {
	t.Parallel()
	p := setup(t)
	p.put("full/a.md", "text")
	p.put("a.md", "text")
	p.link("full", "link")
	if err := os.MkdirAll(p.at("sub/empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, kept := range []string{"full", "a.md", "link"} {
		if err := files.NewGuard().RemoveDirectory(p.root, kept); err == nil {
			t.Errorf("%s is removed", kept)
		}
	}
	p.wants("full/a.md", "text")
	p.wants("a.md", "text")
	for range 2 { // the second time it is missing
		if err := files.NewGuard().RemoveDirectory(p.root, "sub/empty"); err != nil {
			t.Error(err)
		}
	}
	p.wantsNothing("sub/empty")
	if err := files.NewGuard().RemoveDirectory(p.root, "no/such/directory"); err != nil {
		t.Error(err)
	}
}

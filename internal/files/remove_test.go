package files_test

import (
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"memoir/internal/files"
	"memoir/internal/files/filestest"
)

func TestRemoveIf_SameBytes(t *testing.T) {
	t.Parallel()
	p := setup(t)
	long := strings.Repeat("x", 250) + ".md"
	for _, path := range []string{"a.md", "sub/b.md", long} {
		p.put(path, "stale")
		if err := files.NewGuard().RemoveIf(p.root, path, hashOf("stale")); err != nil {
			t.Error(err)
		}
		p.wantsNothing(path)
	}
	p.wantsNoLeftovers()
}

func TestRemoveIf_OtherBytes(t *testing.T) {
	t.Parallel()
	p := setup(t)
	long := strings.Repeat("x", 250) + ".md"
	for _, path := range []string{"a.md", long} {
		p.put(path, "learned anew")
		if err := files.NewGuard().RemoveIf(p.root, path, hashOf("stale")); !errors.Is(err, files.ErrChanged) {
			t.Errorf("error %v, want ErrChanged", err)
		}
		p.wants(path, "learned anew")
	}
	p.wantsNoLeftovers()
}

func TestRemoveIf_Missing(t *testing.T) {
	t.Parallel()
	p := setup(t)
	for _, path := range []string{"a.md", "no/such/directory/a.md"} {
		if err := files.NewGuard().RemoveIf(p.root, path, hashOf("stale")); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestRemoveIf_Link(t *testing.T) {
	t.Parallel()
	p := setup(t)
	p.put("notes/real.md", "stale")
	p.link("notes/real.md", "a.md")
	if err := files.NewGuard().RemoveIf(p.root, "a.md", hashOf("stale")); err != nil {
		t.Fatal(err)
	}
	p.wantsNothing("a.md")
	p.wants("notes/real.md", "stale")

	p.link("nowhere", "dangling.md")
	if err := files.NewGuard().RemoveIf(p.root, "dangling.md", hashOf("stale")); !errors.Is(err, files.ErrChanged) {
		t.Errorf("error %v, want ErrChanged", err)
	}
	if target, err := os.Readlink(p.at("dangling.md")); err != nil || target != "nowhere" {
		t.Errorf("the dangling link leads to %q (error %v)", target, err)
	}
}

func TestGuard_RemoveLink(t *testing.T) {
	t.Parallel()
	for name, target := range map[string]func(dir string) string{
		"absolute": func(dir string) string { return dir + "/notes/real.md" },
		"relative": func(string) string { return "../notes/real.md" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := setup(t)
			guard := files.NewGuard(p.dir)
			long := "memory/" + strings.Repeat("x", 250) + ".md"
			p.put("memory/other.md", "")
			for _, link := range []string{"memory/a.md", long} {
				p.put("notes/real.md", "stale")
				p.link(target(p.dir), link)
				if err := guard.RemoveIf(p.root, link, hashOf("other")); !errors.Is(err, files.ErrChanged) {
					t.Errorf("%s: removing other bytes: error %v, want ErrChanged", link, err)
				}
				p.wants(link, "stale")
				if err := guard.RemoveIf(p.root, link, hashOf("stale")); err != nil {
					t.Errorf("%s: %v", link, err)
				}
				p.wantsNothing(link)
				p.wants("notes/real.md", "stale")
			}
			p.wantsNoLeftovers()
		})
	}
}

func TestRemoveIf_OutsideRoot(t *testing.T) {
	t.Parallel()
	p := setup(t)
	p.put("../outside/a.md", "stale")
	p.link("../outside", "directory")
	if err := files.NewGuard().RemoveIf(p.root, "directory/a.md", hashOf("stale")); !errors.Is(err, files.ErrLeaves) {
		t.Errorf("error %v, want ErrLeaves", err)
	}
	p.wants("../outside/a.md", "stale")
}

func TestRemoveIf_NotPermitted(t *testing.T) {
	t.Parallel()
	p := setup(t)
	p.put("sub/a.md", "stale")
	if err := os.Chmod(p.at("sub"), 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(p.at("sub"), 0o755) })
	filestest.AsNobody(t, func() {
		if err := files.NewGuard().RemoveIf(p.root, "sub/a.md", hashOf("stale")); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("error %v, want a refusal", err)
		}
	})
	p.wants("sub/a.md", "stale")
	p.wantsNoLeftovers()
}

func TestRemoveIf_ConcurrentSave(t *testing.T) {
	t.Parallel()
	p := setup(t)
	for i := range 1000 {
		p.put("a.md", "stale")
		newest := "learned anew " + strconv.Itoa(i)
		start := make(chan struct{})
		var both sync.WaitGroup
		both.Go(func() {
			<-start
			for _, content := range []string{"on the way", newest} {
				p.put("agent.tmp", content)
				if err := os.Rename(p.at("agent.tmp"), p.at("a.md")); err != nil {
					t.Error(err)
				}
			}
		})
		both.Go(func() {
			<-start
			if err := files.NewGuard().RemoveIf(p.root, "a.md", hashOf("stale")); err != nil && !errors.Is(err, files.ErrChanged) {
				t.Error(err)
			}
		})
		close(start)
		both.Wait()
		if p.wants("a.md", newest); t.Failed() {
			t.Fatalf("lost in round %d", i)
		}
	}
	p.wantsNoLeftovers()
}

package files_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"memoir/internal/files"
)

const alice, bob = 64001, 64002

// A tree is a configured directory.
type tree struct {
	*testing.T
	top   string
	guard *files.Guard
}

func newTree(t *testing.T) *tree {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root can make files of several users")
	}
	dir, err := os.MkdirTemp("", "memoir-guard-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	top := filepath.Join(dir, "agents")
	return &tree{t, top, files.NewGuard(top)}
}

// dir creates a directory of a user; the empty path is the tree's top.
func (t *tree) dir(path string, uid int, mode os.FileMode) {
	t.Helper()
	at := filepath.Join(t.top, path)
	t.try(os.Mkdir(at, 0o755))
	t.try(os.Chown(at, uid, uid))
	t.try(os.Chmod(at, mode))
}

func (t *tree) file(path string, uid int) {
	t.Helper()
	at := filepath.Join(t.top, path)
	t.try(os.WriteFile(at, []byte("old"), 0o644))
	t.try(os.Chown(at, uid, uid))
}

func (t *tree) link(target, path string, uid int) {
	t.Helper()
	at := filepath.Join(t.top, path)
	t.try(os.Symlink(target, at))
	t.try(os.Lchown(at, uid, uid))
}

func (t *tree) try(err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (t *tree) open(path string) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(filepath.Join(t.top, path))
	t.try(err)
	t.Cleanup(func() { root.Close() })
	return root
}

func TestGuard_Write(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		lay     func(t *tree)
		allowed bool
	}{
		"one user's": {func(t *tree) { t.dir("", 0, 0o755); t.dir("ada", alice, 0o755); t.dir("ada/memory", alice, 0o755) }, true},
		"two users'": {func(t *tree) { t.dir("", 0, 0o755); t.dir("ada", alice, 0o755); t.dir("ada/memory", bob, 0o755) }, false},
		"top of another user": {func(t *tree) {
			t.dir("", bob, 0o755)
			t.dir("ada", alice, 0o755)
			t.dir("ada/memory", alice, 0o755)
		}, false},
		"file of another user": {func(t *tree) {
			t.dir("", 0, 0o755)
			t.dir("ada", alice, 0o755)
			t.dir("ada/memory", alice, 0o755)
			t.file("ada/memory/a.md", bob)
		}, false},
		"open to all": {func(t *tree) { t.dir("", 0, 0o755); t.dir("ada", alice, 0o755); t.dir("ada/memory", alice, 0o777) }, false},
		"below one open to all": {func(t *tree) {
			t.dir("", 0, 0o755)
			t.dir("ada", alice, 0o777)
			t.dir("ada/memory", alice, 0o755)
		}, false},
		"top open to all": {func(t *tree) {
			t.dir("", 0, 0o777)
			t.dir("ada", alice, 0o755)
			t.dir("ada/memory", alice, 0o755)
		}, false},
		"sticky": {func(t *tree) {
			t.dir("", 0, 0o777|os.ModeSticky)
			t.dir("ada", alice, 0o755)
			t.dir("ada/memory", alice, 0o777|os.ModeSticky)
		}, true},
		"open to a group": {func(t *tree) { t.dir("", 0, 0o775); t.dir("ada", alice, 0o775); t.dir("ada/memory", alice, 0o775) }, true},
		"link of the owner": {func(t *tree) {
			t.dir("", 0, 0o755)
			t.dir("ada", alice, 0o755)
			t.dir("ada/notes", alice, 0o755)
			t.link("notes", "ada/memory", alice)
		}, true},
		"link of another user": {func(t *tree) {
			t.dir("", 0, 0o755)
			t.dir("ada", 0, 0o755)
			t.dir("ada/notes", alice, 0o755)
			t.link("notes", "ada/memory", bob)
		}, false},
		"link to a file of root": {func(t *tree) {
			t.dir("", 0, 0o755)
			t.dir("ada", alice, 0o755)
			t.dir("ada/memory", alice, 0o755)
			t.file("ada/private.md", 0)
			t.link("../private.md", "ada/memory/a.md", alice)
		}, false},
		"directory that is missing": {func(t *tree) { t.dir("", 0, 0o755); t.dir("ada", alice, 0o755) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tree := newTree(t)
			c.lay(tree)
			root := tree.open("ada")
			err := tree.guard.Write(root, "memory/a.md", []byte("new"), files.Options{})
			if (err == nil) != c.allowed || err != nil && !files.IsOwnership(err) {
				t.Fatalf("Write() error = %v, want allowed = %v", err, c.allowed)
			}
			if checked := tree.guard.Check(root, "memory/a.md"); (checked == nil) != c.allowed {
				t.Errorf("Check() error = %v, want allowed = %v", checked, c.allowed)
			}
			raw, err := os.ReadFile(filepath.Join(tree.top, "ada/memory/a.md"))
			if !c.allowed && err == nil && string(raw) != "old" {
				t.Errorf("the file has been written: %q", raw)
			}
			if c.allowed {
				info, err := os.Stat(filepath.Join(tree.top, "ada/memory/a.md"))
				tree.try(err)
				if uid := uidOf(info); uid != alice {
					t.Errorf("the file belongs to user %d, want %d", uid, alice)
				}
			}
		})
	}
}

// Another user's link leads from the configured directory into a directory of root.
func TestOpenRoot_LinkOfAnotherUser(t *testing.T) {
	t.Parallel()
	tree := newTree(t)
	tree.dir("", 0, 0o755)
	tree.dir("private", 0, 0o755)
	tree.dir("alices", alice, 0o755)
	tree.link("private", "bad", alice)
	tree.link(filepath.Join(tree.top, "alices"), "good", alice)
	if root, err := files.OpenRoot(filepath.Join(tree.top, "bad")); !files.IsOwnership(err) {
		root.Close()
		t.Errorf("OpenRoot(bad) error = %v, want *OwnershipError", err)
	}
	if err := files.MayFollow(filepath.Join(tree.top, "bad")); !files.IsOwnership(err) {
		t.Errorf("MayFollow(bad) error = %v, want *OwnershipError", err)
	}
	for _, name := range []string{"good", "alices", "private"} {
		root, err := files.OpenRoot(filepath.Join(tree.top, name))
		if err != nil {
			t.Errorf("OpenRoot(%s) error = %v", name, err)
			continue
		}
		root.Close()
	}
}

// A directory that was moved after it was opened is not written.
func TestGuard_ReplacedAboveRoot(t *testing.T) {
	t.Parallel()
	tree := newTree(t)
	tree.dir("", 0, 0o755)
	tree.dir("ada", alice, 0o755)
	root := tree.open("ada")
	tree.try(os.Rename(filepath.Join(tree.top, "ada"), filepath.Join(tree.top, "away")))
	tree.dir("ada", alice, 0o755)
	if err := tree.guard.Write(root, "a.md", []byte("new"), files.Options{}); !files.IsOwnership(err) {
		t.Errorf("Write() error = %v, want *OwnershipError", err)
	}
}

// While a user swaps a directory and a link, nothing is written behind the link.
func TestGuard_DirectoryBecomesLink(t *testing.T) {
	t.Parallel()
	tree := newTree(t)
	tree.dir("", 0, 0o755)
	tree.dir("ada", 0, 0o755)
	tree.dir("ada/memory", alice, 0o755)
	tree.dir("ada/memory/sub", alice, 0o755)
	tree.dir("ada/target", 0, 0o755)
	ada := filepath.Join(tree.top, "ada")
	tree.try(os.Symlink("../target", ada+"/memory/link"))
	tree.try(os.Lchown(ada+"/memory/link", alice, alice))
	root, err := os.OpenRoot(ada)
	tree.try(err)
	defer root.Close()
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
				_ = unix.Renameat2(unix.AT_FDCWD, ada+"/memory/sub", unix.AT_FDCWD, ada+"/memory/link", unix.RENAME_EXCHANGE)
			}
		}
	}()
	for end := time.Now().Add(time.Second); time.Now().Before(end); {
		_ = tree.guard.Write(root, "memory/sub/a.md", []byte("new"), files.Options{})
	}
	close(stop)
	<-done
	entries, err := os.ReadDir(ada + "/target")
	tree.try(err)
	if len(entries) > 0 {
		t.Errorf("%s was written behind another user's link", entries[0].Name())
	}
}

func TestGuard_Removal(t *testing.T) {
	t.Parallel()
	tree := newTree(t)
	tree.dir("", 0, 0o755)
	tree.dir("ada", alice, 0o755)
	tree.dir("ada/open", alice, 0o777)
	tree.file("ada/a.md", bob)
	tree.file("ada/open/b.md", alice)
	root := tree.open("ada")
	if err := tree.guard.RemoveIf(root, "open/b.md", files.Hash([]byte("old"))); !files.IsOwnership(err) {
		t.Errorf("RemoveIf() in an open directory: error = %v, want *OwnershipError", err)
	}
	// The owner of a directory may remove any file in it.
	if err := tree.guard.RemoveIf(root, "a.md", files.Hash([]byte("old"))); err != nil {
		t.Errorf("RemoveIf() of another user's file: error = %v", err)
	}
	if back, err := tree.guard.Recover(root, []string{".", "open", "missing"}); err != nil || back != nil {
		t.Errorf("Recover() = %v, %v", back, err)
	}
}

// An append changes the file under all of its names.
func TestGuard_AppendToHardLink(t *testing.T) {
	t.Parallel()
	tree := newTree(t)
	tree.dir("", 0, 0o755)
	tree.dir("ada", alice, 0o755)
	tree.file("secret.md", 0)
	tree.file("ada/own.md", alice)
	tree.try(os.Link(filepath.Join(tree.top, "secret.md"), filepath.Join(tree.top, "ada/log.md")))
	root := tree.open("ada")
	if err := tree.guard.Append(root, "log.md", []byte("more")); !files.IsOwnership(err) {
		t.Errorf("Append() to root's file: error = %v, want *OwnershipError", err)
	}
	if err := tree.guard.Append(root, "own.md", []byte("more")); err != nil {
		t.Errorf("Append() error = %v", err)
	}
}

func TestGuard_Move(t *testing.T) {
	t.Parallel()
	tree := newTree(t)
	tree.dir("", 0, 0o755)
	tree.dir("ada", alice, 0o755)
	tree.dir("ada/open", alice, 0o777)
	tree.file("ada/a.md", alice)
	tree.file("ada/b.md", alice)
	root := tree.open("ada")
	if err := tree.guard.Move(root, "a.md", "open/a.md"); !files.IsOwnership(err) {
		t.Errorf("Move() into an open directory: error = %v, want *OwnershipError", err)
	}
	if err := tree.guard.Move(root, "a.md", "b.md"); !errors.Is(err, files.ErrExists) {
		t.Errorf("Move() onto a file: error = %v, want ErrExists", err)
	}
	if err := tree.guard.Move(root, "a.md", "sub/c.md"); err != nil {
		t.Fatalf("Move() error = %v", err)
	}
	info, err := os.Stat(filepath.Join(tree.top, "ada/sub"))
	tree.try(err)
	if uid := uidOf(info); uid != alice {
		t.Errorf("the new directory belongs to user %d, want %d", uid, alice)
	}
}

func BenchmarkGuard(b *testing.B) {
	dir := b.TempDir()
	guard := files.NewGuard(dir)
	for _, name := range []string{"new root", "same root"} {
		b.Run(name, func(b *testing.B) {
			same, err := os.OpenRoot(dir)
			if err != nil {
				b.Fatal(err)
			}
			defer same.Close()
			for b.Loop() {
				root := same
				if name == "new root" {
					if root, err = os.OpenRoot(dir); err != nil {
						b.Fatal(err)
					}
				}
				if err := guard.Check(root, "a.md"); err != nil {
					b.Fatal(err)
				}
				if root != same {
					root.Close()
				}
			}
		})
	}
}

func uidOf(info os.FileInfo) uint32 { return info.Sys().(*syscall.Stat_t).Uid }

package sync_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"

	"memoir/internal/files"
	"memoir/internal/memories"
)

// must fails the test where what it asks for is refused.
func (b *bench) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// removingDisk calls a function right before a file is removed.
type removingDisk struct {
	brokenDisk
	meanwhile *func(path string)
}

func (d removingDisk) RemoveIf(root *os.Root, path, hash string) error {
	if do := *d.meanwhile; do != nil {
		do(path)
	}
	return d.brokenDisk.RemoveIf(root, path, hash)
}

// withRemovals returns a bench with the agent ada. The function at meanwhile runs before each
// removal of a file.
func withRemovals(t *testing.T) (b *bench, meanwhile *func(path string)) {
	t.Helper()
	b = withAda(t)
	b.stop()
	meanwhile = new(func(string))
	b.options.Disk = removingDisk{brokenDisk{&breaker{}}, meanwhile}
	b.start()
	b.write("ada/memory/stays.md", note("Stays", memories.User, "Here."))
	return b, meanwhile
}

func TestRemoveFile_WrittenMeanwhile(t *testing.T) {
	t.Parallel()
	b, meanwhile := withRemovals(t)
	b.write("ada/memory/a.md", note("Deploy", memories.Project, "first"))
	b.scanAll()
	*meanwhile = func(string) {
		*meanwhile = nil
		b.write("ada/memory/a.md", note("Deploy", memories.Project, "last"))
	}
	b.must(b.engine.RemoveFile(byScript, "ada", "a.md"))
	b.isIn("ada", "Deploy", memories.Deleted)
	if m := b.list("ada", memories.Deleted)["Deploy"]; m.Body != "last" || b.read("ada/memory/a.md") != "" {
		t.Errorf("in the trash is %q", m.Body)
	}
}

func TestRemoveFile_NewFileInDirectory(t *testing.T) {
	t.Parallel()
	b, meanwhile := withRemovals(t)
	b.write("ada/memory/sub/a.md", note("Deploy", memories.Project, "first"))
	b.scanAll()
	*meanwhile = func(string) {
		*meanwhile = nil
		b.write("ada/memory/sub/b.md", note("Late", memories.Project, "late"))
	}
	b.must(b.engine.RemoveFile(byScript, "ada", "sub"))
	b.isIn("ada", "Deploy", memories.Deleted)
	b.isIn("ada", "Late", memories.Deleted)
	b.isIn("ada", "Stays", memories.Active)
}

func TestRemoveFile_WrittenRepeatedly(t *testing.T) {
	t.Parallel()
	b, meanwhile := withRemovals(t)
	b.write("ada/memory/a.md", note("Deploy", memories.Project, "first"))
	b.scanAll()
	written := 0
	*meanwhile = func(string) {
		written++
		b.write("ada/memory/a.md", note("Deploy", memories.Project, fmt.Sprintf("version %d", written)))
	}
	b.isConflict(b.engine.RemoveFile(byScript, "ada", "a.md"), "Another program keeps writing memory/a.md")
	*meanwhile = nil
	b.scan("ada")
	b.hasBody("ada", "Deploy", fmt.Sprintf("version %d", written))
}

func TestRemoveFile_PartNotRemovable(t *testing.T) {
	t.Parallel()
	b, _ := withRemovals(t)
	b.write("ada/memory/sub/a.md", note("First", memories.Project, "goes"))
	b.write("ada/memory/sub/b.md", note("Second", memories.Project, "stays"))
	b.scanAll()
	b.stop()
	b.options.Disk = stubbornDisk{brokenDisk{&breaker{}}, "memory/sub/b.md"}
	b.start()
	b.isConflict(b.engine.RemoveFile(byScript, "ada", "sub"), "memory/sub/b.md cannot be removed (permission denied)")
	b.isIn("ada", "First", memories.Deleted)
	b.isIn("ada", "Second", memories.Active)
	if text := b.read("ada/CLAUDE.md"); strings.Contains(text, "### First\n") || !strings.Contains(text, "### Second\n") {
		t.Errorf("CLAUDE.md says %s", text)
	}
}

// stubbornDisk is one on which one file cannot be removed.
type stubbornDisk struct {
	brokenDisk
	stays string
}

func (d stubbornDisk) RemoveIf(root *os.Root, path, hash string) error {
	if path == d.stays {
		return &fs.PathError{Op: "rename", Path: path, Err: syscall.EACCES}
	}
	return d.brokenDisk.RemoveIf(root, path, hash)
}

func TestReplaceFile_ChangedFile(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	text := note("Deploy", memories.Project, "first")
	b.write("ada/memory/a.md", text)
	b.scanAll()
	seen := files.Hash([]byte(text))
	b.write("ada/memory/a.md", note("Deploy", memories.Project, "by hand"))
	if err := b.engine.ReplaceFile(byScript, "ada", "a.md", seen, []byte("x")); !errors.Is(err, memories.ErrChanged) {
		t.Errorf("over an edit by hand: %v", err)
	}
	b.hasBody("ada", "Deploy", "by hand")
	for path, want := range map[string]error{"none.md": memories.ErrNoFile, "sub/none.md": memories.ErrNoFile, ".": memories.ErrNoFile, "../CLAUDE.md": memories.ErrNoFile, "/etc/hosts": memories.ErrNoFile, ".git/x": memories.ErrNoFile} {
		if err := b.engine.ReplaceFile(byScript, "ada", path, seen, []byte("x")); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", path, err, want)
		}
	}
}

func TestAgentFiles_PathsStayInside(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.write("ada/secret.md", "not in the memory directory")
	b.write("ada/memory/sub/a.md", note("Deploy", memories.Project, "stays"))
	b.scanAll()
	for _, path := range []string{"../secret.md", "sub/../../secret.md", "/secret.md", "", "sub/", "sub//a.md", "./sub/a.md", "sub/.", ".hidden", "sub/.hidden/a.md", ".memoir-tmp-x", "a\x00"} {
		if _, err := b.engine.ReadFile(byScript, "ada", path); !errors.Is(err, memories.ErrNoFile) {
			t.Errorf("%q is read: %v", path, err)
		}
		if _, err := b.engine.ListFiles(byScript, "ada", path); !errors.Is(err, memories.ErrNoFile) {
			t.Errorf("%q is listed: %v", path, err)
		}
		if err := b.engine.CreateFile(byScript, "ada", path, []byte("x")); !errors.Is(err, memories.ErrInvalidPath) {
			t.Errorf("%q is created: %v", path, err)
		}
		if err := b.engine.RemoveFile(byScript, "ada", path); !errors.Is(err, memories.ErrNoFile) {
			t.Errorf("%q is removed: %v", path, err)
		}
		if err := b.engine.RenameFile(byScript, "ada", path, "b.md"); !errors.Is(err, memories.ErrNoFile) {
			t.Errorf("%q is renamed: %v", path, err)
		}
		if err := b.engine.RenameFile(byScript, "ada", "sub/a.md", path); !errors.Is(err, memories.ErrInvalidPath) {
			t.Errorf("something is renamed to %q: %v", path, err)
		}
	}
	for _, err := range []error{b.engine.RemoveFile(byScript, "ada", "."), b.engine.RenameFile(byScript, "ada", ".", "all")} {
		if !errors.Is(err, memories.ErrNoFile) {
			t.Errorf("the memory directory itself: %v", err)
		}
	}
	b.hasBody("ada", "Deploy", "stays")
	if b.read("ada/secret.md") != "not in the memory directory" {
		t.Error("a file outside was changed")
	}
}

func TestAgentFiles_MissingDirectory(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.write("ada/memory/a.md", note("Deploy", memories.Project, "kept"))
	b.scanAll()
	b.rename("ada/memory", "aside")
	b.isConflict(b.engine.CreateFile(byScript, "ada", "b.md", []byte("x")), "not found")
	b.isConflict(b.engine.RenameFile(byScript, "ada", "a.md", "b.md"), "not found")
	if err := b.engine.RemoveFile(byScript, "ada", "a.md"); !errors.Is(err, memories.ErrNoFile) {
		t.Errorf("what is away is removed: %v", err)
	}
	b.rename("aside", "ada/memory")
	b.scanAll()
	b.isIn("ada", "Deploy", memories.Active)
}

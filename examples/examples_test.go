package examples

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

var now = time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)

// setup returns the files of the examples by their slash-separated path.
func setup(t *testing.T) map[string][]byte {
	t.Helper()
	return filesOf(t, FS())
}

func filesOf(t *testing.T, fsys fs.FS) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	err := fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		files[name], err = fs.ReadFile(fsys, name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestAges_EveryFile(t *testing.T) {
	t.Parallel()
	files := setup(t)
	for name := range files {
		if ages[name] <= 0 {
			t.Errorf("%s has no age", name)
		}
	}
	for name := range ages {
		if _, found := files[name]; !found {
			t.Errorf("there is an age for %s, which does not exist", name)
		}
	}
}

func TestCopy_BytesAndAges(t *testing.T) {
	t.Parallel()
	files := setup(t)
	dst := filepath.Join(t.TempDir(), "not", "there", "yet")
	if err := copyAt(dst, now); err != nil {
		t.Fatal(err)
	}
	copied := filesOf(t, os.DirFS(dst))
	if len(copied) != len(files) {
		t.Errorf("%d files were copied of %d", len(copied), len(files))
	}
	for name, content := range files {
		if !bytes.Equal(copied[name], content) {
			t.Errorf("%s differs", name)
		}
		info, err := os.Stat(filepath.Join(dst, name))
		if err != nil {
			t.Fatal(err)
		}
		if want := now.Add(-ages[name]); !info.ModTime().Equal(want) {
			t.Errorf("%s was modified %s, want %s", name, info.ModTime().UTC(), want)
		}
		if info.Mode().Perm()&0o600 != 0o600 {
			t.Errorf("%s cannot be written by its owner: %s", name, info.Mode())
		}
	}
}

func TestCopy_EmptyDirectory(t *testing.T) {
	t.Parallel()
	dst := t.TempDir()
	if err := Copy(dst); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dst)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	if len(names) != 3 || names[0] != "code-reviewer" || names[1] != "data-analyst" || names[2] != "on-call" {
		t.Errorf("got %q", names)
	}
}

func TestCopy_NotEmpty(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]string{"a file": "notes.md", "a hidden file": ".keep", "an agent": "code-reviewer/memory/mine.md"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dst := t.TempDir()
			file := filepath.Join(dst, path)
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte("mine"), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := Copy(dst); !errors.Is(err, ErrNotEmpty) {
				t.Errorf("got %v, want ErrNotEmpty", err)
			}
			if files := filesOf(t, os.DirFS(dst)); len(files) != 1 || string(files[path]) != "mine" {
				t.Errorf("the directory was changed: %q", files)
			}
		})
	}
}

func TestCopy_ToFile(t *testing.T) {
	t.Parallel()
	dst := filepath.Join(t.TempDir(), "agents")
	if err := os.WriteFile(dst, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Copy(dst); err == nil {
		t.Error("there was no error")
	}
	if content, err := os.ReadFile(dst); err != nil || string(content) != "mine" {
		t.Errorf("the file holds %q (%v)", content, err)
	}
}

func TestCopy_Owner(t *testing.T) {
	t.Parallel()
	dst := t.TempDir()
	if os.Geteuid() == 0 { // only root can change the owner
		if err := os.Chown(dst, 65534, 65534); err != nil {
			t.Fatal(err)
		}
	}
	if err := Copy(dst); err != nil {
		t.Fatal(err)
	}
	owner := ownerOf(t, dst)
	for name := range setup(t) {
		if got := ownerOf(t, filepath.Join(dst, name)); got != owner {
			t.Errorf("%s belongs to %d, want %d", name, got, owner)
		}
	}
}

func ownerOf(t *testing.T, path string) uint32 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Sys().(*syscall.Stat_t).Uid
}

func TestFiles_OddBytes(t *testing.T) {
	// Version control and editors tend to fix such bytes, so the test checks that they are still
	// there.
	t.Parallel()
	files := setup(t)
	for name, odd := range map[string]string{
		"code-reviewer/memory/reference_error_codes.md":   "type: reference\r\n---\r\n",
		"code-reviewer/memory/feedback_error_wrapping.md": "description: errors in Go: wrap",
		"data-analyst/memory/export-2026-09-12.md":        "98\x00 7",
		"on-call/memory/harbour-names-in-old-exports.md":  "F\xe4hrdorf",
	} {
		if !bytes.Contains(files[name], []byte(odd)) {
			t.Errorf("%s has lost %q", name, odd)
		}
	}
}

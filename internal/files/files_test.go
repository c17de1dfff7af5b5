package files_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"memoir/internal/files"
)

// place is a root directory with a second directory next to it.
type dirHandle struct {
	t       *testing.T
	root    *os.Root
	dir     string
	outside string
}

func setup(t *testing.T) dirHandle {
	t.Helper()
	base := t.TempDir()
	p := dirHandle{t: t, dir: filepath.Join(base, "inside"), outside: filepath.Join(base, "outside")}
	for _, dir := range []string{p.dir, p.outside} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(p.dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	p.root = root
	return p
}

func (p dirHandle) at(relPath string) string { return filepath.Join(p.dir, relPath) }

func (p dirHandle) put(relPath, content string) {
	p.t.Helper()
	if err := os.MkdirAll(filepath.Dir(p.at(relPath)), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(p.at(relPath), []byte(content), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

func (p dirHandle) link(target, relPath string) {
	p.t.Helper()
	if err := os.Symlink(target, p.at(relPath)); err != nil {
		p.t.Fatal(err)
	}
}

func (p dirHandle) wants(relPath, content string) {
	p.t.Helper()
	got, err := os.ReadFile(p.at(relPath))
	if err != nil || string(got) != content {
		p.t.Errorf("%s holds %q (error %v), want %q", relPath, got, err, content)
	}
}

func (p dirHandle) wantsNothing(relPath string) {
	p.t.Helper()
	if _, err := os.Lstat(p.at(relPath)); !os.IsNotExist(err) {
		p.t.Errorf("%s is there (error %v), want nothing", relPath, err)
	}
}

// wantsNoLeftovers checks that no file of Memoir's own is left below.
func (p dirHandle) wantsNoLeftovers() {
	p.t.Helper()
	err := filepath.WalkDir(p.dir, func(path string, _ os.DirEntry, err error) error {
		if strings.Contains(path, ".memoir-") {
			p.t.Errorf("left behind: %s", path)
		}
		return err
	})
	if err != nil {
		p.t.Error(err)
	}
}

func hashOf(content string) string { return files.Hash([]byte(content)) }

package files_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"testing"

	"memoir/internal/files"
)

func TestDirReader_SameAsRoot(t *testing.T) {
	t.Parallel()
	p := setup(t)
	p.put("memory/a.md", "a")
	p.put("memory/b.md", "b")
	p.put("memory/deep/c.md", "c")
	p.put("d.md", "d")
	p.link("../d.md", "memory/up.md")
	p.link(p.at("d.md"), "memory/absolute.md")
	p.link("a.md", "memory/beside.md")
	p.link(p.outside, "memory/out.md")
	p.link("memory", "linked")
	if err := os.Symlink("/", p.at("away")); err != nil {
		t.Fatal(err)
	}
	among := files.NewDirReader(p.root)
	defer among.Close()
	for _, of := range []struct {
		path, says string
		err        error
	}{
		{"memory/a.md", "a", nil},
		{"memory/b.md", "b", nil},
		{"memory/none.md", "", fs.ErrNotExist},
		{"memory/up.md", "d", nil},
		{"memory/absolute.md", "d", nil},
		{"memory/beside.md", "a", nil},
		{"memory/out.md", "", files.ErrLeaves},
		{"memory/deep", "", files.ErrNotRegular},
		{"memory/deep/c.md", "c", nil},
		{"d.md", "d", nil},
		{"linked/b.md", "b", nil},
		{"away/etc/passwd", "", files.ErrLeaves},
		{"none/a.md", "", fs.ErrNotExist},
		{"../outside/x", "", files.ErrLeaves},
		{"memory/a.md", "a", nil},
	} {
		says := ""
		file, err := among.Open(of.path)
		if err == nil {
			raw, _ := io.ReadAll(file)
			says = string(raw)
			file.Close()
		}
		if says != of.says || !errors.Is(err, of.err) {
			t.Errorf("%s says %q (%v), want %q (%v)", of.path, says, err, of.says, of.err)
		}
		info, err := among.Lstat(of.path)
		want, wantErr := p.root.Lstat(of.path)
		if (err == nil) != (wantErr == nil) || err == nil && !os.SameFile(info, want) {
			t.Errorf("%s: %v (%v), and the root has %v (%v)", of.path, info, err, want, wantErr)
		}
	}
}

// A new DirReader notices that a directory was replaced.
func TestDirReader_ReplacedDirectory(t *testing.T) {
	t.Parallel()
	p := setup(t)
	p.put("memory/a.md", "old")
	among := files.NewDirReader(p.root)
	defer among.Close()
	if file, err := among.Open("memory/a.md"); err != nil {
		t.Fatal(err)
	} else {
		file.Close()
	}
	if err := os.RemoveAll(p.at("memory")); err != nil {
		t.Fatal(err)
	}
	p.put("memory/a.md", "new")
	file, err := among.Open("memory/a.md")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if raw, _ := io.ReadAll(file); string(raw) != "new" {
		t.Errorf("it says %q", raw)
	}
}

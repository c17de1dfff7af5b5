package files_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"memoir/internal/files"
)

const secret = "what nobody may read or change"

// FuzzLinks creates links and checks every operation: it must not access files outside the
// directory, and must resolve paths as the system does.
//
// The input has one link per line, as path > target. ROOT and OUT in targets are the directory and
// the one next to it.
func FuzzLinks(f *testing.F) {
	for _, links := range []string{
		"a > ../outside/secret.md", "a > OUT/secret.md", "a > ROOT/kept.md", "a > b\nb > a", "a > a", "a > .", "a > ..", "a > /",
		"d/a > ../kept.md", "d/a > ../../outside", "d/a > ROOT/../outside", "a > d\nb > a/../../outside/secret.md", "a > d/d\nb > a/../..",
		"a > d\nb > a/x.md", "a > kept.md/../kept.md", "a > nothing", "a > ROOT\nb > a/a/a/kept.md", "a > ./d/.//../kept.md", "a > ROOTx", "a > OUT",
	} {
		for _, at := range []string{"a", "b", "d/a", "a/secret.md", "a/kept.md", "d/../a"} {
			f.Add(links, at)
		}
	}
	f.Fuzz(func(t *testing.T, links, at string) {
		if strings.Contains(at, "\x00") || len(at) > 100 || len(links) > 400 {
			t.Skip("no system takes such a path")
		}
		root, inside, outside := linked(t, links)
		defer root.Close()
		checkResolved(t, root, inside, at)
		if file, err := files.Open(root, at); err == nil {
			checkInside(t, inside, file)
			file.Close()
		}
		hash := files.Hash([]byte(secret))
		_, _ = files.ReadHash(root, at)
		_ = files.Write(root, at, []byte("written"), files.Options{New: true})
		_ = files.Write(root, at, []byte("written"), files.Options{})
		_ = files.NewGuard().RemoveIf(root, at, hash)
		_ = files.NewGuard().RemoveIf(root, at, files.Hash([]byte("written")))
		_, _ = files.NewGuard().Recover(root, []string{at, filepath.Dir(at)})
		entries, err := os.ReadDir(outside)
		if err != nil || len(entries) != 1 {
			t.Fatalf("outside there is %v, %v", entries, err)
		}
		if got, err := os.ReadFile(filepath.Join(outside, "secret.md")); err != nil || string(got) != secret {
			t.Fatalf("outside it says %q, %v", got, err)
		}
	})
}

// linked creates a directory with the links, and a second one next to it.
func linked(t *testing.T, links string) (root *os.Root, inside, outside string) {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	inside, outside = filepath.Join(top, "inside"), filepath.Join(top, "outside")
	for _, dir := range []string{filepath.Join(inside, "d", "d"), outside} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for file, text := range map[string]string{filepath.Join(inside, "kept.md"): "kept", filepath.Join(outside, "secret.md"): secret} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if root, err = os.OpenRoot(inside); err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(links, "\n") {
		at, target, ok := strings.Cut(line, " > ")
		if !ok || target == "" {
			continue
		}
		target = strings.NewReplacer("ROOT", inside, "OUT", outside).Replace(target)
		_ = root.Symlink(target, at) // links that the system refuses are omitted
	}
	return root, inside, outside
}

// checkResolved compares Resolve with the system's result.
func checkResolved(t *testing.T, root *os.Root, inside, at string) {
	t.Helper()
	got, err := files.Resolve(root, at)
	really, evalErr := filepath.EvalSymlinks(filepath.Join(inside, filepath.Clean(at)))
	rel, relErr := filepath.Rel(inside, really)
	isInside := evalErr == nil && relErr == nil && filepath.IsLocal(rel)
	switch {
	case evalErr == nil && !isInside && err == nil:
		t.Errorf("%q leads to %s and not to %q", at, really, got)
	case isInside && err == nil && got != rel:
		t.Errorf("%q leads to %q and not to %q", at, rel, got)
	case err == nil || errors.Is(err, fs.ErrNotExist):
		if !filepath.IsLocal(got) {
			t.Errorf("%q is said to lead to %q", at, got)
		}
		if _, there := root.Lstat(got); err != nil && there == nil {
			t.Errorf("%q leads to nothing, but is said to lead to %q", at, got)
		}
	}
}

// checkInside checks that an opened file is inside the directory, without following links.
func checkInside(t *testing.T, inside string, file *os.File) {
	t.Helper()
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	found := false
	_ = filepath.WalkDir(inside, func(path string, _ fs.DirEntry, _ error) error {
		if other, err := os.Lstat(path); err == nil && os.SameFile(info, other) {
			found = true
		}
		return nil
	})
	if !found {
		t.Errorf("opened a file that is not beneath %s: %s", inside, file.Name())
	}
}

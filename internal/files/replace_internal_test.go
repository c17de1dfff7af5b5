package files

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// The swapped file is a concurrent save. In the second case an even newer save replaces it before
// it is restored.
func TestReplaceIf_NewestSaveWins(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ given, saved, since, want string }{
		"one save":              {"ours", "saved", "ours", "saved"},
		"and another one since": {"ours", "saved", "saved later", "saved later"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			root, err := os.OpenRoot(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer root.Close()
			for file, text := range map[string]string{"temp": c.saved, "a.md": c.since} {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if err := swapNames(root, "temp", "a.md"); errors.Is(err, errors.ErrUnsupported) {
				t.Skip("files cannot change names in one step here")
			} else if err != nil {
				t.Fatal(err)
			}
			if err := swapNames(root, "temp", "a.md"); err != nil {
				t.Fatal(err)
			}
			err = restoreNewer(root, "temp", "a.md", Hash([]byte(c.given)), Hash([]byte(c.saved)))
			if !errors.Is(err, ErrChanged) {
				t.Error(err)
			}
			if now, err := os.ReadFile(filepath.Join(dir, "a.md")); err != nil || string(now) != c.want {
				t.Errorf("the file has %q (%v), want %q", now, err, c.want)
			}
		})
	}
}

// After a crash during a replacement, the leftover has the old bytes or those of a concurrent save.
func TestRecover_ConcurrentSave(t *testing.T) {
	t.Parallel()
	const was, ours, saved = "was", "ours", "saved"
	for name, c := range map[string]struct{ left, there, want string }{
		"before they changed places":       {ours, was, was},
		"after they changed places":        {was, ours, ours},
		"somebody saved before that":       {ours, saved, saved},
		"somebody saved in between":        {saved, ours, saved},
		"somebody saved in between, twice": {saved, "saved later", "saved later"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			root, err := os.OpenRoot(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer root.Close()
			for file, text := range map[string]string{"temp": c.left, "a.md": c.there} {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := renameForSwap(root, "temp", "a.md", Hash([]byte(ours)), Hash([]byte(was))); err != nil {
				t.Fatal(err)
			}
			back, err := NewGuard().Recover(root, []string{"."})
			if err != nil {
				t.Fatal(err)
			}
			if now, err := os.ReadFile(filepath.Join(dir, "a.md")); err != nil || string(now) != c.want {
				t.Errorf("the file has %q (%v), want %q", now, err, c.want)
			}
			if restored := c.want != c.there; restored != (len(back) == 1) {
				t.Errorf("put back: %v", back)
			}
			if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
				t.Errorf("there are %v (%v)", left, err)
			}
		})
	}
}

func TestWrite_ModeClosedMeanwhile(t *testing.T) {
	t.Parallel()
	for name, options := range map[string]Options{
		"if it is what it was": {IfHash: Hash([]byte("old"))},
		"whatever it is":       {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "a.md")
			if err := os.WriteFile(file, []byte("old"), 0o644); err != nil {
				t.Fatal(err)
			}
			root, err := os.OpenRoot(filepath.Dir(file))
			if err != nil {
				t.Fatal(err)
			}
			defer root.Close()
			r, err := prepare(root, "a.md", []byte("new"), options)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(file, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := r.write([]byte("new"), options); err != nil {
				t.Fatal(err)
			}
			if raw, err := os.ReadFile(file); err != nil || string(raw) != "new" {
				t.Errorf("the file has %q (%v)", raw, err)
			}
			if info, err := os.Stat(file); err != nil || info.Mode() != 0o600 {
				t.Errorf("the file has the mode %v (%v)", info.Mode(), err)
			}
			if left, err := os.ReadDir(filepath.Dir(file)); err != nil || len(left) != 1 {
				t.Errorf("there are %v (%v)", left, err)
			}
		})
	}
}

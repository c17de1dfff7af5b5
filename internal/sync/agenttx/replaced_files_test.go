package agenttx

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"memoir/internal/files"
)

func TestRecoverLateWrites(t *testing.T) {
	t.Parallel()
	const settled = lateWriteTimeout + time.Millisecond
	for _, tt := range []struct {
		name string
		// after runs after Memoir has replaced "old" by "new". editor is the file that an editor
		// had opened before.
		after func(t *testing.T, tx *Tx, editor *os.File)
		want  string
		open  int // replaced files that stay open
		scans int // requested scans: one for the replacement, one for a recovered write
	}{
		{
			"nothing written", func(*testing.T, *Tx, *os.File) { time.Sleep(settled) }, "new", 0, 1,
		},
		{
			"late write", func(t *testing.T, _ *Tx, editor *os.File) {
				writeLate(t, editor, "late")
				time.Sleep(settled)
			}, "late", 0, 2,
		},
		{
			"may still be written", func(t *testing.T, _ *Tx, editor *os.File) { writeLate(t, editor, "late") }, "new", 1, 1,
		},
		{
			"emptied, being written", func(t *testing.T, _ *Tx, editor *os.File) {
				writeLate(t, editor, "")
				time.Sleep(EmptyFileTimeout - time.Millisecond)
			}, "new", 1, 1,
		},
		{
			"stays empty", func(t *testing.T, _ *Tx, editor *os.File) {
				writeLate(t, editor, "")
				time.Sleep(EmptyFileTimeout)
			}, "new", 0, 1,
		},
		{
			"same bytes as new", func(t *testing.T, _ *Tx, editor *os.File) {
				writeLate(t, editor, "new")
				time.Sleep(settled)
			}, "new", 0, 1,
		},
		{
			"another program was faster", func(t *testing.T, tx *Tx, editor *os.File) {
				writeLate(t, editor, "late")
				writeFile(t, tx, "a.md", "newer")
				time.Sleep(settled)
			}, "newer", 0, 1,
		},
		{
			"replaced twice", func(t *testing.T, tx *Tx, editor *os.File) {
				if err := tx.Overwrite("a.md", []byte("third"), files.Options{IfHash: files.Hash([]byte("new"))}); err != nil {
					t.Fatal(err)
				}
				writeLate(t, editor, "late")
				time.Sleep(settled)
			}, "late", 0, 2,
		},
		{
			"larger than allowed", func(t *testing.T, _ *Tx, editor *os.File) {
				if err := editor.Truncate(maxLateWrite + 1); err != nil {
					t.Fatal(err)
				}
				time.Sleep(settled)
			}, "new", 0, 1,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tx := newTx(t)
			writeFile(t, tx, "a.md", "old")
			editor, err := tx.Root.OpenFile("a.md", os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer editor.Close()
			synctest.Test(t, func(t *testing.T) {
				if err := tx.Overwrite("a.md", []byte("new"), files.Options{IfHash: files.Hash([]byte("old"))}); err != nil {
					t.Fatal(err)
				}
				tt.after(t, tx, editor)
				tx.RecoverLateWrites()
			})
			wantText(t, tx, "a.md", tt.want)
			if n := len(tx.replaced.all); n != tt.open {
				t.Errorf("%d replaced files are open, want %d", n, tt.open)
			}
			if n := tx.queue.PendingOf("ada"); n != tt.scans {
				t.Errorf("%d scans are requested, want %d", n, tt.scans)
			}
		})
	}
}

// writeLate writes a file that the caller opened before it was replaced.
func writeLate(t *testing.T, file *os.File, text string) {
	t.Helper()
	if err := file.Truncate(0); err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteAt([]byte(text), 0); err != nil {
		t.Fatal(err)
	}
}

func TestReplacedFile_RecentWrite(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		file := openFile(t)
		writeLate(t, file, "late")
		if err := os.Chtimes(file.Name(), time.Now(), time.Now()); err != nil {
			t.Fatal(err)
		}
		r := replacedFile{file: file, replacedAt: time.Now().Add(-time.Minute)}
		time.Sleep(lateWriteTimeout - 1)
		if raw, isFinal := r.read(); isFinal || raw != nil {
			t.Errorf("read() = %q, %t just after a write, want no result yet", raw, isFinal)
		}
		time.Sleep(time.Nanosecond)
		if raw, isFinal := r.read(); !isFinal || string(raw) != "late" {
			t.Errorf("read() = %q, %t, want the late write", raw, isFinal)
		}
	})
}

func TestRecoverLateWrites_OtherAgent(t *testing.T) {
	t.Parallel()
	tx := newTx(t)
	synctest.Test(t, func(t *testing.T) {
		file := openFile(t)
		tx.replaced.add(replacedFile{slug: "bob", path: "a.md", file: file, replacedAt: time.Now()})
		time.Sleep(time.Minute)
		tx.RecoverLateWrites()
		if tx.replaced.first("bob") == nil || isClosed(file) {
			t.Error("RecoverLateWrites() closed the file of another agent")
		}
	})
}

func TestReplacedFiles_Limit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var all replacedFiles
		var opened []*os.File
		add := func() *os.File {
			file := openNull(t)
			all.add(replacedFile{slug: "ada", file: file, replacedAt: time.Now()})
			opened = append(opened, file)
			return file
		}
		for range maxReplaced {
			add()
		}
		if file := add(); !isClosed(file) || len(all.all) != maxReplaced {
			t.Errorf("%d files are open, want the last one closed at once", len(all.all))
		}
		time.Sleep(maxReplacedAge)
		if file := add(); !isClosed(file) {
			t.Error("a file of exactly the greatest age was closed")
		}
		time.Sleep(time.Nanosecond)
		if file := add(); isClosed(file) || !isClosed(opened[0]) || len(all.all) != 1 {
			t.Errorf("%d files are open, want old ones closed for the new one", len(all.all))
		}
		all.close()
		for i, file := range opened {
			if !isClosed(file) {
				t.Errorf("file %d is open after close", i)
			}
		}
	})
}

func TestReplacedFiles_First(t *testing.T) {
	t.Parallel()
	var all replacedFiles
	defer all.close()
	first, second := openNull(t), openNull(t)
	all.add(replacedFile{slug: "bob", path: "b.md", file: openNull(t), replacedAt: time.Now()})
	all.add(replacedFile{slug: "ada", path: "a.md", file: first, newHash: "1", replacedAt: time.Now()})
	all.add(replacedFile{slug: "ada", path: "c.md", file: second, newHash: "1", replacedAt: time.Now()})
	if r := all.first("ada"); r == nil || r.path != "a.md" {
		t.Errorf("first() = %+v, want a.md", r)
	}
	all.setNewHash("ada", "", "a.md", "1", "2")
	all.setNewHash("ada", "", "a.md", "1", "3") // no longer the hash
	if r := all.first("ada"); r.newHash != "2" {
		t.Errorf("newHash = %q, want 2", r.newHash)
	}
	all.closeFile(first)
	if r := all.first("ada"); r == nil || r.path != "c.md" || r.newHash != "1" || !isClosed(first) || isClosed(second) {
		t.Errorf("first() after closeFile = %+v, want c.md, unchanged", r)
	}
	if r := all.first("eve"); r != nil {
		t.Errorf("first() of another agent = %+v, want nil", r)
	}
}

// openNull opens a file that can be read but has no bytes.
func openNull(t *testing.T) *os.File {
	t.Helper()
	file, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	return file
}

func openFile(t *testing.T) *os.File {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "a.md"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	return file
}

func isClosed(file *os.File) bool {
	_, err := file.Stat()
	return errors.Is(err, os.ErrClosed)
}

func TestRecoverLateWrites_OtherDirectory(t *testing.T) {
	t.Parallel()
	tx := newTx(t)
	dir := t.TempDir()
	project, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer project.Close()
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(dir, "AGENTS.md")
		if err := os.WriteFile(path, []byte("old"), 0o644); err != nil {
			t.Fatal(err)
		}
		editor, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer editor.Close()
		if err := tx.OverwriteIn(project, "AGENTS.md", []byte("new"), files.Options{IfHash: files.Hash([]byte("old"))}); err != nil {
			t.Fatal(err)
		}
		writeLate(t, editor, "late")
		time.Sleep(lateWriteTimeout + time.Millisecond)
		tx.RecoverLateWrites()
		if raw, err := os.ReadFile(path); err != nil || string(raw) != "late" {
			t.Errorf("the file has %q, %v, want late", raw, err)
		}
		if _, err := tx.Root.Stat("AGENTS.md"); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the agent's directory has the file too: %v", err)
		}
	})
}

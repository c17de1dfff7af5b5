package agenttx

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"memoir/internal/agents"
	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/internal/sync/watch"
)

// newTx returns a Tx of a hive agent in an empty directory, without rows.
func newTx(t *testing.T) *Tx {
	t.Helper()
	top := t.TempDir()
	dir := filepath.Join(top, "ada")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	guard := files.NewGuard(top)
	tx := &Tx{
		Agent: agents.Agent{Slug: "ada", Layout: agents.Hive, Dir: dir}, Root: root, Disk: NewDisk(guard), State: NewState(1),
		Log: slog.New(slog.DiscardHandler), guard: guard, queue: watch.NewQueue(0), replaced: &replacedFiles{},
	}
	t.Cleanup(func() {
		tx.replaced.close()
		root.Close()
	})
	return tx
}

func writeFile(t *testing.T, tx *Tx, path, text string) {
	t.Helper()
	if err := tx.Root.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// appendTo writes a text to the end of an existing file. Unlike writeFile it does not empty the file
// first, which would give it a time far from the test's.
func appendTo(t *testing.T, tx *Tx, path, text string) {
	t.Helper()
	f, err := tx.Root.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err == nil {
		_, err = f.WriteString(text)
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

func wantText(t *testing.T, tx *Tx, path, want string) {
	t.Helper()
	if raw, err := tx.Root.ReadFile(path); err != nil || string(raw) != want {
		t.Errorf("%s has %q, %v, want %q", path, raw, err, want)
	}
}

func TestReadAll_Limit(t *testing.T) {
	t.Parallel()
	tx := newTx(t)
	writeFile(t, tx, "a.md", "12345")
	if raw, err := ReadAll(tx.Root, "a.md", 5); err != nil || string(raw) != "12345" {
		t.Errorf("ReadAll() = %q, %v, want the whole file", raw, err)
	}
	if raw, err := ReadAll(tx.Root, "a.md", 4); !errors.Is(err, ErrTooLarge) || raw != nil {
		t.Errorf("ReadAll() = %q, %v, want ErrTooLarge", raw, err)
	}
}

func TestReadRecorded(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, onDisk string // no file if empty
		want         string
		isConflict   bool
		rescans      int
	}{
		{"recorded bytes", "text", "text", false, 0},
		{"missing", "", "", false, 0},
		{"other bytes", "edited", "", true, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tx := newTx(t)
			if tt.onDisk != "" {
				writeFile(t, tx, "a.md", tt.onDisk)
			}
			raw, err := tx.ReadRecorded(records.File{Path: "a.md", Hash: files.Hash([]byte("text"))})
			var conflict *memories.ConflictError
			if string(raw) != tt.want || errors.As(err, &conflict) != tt.isConflict || (err != nil) != tt.isConflict {
				t.Errorf("ReadRecorded() = %q, %v, want %q, conflict %t", raw, err, tt.want, tt.isConflict)
			}
			if n := tx.queue.PendingOf("ada"); n != tt.rescans {
				t.Errorf("%d scans are requested, want %d", n, tt.rescans)
			}
		})
	}
}

func TestAwaitBytes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		age      time.Duration // of the modification time
		bytesIn  time.Duration // when bytes arrive; 0 if never
		want     bool
		min, max time.Duration
	}{
		{"just emptied", 0, 0, false, EmptyFileTimeout, EmptyFileTimeout + 10*time.Millisecond},
		{"emptied long ago", time.Hour, 0, false, lateTimes, lateTimes + 10*time.Millisecond},
		{"bytes arrive", 0, 300 * time.Millisecond, true, 300 * time.Millisecond, 310 * time.Millisecond},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tx := newTx(t)
			synctest.Test(t, func(t *testing.T) {
				writeFile(t, tx, "a.md", "")
				start := time.Now()
				if err := tx.Root.Chtimes("a.md", start.Add(-tt.age), start.Add(-tt.age)); err != nil {
					t.Fatal(err)
				}
				if tt.bytesIn > 0 {
					time.AfterFunc(tt.bytesIn, func() { appendTo(t, tx, "a.md", "text") })
				}
				got := AwaitBytes(tx.Root, "a.md")
				if took := time.Since(start); got != tt.want || took < tt.min || took > tt.max {
					t.Errorf("AwaitBytes() = %t after %v, want %t after %v to %v", got, took, tt.want, tt.min, tt.max)
				}
			})
		})
	}
	tx := newTx(t)
	if AwaitBytes(tx.Root, "gone.md") {
		t.Error("AwaitBytes() of a missing file = true, want false")
	}
}

func TestIsFree(t *testing.T) {
	t.Parallel()
	tx := newTx(t)
	writeFile(t, tx, "a.md", "text")
	if err := tx.Root.Symlink("gone.md", "link.md"); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{"free.md": true, "a.md": false, "link.md": false, "a.md/x.md": false} {
		if got := tx.IsFree(path); got != want {
			t.Errorf("IsFree(%q) = %t, want %t", path, got, want)
		}
	}
}

func TestHasHash(t *testing.T) {
	t.Parallel()
	tx := newTx(t)
	writeFile(t, tx, "a.md", "text")
	if hash := files.Hash([]byte("text")); !tx.HasHash("a.md", hash) || tx.HasHash("a.md", "other") || tx.HasHash("gone.md", hash) {
		t.Error("HasHash() does not report exactly the hash of an existing file")
	}
}

func TestCheckWrite_Ownership(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		openDir  string // directory that all users may write; none if empty
		publish  bool   // CLAUDE.md is refused
		write    bool   // a save is refused
		owner    bool   // the removal of a primary file is refused
		inLayout agents.Layout
	}{
		{"own directories", "", false, false, false, agents.Hive},
		{"open agent directory", ".", true, true, true, agents.Hive},
		{"open memory directory", "memory", false, true, true, agents.Hive},
		{"open directory elsewhere", "sessions", false, false, false, agents.Hive},
		{"unpublished agent", ".", false, true, true, agents.Directory},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tx := newTx(t)
			tx.Agent.Layout = tt.inLayout
			for _, dir := range []string{"memory", "sessions"} {
				if err := tx.Root.Mkdir(dir, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			writeFile(t, tx, "memory/a.md", "text")
			if tt.openDir != "" {
				if err := tx.Root.Chmod(tt.openDir, 0o777); err != nil {
					t.Fatal(err)
				}
			}
			if err := tx.CheckPublish(); files.IsOwnership(err) != tt.publish || (err != nil) != tt.publish {
				t.Errorf("CheckPublish() error = %v, want one: %t", err, tt.publish)
			}
			check := func(method string, err error, isRefused bool) {
				t.Helper()
				var conflict *memories.ConflictError
				if errors.As(err, &conflict) != isRefused || (err != nil) != isRefused {
					t.Errorf("%s error = %v, want a ConflictError: %t", method, err, isRefused)
				}
				if isRefused && !strings.Contains(err.Error(), "all users may write to ") {
					t.Errorf("%s error = %v, want the reason", method, err)
				}
			}
			check("CheckWrite()", tx.CheckWrite(), tt.write)
			check("CheckOwner()", tx.CheckOwner("memory/a.md"), tt.owner)
			check("CheckRemove()", tx.CheckRemove(records.File{Path: "memory/a.md"}), tt.owner)
			check("CheckRemove() of a session's file", tx.CheckRemove(records.File{Path: "memory/a.md", Session: "s"}), false)
		})
	}
}

func TestCheckWrite_NoDirectory(t *testing.T) {
	t.Parallel()
	tx := &Tx{Agent: agents.Agent{Layout: agents.Hive}}
	if err := errors.Join(tx.CheckWrite(), tx.CheckPublish(), tx.CheckRemove(records.File{Path: "memory/a.md"})); err != nil {
		t.Errorf("checks without a directory = %v, want nil", err)
	}
}

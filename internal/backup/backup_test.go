package backup_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"memoir/internal/backup"
	"memoir/internal/backup/archive"
	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/postgres/dump"
	"memoir/internal/postgres/pgtest"
	"memoir/internal/waittest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// contents returns the files of a backup by agent and path.
func contents(t *testing.T, whole []byte) map[string]string {
	t.Helper()
	m, err := archive.Verify(bytes.NewReader(whole))
	if err != nil {
		t.Fatal(err)
	}
	r, err := archive.NewReader(bytes.NewReader(whole))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	found := map[string]string{}
	for {
		item, err := r.Next()
		if err == io.EOF { //nolint:errorlint // as Next documents it
			return found
		}
		if err != nil {
			t.Fatal(err)
		}
		if item.Table != "" {
			continue
		}
		raw, err := io.ReadAll(item)
		if err != nil {
			t.Fatal(err)
		}
		found[m.Agents[item.Agent].Slug+"/"+item.Path] = string(raw)
	}
}

// What the snapshot knows must be in the backup, even if it was removed before it was read.
func TestWrite_RemovedMeanwhile(t *testing.T) {
	t.Parallel()
	tabs := memoirtest.Note("Tabs", memories.User, "Use tabs.")
	m := memoirtest.Start(t, memoirtest.Files{
		"ada/memory/tabs.md": tabs, "ada/memory/stays.md": memoirtest.Note("Stays", memories.User, "Here."), "ada/memory/logs/2026/11/2026-11-20.md": "- Log.\n",
		"ada/memory/plain.txt": "Text.", "ada/AGENTS.md": "# Rules\n", "ada/other.md": "Not Memoir's.", "bob/memory/x.md": memoirtest.Note("X", memories.User, "Gone soon."),
	})
	if err := os.Symlink("/etc/hostname", m.Path("ada/memory/link.md")); err != nil {
		t.Fatal(err)
	}
	running, err := backup.New(m.Store.Pool(), "v1").Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer running.Close()
	if err := os.Remove(m.Path("ada/memory/tabs.md")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(m.Path("ada/memory/new.md"), []byte("Later."), 0o644); err != nil {
		t.Fatal(err)
	}
	// Memoir may be writing a file in it.
	waittest.NoError(t, "the directory to be removed", func() error { return os.RemoveAll(m.Path("bob")) })
	var out bytes.Buffer
	manifest, err := running.Write(t.Context(), &out)
	if err != nil {
		t.Fatal(err)
	}
	found := contents(t, out.Bytes())
	for path, want := range map[string]string{
		"ada/memory/tabs.md": tabs, "ada/memory/new.md": "Later.", "ada/memory/logs/2026/11/2026-11-20.md": "- Log.\n", "ada/memory/plain.txt": "Text.",
	} {
		if found[path] != want {
			t.Errorf("%s is %q, want %q", path, found[path], want)
		}
	}
	if !strings.Contains(found["ada/AGENTS.md"], "# Rules") || !strings.Contains(found["ada/AGENTS.md"], "memoir:begin") {
		t.Errorf("AGENTS.md is %q", found["ada/AGENTS.md"])
	}
	for _, path := range []string{"ada/other.md", "ada/memory/link.md"} {
		if text, ok := found[path]; ok {
			t.Errorf("%s is in the backup: %q", path, text)
		}
	}
	var left []string
	for _, l := range manifest.LeftOut {
		left = append(left, l.Path)
	}
	if want := []string{m.Path("ada/memory/link.md"), m.Path("bob")}; !slices.Equal(left, want) {
		t.Errorf("left out: %q, want %q", left, want)
	}
	for _, f := range manifest.Agents[0].Files {
		if f.FromDatabase != (f.Path == "memory/tabs.md") {
			t.Errorf("%s: from the database is %v", f.Path, f.FromDatabase)
		}
	}
}

func TestBegin_OneAtATime(t *testing.T) {
	t.Parallel()
	m := memoirtest.Start(t, nil)
	service := backup.New(m.Store.Pool(), "v1")
	running, err := service.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := service.Begin(t.Context()); err != backup.ErrRunning { //nolint:errorlint // it is not wrapped
		t.Errorf("Begin() error = %v, want ErrRunning", err)
	}
	running.Close()
	running.Close()
	again, err := service.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	again.Close()
}

// A file of another program between the plan and the writing stays.
func TestWriteFiles_ModesAndTimes(t *testing.T) {
	t.Parallel()
	m := memoirtest.Start(t, memoirtest.Files{"ada/memory/a.md": memoirtest.Note("A", memories.User, "a"), "ada/memory/b.md": memoirtest.Note("B", memories.User, "b")})
	then := time.Now().Add(-time.Hour).Truncate(time.Microsecond)
	for path, mode := range map[string]os.FileMode{"ada/memory/a.md": 0o600, "ada/memory": 0o750} {
		if err := os.Chmod(m.Path(path), mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(m.Path("ada/memory/a.md"), then, then); err != nil {
		t.Fatal(err)
	}
	running, err := backup.New(m.Store.Pool(), "v1").Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer running.Close()
	var out bytes.Buffer
	manifest, err := running.Write(t.Context(), &out)
	if err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), "agents")
	plan, err := backup.MakePlan(context.Background(), manifest, []dump.Move{{From: m.Dir, To: to}})
	if err != nil || plan.Count(backup.Missing) != manifest.Files() {
		t.Fatalf("MakePlan() = %+v, %v", plan, err)
	}
	if err := os.MkdirAll(filepath.Join(to, "ada/memory"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(to, "ada/memory/b.md"), []byte("Faster."), 0o644); err != nil {
		t.Fatal(err)
	}
	r, err := archive.NewReader(bytes.NewReader(out.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := backup.WriteFiles(t.Context(), manifest, plan, r); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(to, "ada/memory/a.md"))
	if err != nil || info.Mode().Perm() != 0o600 || !info.ModTime().Equal(then) {
		t.Errorf("a.md: %v %v (%v)", info.Mode(), info.ModTime(), err)
	}
	if raw, _ := os.ReadFile(filepath.Join(to, "ada/memory/b.md")); string(raw) != "Faster." {
		t.Errorf("b.md is %q", raw)
	}
	if info, err := os.Stat(filepath.Join(to, "ada/memory")); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("a directory that was there: %v (%v)", info.Mode(), err)
	}
}

func TestStart_KeepsRetrying(t *testing.T) {
	t.Parallel()
	m := memoirtest.Start(t, nil)
	dir := filepath.Join(t.TempDir(), "backups")
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := backup.New(m.Store.Pool(), "v1").Start(backup.Schedule{Dir: dir, Every: 50 * time.Millisecond, Log: slog.New(slog.DiscardHandler)})
	defer s.Close()
	waittest.For(t, "a failure", func() bool { return s.Status().Problem != "" && s.Status().IsOverdue(time.Now()) })
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	waittest.For(t, "a backup", func() bool { return s.Status().Problem == "" && s.Status().LastSize > 0 })
}

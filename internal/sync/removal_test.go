package sync_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/postgres/pgtest"
	engine "memoir/internal/sync"
	"memoir/internal/sync/watch"
	"memoir/internal/waittest"
)

func (b *bench) isIn(slug, name string, state memories.State) {
	b.Helper()
	if _, ok := b.list(slug, state)[name]; !ok {
		b.Errorf("%s is not %s; alive are %d, deleted %d", name, state, len(b.list(slug, "")), len(b.list(slug, memories.Deleted)))
	}
}

func TestRemoval_TrashAndReturn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	text := note("Deploy", memories.Project, "on Fridays never")
	b.write("ada/memory/a.md", text)
	b.write("ada/memory/b.md", note("Other", memories.Project, "stays"))
	b.scanAll()
	b.remove("ada/memory/a.md")
	b.scan("ada")
	b.isIn("ada", "Deploy", memories.Deleted)
	if strings.Contains(b.read("ada/CLAUDE.md"), "Fridays") {
		t.Error("CLAUDE.md still has what was removed on disk")
	}
	b.write("ada/memory/a.md", text)
	b.scan("ada")
	b.isIn("ada", "Deploy", memories.Active)
}

// unclearedDisk is one on which what a crash has left cannot be cleared for a while.
type unclearedDisk struct {
	brokenDisk
	failing *atomic.Bool
}

func (d unclearedDisk) Recover(root *os.Root, dirs []string) ([]string, error) {
	if d.failing.Load() {
		return nil, syscall.EIO
	}
	return d.brokenDisk.Recover(root, dirs)
}

func TestRemoval_CrashLeftovers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("ada/memory/a.md", note("Deploy", memories.Project, "on Fridays never"))
	b.write("ada/memory/b.md", note("Other", memories.Project, "goes"))
	b.write("ada/memory/deep/c.md", note("Third", memories.Project, "stays"))
	b.scanAll()
	b.stop()
	if err := os.Rename(b.path("ada/memory/a.md"), b.path("ada/memory/.memoir-removing-a.md")); err != nil {
		t.Fatal(err)
	}
	disk := unclearedDisk{brokenDisk{&breaker{}}, &atomic.Bool{}}
	disk.failing.Store(true)
	b.options.Disk = disk
	b.start()
	b.scan("ada")
	b.isIn("ada", "Deploy", memories.Active)
	disk.failing.Store(false)
	b.remove("ada/memory/b.md")
	b.scan("ada")
	b.isIn("ada", "Deploy", memories.Active)
	b.isIn("ada", "Other", memories.Deleted)
	b.isIn("ada", "Third", memories.Active)
	if got := b.read("ada/memory/a.md"); !strings.Contains(got, "on Fridays never") {
		t.Errorf("the file is %q", got)
	}
	for _, gap := range pgtest.JournalGaps(t.Context(), b.url) {
		t.Error(gap)
	}
}

func TestRemoval_SessionKeepsMemory(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("ada/memory/a.md", note("Deploy", memories.Project, "same"))
	b.write(inSession(sessionA, "a.md"), note("Deploy", memories.Project, "same"))
	b.scanAll()
	b.remove("ada/memory/a.md")
	b.scan("ada")
	b.isIn("ada", "Deploy", memories.Active)
	b.remove("ada/sessions/" + sessionA)
	b.scan("ada")
	b.isIn("ada", "Deploy", memories.Active)
}

// A copy with deleted content is blocked. It does not keep a memory alive whose own file is removed.
func TestRemoval_BlockedCopy(t *testing.T) {
	t.Parallel()
	for name, copied := range map[string]string{"in a session": inSession(sessionA, "a.md"), "primary": "ada/memory/copy.md"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.write("ada/memory/a.md", note("Deploy", memories.Project, "deleted"))
			b.scanAll()
			b.delete("ada", "Deploy")
			b.write(copied, note("Deploy", memories.Project, "deleted"))
			b.write("ada/memory/a.md", note("Deploy", memories.Project, "new"))
			b.scan("ada")
			b.hasBody("ada", "Deploy", "new")
			b.remove("ada/memory/a.md")
			b.scan("ada")
			b.isIn("ada", "Deploy", memories.Deleted)
			if strings.Contains(b.read("ada/CLAUDE.md"), "### Deploy\n") {
				t.Error("CLAUDE.md has the removed memory")
			}
			b.write("ada/memory/a.md", note("Deploy", memories.Project, "new"))
			b.scan("ada")
			b.hasBody("ada", "Deploy", "new")
		})
	}
}

func TestRemoval_Session(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write(inSession(sessionA, "a.md"), note("Deploy", memories.Project, "kept"))
	b.write(inSession(sessionA, "b.md"), note("Second", memories.Project, "kept"))
	b.scanAll()
	b.remove(inSession(sessionA, "a.md"))
	b.scan("ada")
	b.remove("ada/sessions/" + sessionA)
	b.scan("ada")
	b.isIn("ada", "Deploy", memories.Active)
	b.isIn("ada", "Second", memories.Active)
}

func TestRemoval_SessionFilesNotCounted(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		removed string
		restart bool
	}{
		"all sessions":                   {removed: "ada/sessions"},
		"all sessions, between two runs": {removed: "ada/sessions", restart: true},
		"the only session":               {removed: "ada/sessions/" + sessionA},
		"the memory of the only session": {removed: "ada/sessions/" + sessionA + "/memory"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.write("ada/memory/a.md", note("Deploy", memories.Project, "same"))
			b.write("ada/memory/b.md", note("Other", memories.Project, "stays"))
			b.write(inSession(sessionA, "a.md"), note("Deploy", memories.Project, "same"))
			b.write(inSession(sessionA, "c.md"), note("Said", memories.Project, "in the session alone"))
			b.scanAll()
			if c.restart {
				b.stop()
			}
			b.removeBusy(c.removed)
			if c.restart {
				b.start()
			}
			waittest.For(b, "the session's files to be gone", func() bool {
				s, err := b.engine.Status(t.Context())
				return err == nil && s.FilesOnDisk == 2 && s.Mirrored == 2
			})
			b.isIn("ada", "Said", memories.Active)
			if files := b.memory("ada", "Deploy").Files; len(files) != 1 || files[0].Path != "memory/a.md" {
				t.Errorf("Deploy is said to be in %+v", files)
			}
			b.remove("ada/memory/a.md")
			b.scan("ada")
			b.isIn("ada", "Deploy", memories.Deleted)
			b.isIn("ada", "Said", memories.Active)
		})
	}
}

func TestRemoval_FileChangesName(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("ada/memory/a.md", note("Old", memories.Project, "text"))
	b.scanAll()
	b.write("ada/memory/a.md", note("New", memories.Project, "text"))
	b.scan("ada")
	b.isIn("ada", "Old", memories.Deleted)
	b.isIn("ada", "New", memories.Active)
}

func TestRemoval_FileRenamed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("ada/memory/a.md", note("Deploy", memories.Project, "text"))
	b.scanAll()
	id := b.memory("ada", "Deploy").ID
	b.rename("ada/memory/a.md", "ada/memory/sub/b.md")
	b.scan("ada")
	if m := b.memory("ada", "Deploy"); m.ID != id || m.Path != "memory/sub/b.md" {
		t.Errorf("the memory is now %s at %s", m.ID, m.Path)
	}
}

func TestRemoval_MissingDirectory(t *testing.T) {
	t.Parallel()
	for _, gone := range []string{"ada/memory", "ada"} {
		t.Run(gone, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.write("ada/memory/a.md", note("Deploy", memories.Project, "kept"))
			b.scanAll()
			b.rename(gone, "aside")
			b.scanAll()
			b.restart()
			b.isIn("ada", "Deploy", memories.Active)
			b.rename("aside", gone)
			b.scanAll()
			b.isIn("ada", "Deploy", memories.Active)
			if !b.agent("ada").Present {
				t.Error("the agent is back and still marked as gone")
			}
		})
	}
}

func TestRemoval_DirectoryRecreated(t *testing.T) {
	t.Parallel()
	for name, between := range map[string]func(*bench){
		"seen by the same server": func(*bench) {},
		"seen by another":         (*bench).restart,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.stopWatching()
			b.write("ada/memory/a.md", note("Deploy", memories.Project, "kept"))
			b.write("ada/memory/b.md", note("Staging", memories.Project, "back, and removed"))
			b.scanAll()
			b.rename("ada/memory", "aside")
			b.scanAll()
			between(b)
			b.write("ada/memory/c.md", note("New", memories.Project, "text"))
			b.scanAll()
			for _, name := range []string{"Deploy", "Staging", "New"} {
				b.isIn("ada", name, memories.Active)
			}
			b.rename("aside/b.md", "ada/memory/b.md")
			b.scanAll()
			b.remove("ada/memory/b.md")
			b.remove("ada/memory/c.md")
			b.scanAll()
			b.isIn("ada", "Deploy", memories.Active)
			b.isIn("ada", "Staging", memories.Deleted)
			b.isIn("ada", "New", memories.Deleted)
		})
	}
}

func TestRemoval_DirectoryReplaced(t *testing.T) {
	t.Parallel()
	for name, replace := range map[string]func(*bench){
		"the memory directory": func(b *bench) {
			b.rename("ada/memory", "aside")
			b.write("ada/memory/c.md", note("New", memories.Project, "text"))
		},
		"the agent's": func(b *bench) {
			b.rename("ada", "aside")
			b.write("ada/memory/c.md", note("New", memories.Project, "text"))
		},
		"what a link leads to": func(b *bench) {
			b.rename("ada/memory", "ada/one")
			b.link("ada/memory", "one")
			b.scanAll()
			b.write("ada/other/c.md", note("New", memories.Project, "text"))
			b.remove("ada/memory")
			b.link("ada/memory", "other")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.stopWatching()
			b.write("ada/memory/a.md", note("Deploy", memories.Project, "kept"))
			b.write("ada/memory/b.md", note("Staging", memories.Project, "kept too"))
			b.scanAll()
			replace(b)
			b.scan("ada")
			b.isIn("ada", "Deploy", memories.Missing)
			b.isIn("ada", "Staging", memories.Missing)
			b.isIn("ada", "New", memories.Active)
			if s, err := b.engine.Status(t.Context()); err != nil || s.FilesOnDisk != 1 || s.Mirrored != 1 {
				t.Errorf("%d files on disk, %d mirrored, %v", s.FilesOnDisk, s.Mirrored, err)
			}
			// From now on this is the known directory, and a file that is removed from it counts as removed.
			b.write("ada/memory/b.md", note("Staging", memories.Project, "kept too"))
			b.scan("ada")
			b.remove("ada/memory/b.md")
			b.remove("ada/memory/c.md")
			b.scan("ada")
			b.isIn("ada", "Deploy", memories.Missing)
			b.isIn("ada", "Staging", memories.Deleted)
			b.isIn("ada", "New", memories.Deleted)
		})
	}
}

func TestAgent_MissingDirectory(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("ada/memory/a.md", note("Deploy", memories.Project, "kept"))
	b.scanAll()
	b.removeBusy("ada")
	b.scanAll()
	if b.agent("ada").Present {
		t.Error("the agent is not marked as gone")
	}
	b.isIn("ada", "Deploy", memories.Active)
	if _, err := b.engine.Forget(t.Context(), "ada"); err != nil {
		t.Fatal(err)
	}
	if _, err := b.store.Agent(t.Context(), "ada"); err != memories.ErrNotFound {
		t.Errorf("the forgotten agent is answered with %v", err)
	}
}

func TestSave_MissingDirectory(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("ada/memory/a.md", note("Deploy", memories.Project, "kept"))
	b.write("ada/memory/b.md", note("Gone", memories.Project, "deleted"))
	b.scanAll()
	gone := b.delete("ada", "Gone")
	b.rename("ada/memory", "aside")
	_, err := b.engine.Save(t.Context(), "ada", engine.Draft{Name: "New", Type: memories.User})
	b.isConflict(err, "not found")
	_, err = b.engine.Restore(t.Context(), "ada", gone.ID, "")
	b.isConflict(err, "not found")
	b.rename("aside", "ada/memory")
	b.scanAll()
	b.isIn("ada", "Deploy", memories.Active)
	b.isIn("ada", "Gone", memories.Deleted)
	b.write("ada/memory/b.md", note("Gone", memories.Project, "deleted"))
	b.scan("ada")
	b.isIn("ada", "Gone", memories.Deleted)
}

func TestReturn_NewestFile(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.writeAged("ada/memory/a.md", note("Deploy", memories.Project, "older"), 2*time.Hour)
	b.writeAged("ada/memory/sub/b.md", note("Deploy", memories.Project, "newer"), time.Hour)
	b.write("ada/memory/c.md", note("Other", memories.Project, "stays"))
	b.scanAll()
	b.rename("ada/memory/a.md", "aside/a.md")
	b.rename("ada/memory/sub", "aside/sub")
	b.scan("ada")
	b.isIn("ada", "Deploy", memories.Deleted)
	b.stopWatching()
	b.rename("aside/a.md", "ada/memory/a.md")
	b.rename("aside/sub", "ada/memory/sub")
	b.scan("ada")
	b.hasBody("ada", "Deploy", "newer")
}

func TestRemoval_MassRemoval(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		there, gone int
		want        memories.State
	}{
		{there: 20, gone: 11, want: memories.Missing},
		{there: 22, gone: 11, want: memories.Deleted}, // not over half
		{there: 10, gone: 10, want: memories.Deleted}, // not more than 10
		{there: 11, gone: 11, want: memories.Missing},
	} {
		t.Run(fmt.Sprintf("%d of %d", c.gone, c.there), func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.stopWatching() // so that one look sees all of it
			for i := range c.there {
				b.write(fmt.Sprintf("ada/memory/m%02d.md", i), note(fmt.Sprintf("M%02d", i), memories.User, "text"))
			}
			b.scanAll()
			for i := range c.gone {
				b.remove(fmt.Sprintf("ada/memory/m%02d.md", i))
			}
			b.scan("ada")
			if got := len(b.list("ada", c.want)); got != c.gone {
				t.Fatalf("%d memories are %s, want %d", got, c.want, c.gone)
			}
			if c.want == memories.Missing && !strings.Contains(b.read("ada/CLAUDE.md"), "### M00\n") {
				t.Error("a missing memory is no longer compiled")
			}
		})
	}
}

// New files in the same scan do not raise the number of files that the limit of mass removals
// compares with.
func TestScan_MassRemovalBesideNewFiles(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.stopWatching()
	b.writeMany("ada/memory", 0, 20)
	b.scanAll()
	for i := range 15 {
		b.remove(fmt.Sprintf("ada/memory/%d.md", i))
	}
	b.writeMany("ada/memory", 1000, 1150)
	b.scan("ada")
	if missing := len(b.list("ada", memories.Missing)); missing != 15 {
		t.Errorf("%d memories are missing, want 15", missing)
	}
}

func TestRemoval_MassRemovalIgnoresBlocked(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const lasting, deleted, gone = 20, 5, 11
	b.stopWatching()
	for i := range lasting + deleted {
		b.write(fmt.Sprintf("ada/memory/m%02d.md", i), note(fmt.Sprintf("M%02d", i), memories.User, "text"))
	}
	b.scanAll()
	for i := lasting; i < lasting+deleted; i++ {
		name := fmt.Sprintf("M%02d", i)
		b.delete("ada", name)
		b.write(fmt.Sprintf("ada/memory/m%02d.md", i), note(name, memories.User, "text"))
	}
	b.scan("ada")
	if kept, err := b.store.Blocked(t.Context(), b.agent("ada").ID); err != nil || len(kept) != deleted {
		t.Fatalf("%d files are kept out (%v), want %d", len(kept), err, deleted)
	}
	for i := range gone {
		b.remove(fmt.Sprintf("ada/memory/m%02d.md", i))
	}
	b.scan("ada")
	if missing := len(b.list("ada", memories.Missing)); missing != gone {
		t.Errorf("%d of %d memories went at once, and %d are held as missing", gone, lasting, missing)
	}
}

func TestMissing_WaysOut(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.stopWatching() // so that one look sees all of it
	for i := range 12 {
		b.write(fmt.Sprintf("ada/memory/m%02d.md", i), note(fmt.Sprintf("M%02d", i), memories.User, "text"))
	}
	b.scanAll()
	for i := range 12 {
		b.remove(fmt.Sprintf("ada/memory/m%02d.md", i))
	}
	b.scan("ada")
	missing := b.list("ada", memories.Missing)
	if len(missing) != 12 {
		t.Fatalf("%d are missing", len(missing))
	}

	if _, err := b.engine.Restore(t.Context(), "ada", missing["M00"].ID, ""); err != nil {
		t.Fatal(err)
	}
	if got := b.read("ada/memory/m00.md"); got != note("M00", memories.User, "text") {
		t.Errorf("written back: %q", got)
	}
	if _, err := b.engine.Delete(t.Context(), "ada", missing["M01"].ID, ""); err != nil {
		t.Fatal(err)
	}
	b.isIn("ada", "M01", memories.Deleted)
	b.write("ada/memory/m02.md", note("M02", memories.User, "text"))
	b.scan("ada")
	b.isIn("ada", "M00", memories.Active)
	b.isIn("ada", "M02", memories.Active)
	if got := len(b.list("ada", memories.Missing)); got != 9 {
		t.Errorf("%d are still missing, want 9", got)
	}
}

func TestUnreadable_KeepsMemory(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("ada/memory/a.md", note("Deploy", memories.Project, "kept"))
	b.scanAll()
	b.write("aside.md", strings.Repeat("x", memories.MaxFileSize+1)) // all of it at once
	b.rename("aside.md", "ada/memory/a.md")
	b.scan("ada")
	b.hasBody("ada", "Deploy", "kept")
	entry := b.memory("ada", "a")
	if entry.State != memories.NeedsAttention || entry.Readable || entry.Problems[0].Code != memories.CodeTooLarge || entry.Hash == "" {
		t.Errorf("the unreadable file is listed as %+v", entry)
	}
	b.write("ada/memory/a.md", note("Deploy", memories.Project, "back"))
	b.scan("ada")
	b.hasBody("ada", "Deploy", "back")
	if _, ok := b.list("ada", "")["a"]; ok {
		t.Error("the file is readable again and still listed as unreadable")
	}
}

func TestDelete_UnreadableFileOfMemory(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("ada/memory/b.md", note("Deploy", memories.Project, "older"))
	hourAgo := time.Now().Add(-time.Hour)
	if err := os.Chtimes(b.path("ada/memory/b.md"), hourAgo, hourAgo); err != nil {
		t.Fatal(err)
	}
	b.write("ada/memory/a.md", note("Deploy", memories.Project, "newer"))
	b.scanAll()
	b.hasBody("ada", "Deploy", "newer")
	b.write("aside.md", strings.Repeat("x", memories.MaxFileSize+1))
	b.rename("aside.md", "ada/memory/a.md")
	b.scan("ada")
	b.hasBody("ada", "Deploy", "newer")
	b.delete("ada", "a")
	b.hasBody("ada", "Deploy", "older")
	if s := b.statusOf("ada"); s.FilesOnDisk != 1 {
		t.Errorf("%d files on disk, want 1", s.FilesOnDisk)
	}
}

func TestDelete_UnreadableFileListed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("ada/memory/a.md", strings.Repeat("x", memories.MaxFileSize+1))
	b.write("ada/memory/MEMORY.md", "- [A](a.md) — first\n- [B](b.md)\n")
	b.scanAll()
	b.delete("ada", "a")
	if got, want := b.read("ada/memory/MEMORY.md"), "- [B](b.md)\n"; got != want {
		t.Errorf("MEMORY.md is %q, want %q", got, want)
	}
}

// A file may have been too large for an earlier version, or for a scan during its replacement. Its
// row then has no content.
func TestUnreadable_ReadableAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("ada/memory/a.md", note("Deploy", memories.Project, "kept"))
	b.scanAll()
	b.write("aside.md", strings.Repeat("x", memories.MaxFileSize+1))
	b.rename("aside.md", "ada/memory/a.md")
	b.scan("ada")
	back := note("Deploy", memories.Project, "back")
	b.execute("UPDATE files SET hash = '" + files.Hash([]byte(back)) + "' WHERE path = 'memory/a.md'")
	b.write("aside.md", back)
	b.rename("aside.md", "ada/memory/a.md")
	b.scan("ada")
	b.hasBody("ada", "Deploy", "back")
	if _, ok := b.list("ada", "")["a"]; ok {
		t.Error("the file can be read and is still listed as one that cannot")
	}
}

// The entry for a file that is too large must not have the bytes of a file that has replaced it:
// deleting the entry would delete those bytes unseen.
func TestScan_FileReplacedMeanwhile(t *testing.T) {
	t.Parallel()
	b := setup(t)
	large, good := strings.Repeat("x", memories.MaxFileSize+1), note("Deploy", memories.Project, "back")
	b.write("ada/memory/a.md", good)
	b.scanAll()
	for round := range 60 {
		b.write("aside.md", large)
		b.write("next.md", good)
		b.rename("aside.md", "ada/memory/a.md")
		scanned := make(chan error)
		go func() {
			_, err := b.engine.Scan(b.Context(), "ada")
			scanned <- err
		}()
		time.Sleep(time.Duration(round%20) * 500 * time.Microsecond) // somewhere in the scan
		b.rename("next.md", "ada/memory/a.md")
		if err := <-scanned; err != nil {
			t.Fatal(err)
		}
		if entry, ok := b.list("ada", "")["a"]; ok && entry.Hash == files.Hash([]byte(good)) {
			t.Fatalf("round %d: the good file is listed as too large", round)
		}
		b.scan("ada")
		b.hasBody("ada", "Deploy", "back")
	}
}

func TestScan_BrokenFile(t *testing.T) {
	t.Parallel()
	b := setup(t, func(dir string) {
		if err := os.MkdirAll(dir+"/ada/memory", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink("/etc/hostname", dir+"/ada/memory/good.md"); err != nil {
			t.Fatal(err)
		}
	})
	b.write("ada/memory/sub/other.md", note("good", memories.User, "text"))
	b.scanAll()
	agent := b.agent("ada")
	if agent.Counts.Total != 2 || agent.Counts.NeedsAttention != 1 || agent.Counts.ByType[memories.User] != 1 {
		t.Errorf("counts are %+v", agent.Counts)
	}
}

// hooked is the system's notifier, with something that happens when a directory is about to be
// watched, in the midst of a walk.
type hooked struct {
	watch.Notifier
	mu     sync.Mutex
	before func(dir string)
}

func (n *hooked) Add(dir string) error {
	n.mu.Lock()
	before := n.before
	n.mu.Unlock()
	if before != nil {
		before(dir)
	}
	return n.Notifier.Add(dir)
}

func (n *hooked) set(before func(dir string)) {
	n.mu.Lock()
	n.before = before
	n.mu.Unlock()
}

func withHook(t *testing.T) (*bench, *hooked) {
	n := &hooked{}
	b := setup(t)
	b.stop()
	b.options.Debounce = time.Hour // no event brings anything
	b.options.Notify = func() (watch.Notifier, error) {
		var err error
		n.Notifier, err = watch.OpenNotifier()
		return n, err
	}
	b.start()
	return b, n
}

func TestRemoval_DirectoryReplacedDuringScan(t *testing.T) {
	t.Parallel()
	for what, at := range map[string]string{"while it is walked": "ada/memory", "before it is read": "ada/notes"} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			b, n := withHook(t)
			for i := range 3 {
				b.write(fmt.Sprintf("ada/memory/%d.md", i), note(fmt.Sprint("Old ", i), memories.User, "text"))
			}
			b.write("ada/notes/text.md", "not a memory by itself")
			b.must(os.Symlink("../notes/text.md", b.path("ada/memory/link.md")))
			b.scanAll()
			for i := range 3 {
				b.write(fmt.Sprintf("ada/other/%d.md", i), note(fmt.Sprint("Other ", i), memories.User, "text"))
			}
			n.set(func(dir string) {
				if dir == b.path(at) {
					n.set(nil)
					b.must(os.Rename(b.path("ada/memory"), b.path("ada/aside")))
					b.must(os.Rename(b.path("ada/other"), b.path("ada/memory")))
				}
			})
			b.scan("ada")
			b.scan("ada")
			if gone := b.list("ada", memories.Deleted); len(gone) > 0 {
				t.Errorf("%d memories are in the trash, though nobody has removed a file", len(gone))
			}
		})
	}
}

func TestPrimaryDir_RecordedDespiteSession(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("ada/memory/a.md", note("Deploy", memories.Project, "a"))
	b.write(inSession(sessionA, "s.md"), note("Said", memories.Project, "s"))
	b.scanAll()
	b.stop()
	b.options.Debounce = time.Hour
	b.options.Disk = closedDisk{brokenDisk{&breaker{}}, "sessions/" + sessionA + "/memory"}
	b.start()
	b.rename("ada/memory", "ada/aside")
	for _, name := range []string{"B", "C"} {
		b.write("ada/memory/"+name+".md", note(name, memories.Project, "b"))
	}
	b.scan("ada")
	b.isIn("ada", "Deploy", memories.Missing)
	b.remove("ada/memory/B.md") // for the engine, just a removed file
	b.scan("ada")
	b.isIn("ada", "B", memories.Deleted)
}

// closedDisk is one with a directory that Memoir's user may not look into, as far as clearing it
// goes; root may look into all.
type closedDisk struct {
	brokenDisk
	dir string
}

func (d closedDisk) Recover(root *os.Root, dirs []string) ([]string, error) {
	back, err := d.brokenDisk.Recover(root, dirs)
	if err == nil && slices.Contains(dirs, d.dir) {
		err = &files.UnclearedError{Dirs: []string{d.dir}, Err: syscall.EACCES}
	}
	return back, err
}

package sync_test

import (
	"errors"
	"os"
	"path"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"memoir/internal/files"
	"memoir/internal/memories"
	engine "memoir/internal/sync"
	"memoir/internal/waittest"
)

func TestRestore_NameFromFile(t *testing.T) {
	t.Parallel()
	for name, file := range map[string]string{
		"only a session had it":          inSession(sessionA, "Harbour log.md"),
		"its place has become another's": "ada/memory/Harbour log.md",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.write(file, "---\ntype: project\nkept: 1\n---\n\nThe crane is slow.\n")
			b.scanAll()
			deleted := b.delete("ada", "Harbour log")
			if file == "ada/memory/Harbour log.md" {
				b.write(file, note("Another", memories.User, "is there now"))
			}
			restored := b.restore("ada", deleted)
			b.scan("ada")
			if restored.ID != deleted.ID || restored.State != memories.Active || restored.Path != "memory/project_harbour_log.md" {
				t.Errorf("restored as %q, %s, at %s", restored.Name, restored.State, restored.Path)
			}
			b.hasBody("ada", "Harbour log", "The crane is slow.")
			if _, ok := b.list("ada", "")["project_harbour_log"]; ok {
				t.Error("it has come back under another name")
			}
			if got := b.read("ada/" + restored.Path); got != "---\nname: Harbour log\ntype: project\nkept: 1\n---\n\nThe crane is slow.\n" {
				t.Errorf("the file is %q", got)
			}
		})
	}
}

// TestRestore_PlaceOfARemovedFile restores a memory to the path of another one, whose file was removed
// and not scanned since.
func TestRestore_PlaceOfARemovedFile(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.stopWatching()
	const file = "ada/memory/harbour.md"
	b.write(file, "---\ntype: project\n---\n\nThe crane is slow.\n") // its name is the file's
	b.scanAll()
	deleted := b.delete("ada", "harbour")
	b.write(file, note("Another", memories.User, "is there now"))
	b.scanAll()
	b.remove(file)
	restored := b.restore("ada", deleted)
	if restored.ID != deleted.ID {
		t.Errorf("another memory was restored: %+v", restored)
	}
	for range 2 { // at once, and after a scan
		b.isIn("ada", "harbour", memories.Active)
		b.hasBody("ada", "harbour", "The crane is slow.")
		b.isIn("ada", "Another", memories.Deleted)
		b.scanAll()
	}
}

func (b *bench) blocked(slug string) []memories.Blocked {
	b.Helper()
	blocked, err := b.store.Blocked(b.Context(), b.agent(slug).ID)
	if err != nil {
		b.Fatal(err)
	}
	return blocked
}

func TestRestore_FileIsBack(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.stopWatching()
	text := note("Deploy", memories.Project, "on Fridays never")
	b.write("ada/memory/a.md", text)
	b.scanAll()
	deleted := b.delete("ada", "Deploy")
	b.write("ada/memory/a.md", text)
	b.scan("ada")
	b.trustTimeStamps("ada")
	b.scan("ada")
	if m := b.restore("ada", deleted); m.State != memories.Active {
		t.Errorf("after restoring, the memory is %s", m.State)
	}
	if blocked := b.blocked("ada"); len(blocked) != 0 {
		t.Errorf("its file is still blocked: %+v", blocked)
	}
}

func TestRestore_ScansPathFirst(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.stopWatching()
	b.write("ada/memory/a.md", note("Deploy", memories.Project, "on Fridays never"))
	b.scanAll()
	deleted := b.delete("ada", "Deploy")
	b.write("ada/memory/a.md", note("Deploy", memories.Project, "on Fridays, with care"))
	_, err := b.engine.Restore(t.Context(), "ada", deleted.ID, "")
	b.isConflict(err, "exists again")
	if m := b.memory("ada", "Deploy"); m.ID != deleted.ID || m.State != memories.Active || m.Body != "on Fridays, with care" || len(m.Files) != 1 {
		t.Errorf("the memory is now %+v", m)
	}
	b.hasRevisions("Deploy", "on Fridays never", "on Fridays, with care")
}

func TestAllow_AllFilesOfContent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	text := note("Deploy", memories.Project, "on Fridays never")
	b.write("ada/memory/a.md", text)
	b.scanAll()
	deleted := b.delete("ada", "Deploy")
	copies := []string{inSession(sessionA, "a.md"), inSession(sessionB, "b.md"), "ada/memory/sub/c.md"}
	for _, file := range copies {
		b.write(file, text)
	}
	b.scan("ada")
	if blocked := b.blocked("ada"); len(blocked) != len(copies) {
		t.Fatalf("%d files are kept out, want %d", len(blocked), len(copies))
	}
	b.trustTimeStamps("ada")
	b.restore("ada", deleted)
	waittest.For(b, "the copies to be let in", func() bool {
		return len(b.blocked("ada")) == 0 && len(b.memory("ada", "Deploy").Files) == len(copies)+1
	})
}

func TestAllow_CopyDoesNotWin(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("ada/memory/a.md", note("Deploy", memories.Project, "old"))
	b.scanAll()
	b.delete("ada", "Deploy")
	b.write("ada/memory/a.md", note("Deploy", memories.Project, "new"))
	b.write("ada/memory/backup/a.md", note("Deploy", memories.Project, "old"))
	b.scanAll()
	blocked := b.blocked("ada")
	if len(blocked) != 1 || blocked[0].Path != "memory/backup/a.md" {
		t.Fatalf("blocked = %+v, want memory/backup/a.md", blocked)
	}
	result, err := b.engine.Allow(t.Context(), "ada", blocked[0].ID)
	if err != nil || result.Memory.Body != "new" || len(result.Memory.Files) != 2 {
		t.Errorf("Allow() = %+v, %v, want the content of the original, and both files", result.Memory, err)
	}
	if blocked := b.blocked("ada"); len(blocked) != 0 {
		t.Errorf("blocked = %+v, want none", blocked)
	}
}

func TestSave_DirectoryIsFile(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("ada/memory/a.md", note("Deploy", memories.Project, "kept"))
	b.scanAll()
	b.remove("ada/memory")
	b.write("ada/memory", "a file")
	_, err := b.engine.Save(t.Context(), "ada", engine.Draft{Name: "New", Type: memories.User, Body: "text"})
	if err == nil || b.read("ada/memory") != "a file" {
		t.Errorf("saving answered %v, and the file is %q", err, b.read("ada/memory"))
	}
}

func TestDelete_LinkKeepsOtherUnreadable(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("ada/memory/b.md", note("Other", memories.User, "text"))
	if err := os.Symlink("nowhere.md", b.path("ada/memory/a.md")); err != nil {
		t.Fatal(err)
	}
	b.scanAll()
	b.delete("ada", "a")
	b.write("ada/memory/sub/b.md", note("Below", memories.User, "text"))
	if err := syscall.Mkfifo(b.path("ada/memory/sub/a.md"), 0o644); err != nil {
		t.Fatal(err)
	}
	b.scan("ada")
	if m := b.memory("ada", "a"); m.State != memories.NeedsAttention || m.Path != "memory/sub/a.md" {
		t.Errorf("the pipe is %s, at %s", m.State, m.Path)
	}
	if blocked := b.blocked("ada"); len(blocked) != 0 {
		t.Errorf("the pipe is kept out as if it said what was deleted: %+v", blocked)
	}
}

func TestRestore_DirectoryReplaced(t *testing.T) {
	t.Parallel()
	for name, replace := range map[string]func(relPath string) error{
		"a file":                 func(relPath string) error { return os.WriteFile(relPath, []byte("a file"), 0o644) },
		"a link that leads back": func(relPath string) error { return os.Symlink("sub", relPath) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.write("ada/memory/sub/a.md", note("Deploy", memories.Project, "kept"))
			b.scanAll()
			deleted := b.delete("ada", "Deploy")
			b.remove("ada/memory/sub")
			if err := replace(b.path("ada/memory/sub")); err != nil {
				t.Fatal(err)
			}
			b.scan("ada") // the link is among what needs attention now, and the restore looks beneath it
			if m := b.restore("ada", deleted); m.State != memories.Active || m.Path != "memory/project_deploy.md" {
				t.Errorf("restored as %s at %s", m.State, m.Path)
			}
		})
	}
}

// A restore that a crash has cut short is finished before anything else is scanned, and looks at
// one directory.
func TestRestore_CrashLeftovers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("ada/memory/tabs.md", note("Tabs", memories.Feedback, "Use tabs."))
	b.write("ada/sessions/u-c-1/memory/other.md", note("Other", memories.Feedback, "Stays."))
	b.scanAll()
	id := b.memory("ada", "Tabs").ID
	if _, err := b.engine.Delete(t.Context(), "ada", id, ""); err != nil {
		t.Fatal(err)
	}
	b.stop()
	b.execute("UPDATE memories SET restoring = true WHERE state = 'deleted'")
	b.write("ada/sessions/u-c-1/memory/.memoir-tmp-HALF", "- [Tabs](")
	b.start()
	if b.read("ada/memory/tabs.md") == "" {
		t.Error("the restore was not finished")
	}
	if b.read("ada/sessions/u-c-1/memory/.memoir-tmp-HALF") != "" {
		t.Error("a temporary file is left over")
	}
}

func TestRestore_IndexNotWritable(t *testing.T) {
	t.Parallel()
	for what, spoil := range map[string]func(*bench){
		"a directory in its place": func(b *bench) { b.remove("ada/memory/MEMORY.md"); b.write("ada/memory/MEMORY.md/x", "") },
		"a link that leaves":       func(b *bench) { b.remove("ada/memory/MEMORY.md"); b.link("ada/memory/MEMORY.md", t.TempDir()) },
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			b := withIndexed(t, brokenDisk{&breaker{}})
			tabs := b.delete("ada", "Tabs")
			spoil(b)
			b.restore("ada", tabs)
			b.write("ada/memory/new.md", note("New", memories.Feedback, "Arrives."))
			b.scan("ada")
			b.isIn("ada", "Tabs", memories.Active)
			b.isIn("ada", "New", memories.Active)
		})
	}
}

func TestRestore_IndexFullThenScan(t *testing.T) {
	t.Parallel()
	disk := &fullDisk{brokenDisk: brokenDisk{&breaker{}}, only: "memory/MEMORY.md"}
	b := withIndexed(t, disk)
	tabs := b.delete("ada", "Tabs")
	disk.full.Store(true)
	_, err := b.engine.Restore(t.Context(), "ada", tabs.ID, "")
	b.isConflict(err, "no space left on device")
	b.write("ada/memory/new.md", note("New", memories.Feedback, "Arrives."))
	b.scan("ada")
	b.isIn("ada", "Tabs", memories.Active)
	b.isIn("ada", "New", memories.Active)
	disk.full.Store(false)
	b.scan("ada")
	if got := b.read("ada/memory/MEMORY.md"); got != "- [Tabs](tabs.md)\n- [Other](other.md)\n" {
		t.Errorf("with room again MEMORY.md says %q", got)
	}
}

func TestRestore_UnfinishedThenRemoved(t *testing.T) {
	t.Parallel()
	disk := &fullDisk{brokenDisk: brokenDisk{&breaker{}}, only: "memory/MEMORY.md"}
	b := withIndexed(t, disk)
	tabs := b.delete("ada", "Tabs")
	disk.full.Store(true)
	if _, err := b.engine.Restore(t.Context(), "ada", tabs.ID, ""); err == nil {
		t.Fatal("the restore is finished")
	}
	b.remove("ada/memory/tabs.md")
	waittest.For(b, "the trash", func() bool { _, ok := b.list("ada", memories.Deleted)["Tabs"]; return ok })
	b.scan("ada")
	b.isIn("ada", "Tabs", memories.Deleted)
}

// A restore whose file was certainly not written has changed nothing. If that is unknown, the next
// scans complete it.
func TestRestore_FileNotWritable(t *testing.T) {
	t.Parallel()
	for errno, comesBack := range map[syscall.Errno]bool{syscall.ENOSPC: false, syscall.EACCES: false, syscall.EIO: true} {
		t.Run(errno.Error(), func(t *testing.T) {
			t.Parallel()
			disk := &fullDisk{brokenDisk: brokenDisk{&breaker{}}, only: "memory/tabs.md", says: errno}
			b := withIndexed(t, disk)
			index := b.read("ada/memory/MEMORY.md")
			tabs := b.delete("ada", "Tabs")
			disk.full.Store(true)
			var conflict *memories.ConflictError
			if _, err := b.engine.Restore(t.Context(), "ada", tabs.ID, ""); !errors.As(err, &conflict) {
				t.Fatalf("it answers %v", err)
			}
			b.scan("ada")
			b.isIn("ada", "Tabs", memories.Deleted)
			disk.full.Store(false)
			b.scan("ada")
			if !comesBack {
				b.isIn("ada", "Tabs", memories.Deleted)
				b.write("ada/memory/again.md", note("Tabs", memories.Feedback, "Use tabs."))
				b.scan("ada")
				if kept := b.blocked("ada"); len(kept) != 1 {
					t.Errorf("%d files are kept out, want the one with what was deleted", len(kept))
				}
				b.remove("ada/memory/again.md")
				b.restore("ada", tabs)
			}
			b.isIn("ada", "Tabs", memories.Active)
			if got := b.read("ada/memory/MEMORY.md"); got != index {
				t.Errorf("the index says %q, want %q", got, index)
			}
		})
	}
}

// withIndexed is ada with the memories Tabs and Other, both in the index, on that disk.
func withIndexed(t *testing.T, disk engine.Disk) *bench {
	t.Helper()
	b := withAda(t)
	b.stop()
	b.options.Disk = disk
	b.write("ada/memory/MEMORY.md", "- [Tabs](tabs.md)\n- [Other](other.md)\n")
	b.write("ada/memory/tabs.md", note("Tabs", memories.Feedback, "Use tabs."))
	b.write("ada/memory/other.md", note("Other", memories.Feedback, "Stays."))
	b.start()
	return b
}

func TestRestore_RefusedStaysBlocked(t *testing.T) {
	t.Parallel()
	disk := &fullDisk{brokenDisk: brokenDisk{&breaker{}}, only: "memory/tabs.md"}
	b := withIndexed(t, disk)
	b.remove("ada/memory/tabs.md")
	b.scan("ada")
	b.isIn("ada", "Tabs", memories.Deleted)
	tabs := b.list("ada", memories.Deleted)["Tabs"]
	if _, err := b.engine.Delete(b.Context(), "ada", tabs.ID, engine.ETag(tabs)); err != nil {
		t.Fatal(err)
	}
	disk.full.Store(true)
	_, err := b.engine.Restore(b.Context(), "ada", tabs.ID, "")
	b.isConflict(err, "Nothing was changed")
	disk.full.Store(false)
	b.write(inSession(sessionA, "tabs.md"), note("Tabs", memories.Feedback, "Use tabs."))
	b.scan("ada")
	b.isIn("ada", "Tabs", memories.Deleted)
}

func TestRestore_EndedByDeletion(t *testing.T) {
	t.Parallel()
	disk := &fullDisk{brokenDisk: brokenDisk{&breaker{}}, only: "memory/tabs.md", says: syscall.EIO}
	b := withIndexed(t, disk)
	tabs := b.delete("ada", "Tabs")
	disk.full.Store(true)
	_, err := b.engine.Restore(b.Context(), "ada", tabs.ID, "")
	b.isConflict(err, "")
	disk.full.Store(false)
	r, err := b.engine.Delete(b.Context(), "ada", tabs.ID, "")
	if err != nil || r.Memory.State != memories.Deleted {
		t.Fatal(r, err)
	}
	b.scan("ada")
	b.isIn("ada", "Tabs", memories.Deleted)
	if got := b.read("ada/memory/tabs.md"); got != "" {
		t.Errorf("the file is back: %q", got)
	}
	if got := b.read("ada/memory/MEMORY.md"); strings.Contains(got, "tabs.md") {
		t.Errorf("the entry is back: %q", got)
	}
}

func TestRestore_RefusedKeepsRemovals(t *testing.T) {
	t.Parallel()
	disk := &fullDisk{brokenDisk: brokenDisk{&breaker{}}, only: "memory/tabs.md"}
	b := withIndexed(t, disk)
	b.write(inSession(sessionA, "tabs.md"), note("Tabs", memories.Feedback, "Use tabs."))
	b.write(path.Dir(inSession(sessionA, "tabs.md"))+"/MEMORY.md", "- [Tabs](tabs.md)\n")
	b.scan("ada")
	lift := b.bar(inSession(sessionA, "tabs.md"))
	tabs := b.delete("ada", "Tabs")
	disk.full.Store(true)
	_, err := b.engine.Restore(b.Context(), "ada", tabs.ID, "")
	b.isConflict(err, "Nothing was changed")
	disk.full.Store(false)
	lift()
	b.scan("ada")
	b.isIn("ada", "Tabs", memories.Deleted)
	if got := b.read(inSession(sessionA, "tabs.md")); got != "" {
		t.Errorf("the file that is to go is still there, kept out %v", b.blocked("ada"))
	}
	if got := b.read(path.Dir(inSession(sessionA, "tabs.md")) + "/MEMORY.md"); got != "" {
		t.Errorf("its entry is: %q", got)
	}
}

func TestRestore_PathTaken(t *testing.T) {
	t.Parallel()
	disk := &takenDisk{brokenDisk: brokenDisk{&breaker{}}, name: "memory/tabs.md", text: note("New", memories.Feedback, "Something new.")}
	b := withIndexed(t, disk)
	tabs := b.delete("ada", "Tabs")
	disk.on.Store(true)
	r, err := b.engine.Restore(b.Context(), "ada", tabs.ID, "")
	if err != nil || r.Memory.State != memories.Active {
		t.Errorf("it is %s: %v", r.Memory.State, err)
	}
	b.scan("ada")
	b.isIn("ada", "Tabs", memories.Active)
	b.isIn("ada", "New", memories.Active)
}

func TestRestore_LearnedAgainMeanwhile(t *testing.T) {
	t.Parallel()
	disk := &fullDisk{brokenDisk: brokenDisk{&breaker{}}, only: "memory/tabs.md", says: syscall.EIO}
	b := withIndexed(t, disk)
	tabs := b.delete("ada", "Tabs")
	disk.full.Store(true)
	_, err := b.engine.Restore(b.Context(), "ada", tabs.ID, "")
	b.isConflict(err, "")
	b.stop()
	disk.full.Store(false)
	b.write("ada/memory/tabs.md", note("Tabs", memories.Feedback, "Learned anew."))
	b.start()
	b.scan("ada")
	b.hasBody("ada", "Tabs", "Learned anew.")
	m := b.memory("ada", "Tabs")
	if len(m.Files) != 1 {
		t.Errorf("files %+v problems %v", m.Files, m.Problems)
	}
}

// takenDisk creates another file at a path right before Memoir writes there.
type takenDisk struct {
	brokenDisk
	on   atomic.Bool
	name string
	also string
	text string
}

func (d *takenDisk) Write(root *os.Root, name string, data []byte, options files.Options) error {
	if d.on.Load() && (name == d.name || d.also != "" && name == d.also) {
		d.on.Store(false)
		if err := root.WriteFile(name, []byte(d.text), 0o644); err != nil {
			return err
		}
	}
	return d.brokenDisk.Write(root, name, data, options)
}

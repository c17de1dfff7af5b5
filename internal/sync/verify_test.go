package sync_test

import (
	"os"
	"path"
	"strings"
	"syscall"
	"testing"
	"time"

	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/postgres/pgtest"
	engine "memoir/internal/sync"
)

func (b *bench) verify(name string) memories.Memory {
	b.Helper()
	m := b.memory("ada", name)
	result, err := b.engine.Verify(b.Context(), "ada", m.ID, engine.ETag(m))
	if err != nil {
		b.Fatalf("verify %s: %v", name, err)
	}
	return result.Memory
}

func TestVerify_ResetsAge(t *testing.T) {
	t.Parallel()
	b := setup(t)
	old := "---\nname: Deploy\ntype: project\nmetadata:\n  modified: 2026-01-02T03:04:05.000Z\n  originSessionId: 7\n---\nolder\n"
	current := strings.Replace(strings.Replace(old, "older", "current", 1), "2026-01-02", "2026-02-02", 1)
	b.writeAged("ada/memory/a.md", current, 24*time.Hour)
	b.writeAged(inSession(sessionA, "b.md"), old, 48*time.Hour)
	b.writeAged(inSession(sessionB, "c.md"), note("Deploy", memories.Project, "oldest"), 72*time.Hour)
	b.scanAll()
	b.hasBody("ada", "Deploy", "current")
	m := b.verify("Deploy")
	if age := memories.AgeOf(m.ModifiedAt, time.Now()); age.Days != 0 {
		t.Errorf("it is %s old", age)
	}
	b.scan("ada")
	b.restart()
	m = b.memory("ada", "Deploy")
	if m.Body != "current" || len(b.revisions("ada", m)) != 3 || memories.AgeOf(m.ModifiedAt, time.Now()).Days != 0 {
		t.Errorf("later it is %+v with %d revisions", m, len(b.revisions("ada", m)))
	}
	for _, f := range m.Files {
		if memories.AgeOf(f.ModifiedAt, time.Now()).Days != 0 {
			t.Errorf("%s is still old", f.Path)
		}
	}
	if got := b.read("ada/memory/a.md"); strings.Contains(got, "2026-02-02") || !strings.Contains(got, "originSessionId: 7") {
		t.Errorf("the file is now %q", got)
	}
	restored := b.restore("ada", b.delete("ada", "Deploy"))
	if memories.AgeOf(restored.ModifiedAt, time.Now()).Days != 0 {
		t.Error("a restore brought the old age back")
	}
}

func TestVerify_ChangedOrDeleted(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.write("ada/memory/a.md", note("Deploy", memories.Project, "text"))
	b.scan("ada")
	b.stopWatching()
	m := b.memory("ada", "Deploy")
	b.write("ada/memory/a.md", note("Deploy", memories.Project, "changed"))
	_, err := b.engine.Verify(t.Context(), "ada", m.ID, "")
	b.isConflict(err, "has changed on disk")
	b.scan("ada")
	b.delete("ada", "Deploy")
	_, err = b.engine.Verify(t.Context(), "ada", m.ID, "")
	b.isConflict(err, "trash")
}

// lateDisk is one on which an agent writes right before a file gets its new time.
type lateDisk struct {
	brokenDisk
	write func()
}

func (d lateDisk) Touch(root *os.Root, path string, modTime time.Time) error {
	d.write()
	return root.Chtimes(path, modTime, modTime)
}

func TestVerify_WrittenMeanwhile(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.write("ada/memory/a.md", note("Deploy", memories.Project, "text"))
	b.options.Disk = lateDisk{brokenDisk: brokenDisk{&breaker{}}, write: func() { b.write("ada/memory/a.md", note("Deploy", memories.Project, "changed")) }}
	b.restart()
	b.stopWatching()
	m := b.memory("ada", "Deploy")
	_, err := b.engine.Verify(t.Context(), "ada", m.ID, engine.ETag(m))
	b.isConflict(err, "has changed on disk")
	b.hasBody("ada", "Deploy", "changed")
	for _, gap := range pgtest.JournalGaps(t.Context(), b.url) {
		t.Error(gap)
	}
}

func TestVerify_SessionEnds(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]string{"its file goes": inSession(sessionA, "b.md"), "all of it goes": path.Dir(path.Dir(inSession(sessionA, "b.md")))} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := withAda(t)
			b.writeAged("ada/memory/a.md", note("Deploy", memories.Project, "text"), 72*time.Hour)
			b.writeAged(inSession(sessionA, "b.md"), note("Deploy", memories.Project, "text"), 72*time.Hour)
			b.options.Disk = lateDisk{brokenDisk{&breaker{}}, func() { b.remove(end) }}
			b.restart()
			b.stopWatching()
			if m := b.verify("Deploy"); memories.AgeOf(m.ModifiedAt, time.Now()).Days != 0 {
				t.Errorf("it is still of %v", m.ModifiedAt)
			}
			b.scan("ada")
			if m := b.memory("ada", "Deploy"); len(m.Files) != 1 || memories.AgeOf(m.Files[0].ModifiedAt, time.Now()).Days != 0 {
				t.Errorf("its files are %+v", m.Files)
			}
		})
	}
}

// goneDisk is one on which something goes right before a file of a session is written.
type goneDisk struct {
	lateDisk
	remove func()
}

func (d goneDisk) Write(root *os.Root, path string, data []byte, options files.Options) error {
	if strings.HasPrefix(path, "sessions/") {
		d.remove()
	}
	return d.lateDisk.Write(root, path, data, options)
}

func TestVerify_FileRemovedMeanwhile(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	const text = "---\nname: Deploy\ntype: project\nmetadata:\n  modified: 2026-01-02T03:04:05.000Z\n---\ntext\n"
	b.write(inSession(sessionA, "b.md"), text)
	session := path.Dir(path.Dir(inSession(sessionA, "b.md")))
	b.options.Disk = goneDisk{lateDisk{brokenDisk{&breaker{}}, func() {}}, func() { b.remove(session) }}
	b.restart()
	b.stopWatching()
	m := b.memory("ada", "Deploy")
	_, err := b.engine.Verify(t.Context(), "ada", m.ID, "")
	b.isConflict(err, "has changed on disk")
	if _, err := os.Stat(b.path(session)); !os.IsNotExist(err) {
		t.Errorf("the session that has ended is there again: %v", err)
	}
}

func TestVerify_FileNotWritable(t *testing.T) {
	t.Parallel()
	disk := &touchDisk{brokenDisk: brokenDisk{&breaker{}}}
	b := withAda(t)
	b.writeAged("ada/memory/a.md", note("Deploy", memories.Project, "text"), 72*time.Hour)
	b.writeAged(inSession(sessionA, "b.md"), note("Deploy", memories.Project, "text"), 72*time.Hour)
	b.options.Disk = disk
	b.restart()
	b.stopWatching()
	m := b.memory("ada", "Deploy")
	_, err := b.engine.Verify(b.Context(), "ada", m.ID, "")
	b.isConflict(err, "Nothing was changed")
	if m := b.memory("ada", "Deploy"); memories.AgeOf(m.ModifiedAt, time.Now()).Days == 0 {
		t.Errorf("it is of %v", m.ModifiedAt)
	}
}

// touchDisk refuses to give files of sessions another time.
type touchDisk struct{ brokenDisk }

func (d *touchDisk) Touch(root *os.Root, name string, at time.Time) error {
	if strings.HasPrefix(name, "sessions/") {
		return &os.PathError{Op: "chtimes", Path: name, Err: syscall.EROFS}
	}
	return d.brokenDisk.Touch(root, name, at)
}

func TestVerify_Interrupted(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.options.Disk = &amidDisk{brokenDisk{&breaker{}}}
	b.writeAged(inSession(sessionA, "b.md"), "---\nname: Deploy\ndescription: d\ntype: project\nmetadata:\n  modified: 2020-01-02T03:04:05Z\n---\n\nold knowledge\n", 72*time.Hour)
	b.writeAged("ada/memory/a.md", "---\nname: Deploy\ndescription: d\ntype: project\n---\n\nnew knowledge\n", 24*time.Hour)
	b.restart()
	b.stopWatching()
	b.hasBody("ada", "Deploy", "new knowledge")
	_, err := b.engine.Verify(b.Context(), "ada", b.memory("ada", "Deploy").ID, "")
	b.isConflict(err, "Disk error")
	b.scan("ada")
	b.hasBody("ada", "Deploy", "new knowledge")
}

// amidDisk writes a session's file, and fails to take its directory to disk.
type amidDisk struct{ brokenDisk }

func (d *amidDisk) Write(root *os.Root, name string, data []byte, options files.Options) error {
	if err := d.brokenDisk.Write(root, name, data, options); err != nil || !strings.HasPrefix(name, "sessions/") {
		return err
	}
	return &os.PathError{Op: "fsync", Path: path.Dir(name), Err: syscall.EIO}
}

package sync_test

import (
	"errors"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/sync"
)

// unsureDisk writes and, while unsure is set, cannot say so: what follows the file does not happen.
type unsureDisk struct {
	brokenDisk
	unsure atomic.Bool
}

func (d *unsureDisk) Write(root *os.Root, name string, data []byte, options files.Options) error {
	err := d.brokenDisk.Write(root, name, data, options)
	if err == nil && d.unsure.Load() {
		return &os.PathError{Op: "fsync", Path: name, Err: syscall.EIO}
	}
	return err
}

// cutShort is ada with Tabs, whose renaming to Spaces was cut short after the new file was there.
func cutShort(t *testing.T, prepare func(*bench)) *bench {
	t.Helper()
	b := withAda(t)
	b.stop()
	disk := &unsureDisk{brokenDisk: brokenDisk{&breaker{}}}
	b.options.Disk, b.options.Debounce = disk, time.Hour
	b.start()
	b.write("ada/memory/tabs.md", note("Tabs", memories.Feedback, "Use tabs."))
	b.scan("ada")
	prepare(b)
	disk.unsure.Store(true)
	if _, err := b.engine.Patch(t.Context(), "ada", b.memory("ada", "Tabs").ID, "", sync.Patch{Name: pointer("Spaces")}); err == nil {
		t.Fatal("the rename was not cut short")
	}
	disk.unsure.Store(false)
	return b
}

// onlyLives checks that of the two names one lives, with these words.
func (b *bench) onlyLives(name, body string) {
	b.Helper()
	b.scan("ada")
	found := b.list("ada", "")
	if len(found) != 1 || found[name].Body != body {
		b.Errorf("there are %v; want only %s with %q", found, name, body)
	}
}

func TestARenameThatWasCutShortLeavesTheOldNameOnly(t *testing.T) {
	t.Parallel()
	for what, then := range map[string]struct {
		do         func(*bench)
		name, body string
	}{
		"nothing":             {func(*bench) {}, "Tabs", "Use tabs."},
		"a look at the file":  {func(b *bench) { b.engine.Scan(b.Context(), "ada") }, "Tabs", "Use tabs."}, //nolint:errcheck // scanned again
		"the same rename":     {func(b *bench) { b.renames("Tabs", "Spaces") }, "Spaces", "Use tabs."},
		"there and back":      {func(b *bench) { b.renames("Tabs", "Spaces"); b.renames("Spaces", "Tabs") }, "Tabs", "Use tabs."},
		"back, as it were":    {func(b *bench) { b.renames("Tabs", "Spaces"); b.renames("Spaces", "Tabs"); b.renames("Tabs", "Spaces") }, "Spaces", "Use tabs."},
		"an edit":             {func(b *bench) { b.save(sync.Draft{Name: "Tabs", Type: memories.Feedback, Body: "Use both."}) }, "Tabs", "Use both."},
		"deleted and back":    {func(b *bench) { b.restore("ada", b.delete("ada", "Tabs")) }, "Tabs", "Use tabs."},
		"Memoir starts again": {(*bench).restart, "Tabs", "Use tabs."},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			b := cutShort(t, func(*bench) {})
			then.do(b)
			b.onlyLives(then.name, then.body)
		})
	}
}

func (b *bench) renames(from, to string) {
	b.Helper()
	if _, err := b.engine.Patch(b.Context(), "ada", b.memory("ada", from).ID, "", sync.Patch{Name: &to}); err != nil {
		b.Fatal(err)
	}
}

func TestWhatARenameLeftBehindIsNoPartOfTheMemoryThatIsRestored(t *testing.T) {
	t.Parallel()
	b := cutShort(t, func(b *bench) {
		b.write("ada/memory/feedback_spaces.md", note("Spaces", memories.Feedback, "Use spaces."))
		b.scan("ada")
		b.delete("ada", "Spaces")
	})
	b.restore("ada", b.list("ada", memories.Deleted)["Spaces"])
	b.scan("ada")
	if found := b.list("ada", ""); found["Tabs"].Body != "Use tabs." || found["Spaces"].Body != "Use spaces." {
		t.Errorf("after the restore there are %v", found)
	}
	if files := b.memory("ada", "Spaces").Files; len(files) != 1 {
		t.Errorf("the restored memory has %v", files)
	}
}

func TestARenameTakesNoPlaceOfAFileWhoseGoingNobodyHasSeen(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.stop()
	b.options.Debounce = time.Hour
	b.start()
	b.write("ada/memory/tabs.md", note("Tabs", memories.Feedback, "Use tabs."))
	b.write("ada/memory/feedback_spaces.md", note("Other", memories.Feedback, "Goes."))
	b.scan("ada")
	b.remove("ada/memory/feedback_spaces.md")
	b.renames("Tabs", "Spaces")
	b.onlyLives("Spaces", "Use tabs.")
	b.isIn("ada", "Other", memories.Deleted)
}

// hastyDisk has an agent beside it that removes a new file as soon as it is there.
type hastyDisk struct {
	brokenDisk
	hasty atomic.Bool
}

func (d *hastyDisk) Write(root *os.Root, name string, data []byte, options files.Options) error {
	err := d.brokenDisk.Write(root, name, data, options)
	if err == nil && d.hasty.Load() {
		return root.Remove(name)
	}
	return err
}

func TestARenameWhoseNewFileIsRemovedAtOnceLeavesTheOldName(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.stop()
	disk := &hastyDisk{brokenDisk: brokenDisk{&breaker{}}}
	b.options.Disk, b.options.Debounce = disk, time.Hour
	b.start()
	b.write("ada/memory/tabs.md", note("Tabs", memories.Feedback, "Use tabs."))
	b.scan("ada")
	disk.hasty.Store(true)
	var conflict *memories.ConflictError
	if _, err := b.engine.Patch(t.Context(), "ada", b.memory("ada", "Tabs").ID, "", sync.Patch{Name: pointer("Spaces")}); !errors.As(err, &conflict) {
		t.Errorf("the rename ended with %v", err)
	}
	disk.hasty.Store(false)
	b.onlyLives("Tabs", "Use tabs.")
	if got := b.read("ada/memory/tabs.md"); !strings.Contains(got, "Use tabs.") {
		t.Errorf("the file says %q", got)
	}
}

// deletesDeploy leaves Deploy in the trash, and a memory that says the same beside it.
func (b *bench) deletesDeploy() {
	b.Helper()
	b.write("ada/memory/deploy.md", note("Deploy", memories.Project, "on Fridays"))
	b.write("ada/memory/shipping.md", "---\nname: Shipping\ndescription: About Deploy\ntype: project\n---\n\non Fridays\n")
	b.scan("ada")
	b.delete("ada", "Deploy")
}

// keepsDeployOut checks that Shipping has its name, and that Deploy does not come back with an old session.
func (b *bench) keepsDeployOut() {
	b.Helper()
	b.scan("ada")
	b.write(inSession(sessionB, "deploy.md"), note("Deploy", memories.Project, "on Fridays"))
	b.scan("ada")
	b.isIn("ada", "Shipping", memories.Active)
	b.isIn("ada", "Deploy", memories.Deleted)
}

func TestARenameThatFailsKeepsOutWhatWasDeletedUnderItsNewName(t *testing.T) {
	t.Parallel()
	for _, errno := range []syscall.Errno{syscall.EIO, syscall.EMFILE, syscall.ENOSPC} {
		t.Run(errno.Error(), func(t *testing.T) {
			t.Parallel()
			disk := &fullDisk{brokenDisk: brokenDisk{&breaker{}}, says: errno}
			b := withIndexed(t, disk)
			b.deletesDeploy()
			disk.full.Store(true)
			_, err := b.engine.Patch(b.Context(), "ada", b.memory("ada", "Shipping").ID, "", sync.Patch{Name: pointer("Deploy")})
			if err == nil {
				t.Fatal("renamed")
			}
			disk.full.Store(false)
			b.keepsDeployOut()
		})
	}
}

func TestARenameWhoseFileIsRemovedAtOnceKeepsOutWhatWasDeletedUnderItsNewName(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.stop()
	disk := &hastyDisk{brokenDisk: brokenDisk{&breaker{}}}
	b.options.Disk, b.options.Debounce = disk, time.Hour
	b.start()
	b.deletesDeploy()
	disk.hasty.Store(true)
	_, err := b.engine.Patch(b.Context(), "ada", b.memory("ada", "Shipping").ID, "", sync.Patch{Name: pointer("Deploy")})
	b.isConflict(err, "")
	disk.hasty.Store(false)
	b.keepsDeployOut()
}

func TestARenameWhoseFileIsWrittenOverAtOnceTakesNothingWithIt(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.stop()
	disk := &rewritingDisk{brokenDisk: brokenDisk{&breaker{}}, text: note("Elsewhere", memories.Feedback, "Something.")}
	b.options.Disk, b.options.Debounce = disk, time.Hour
	b.start()
	b.write("ada/memory/tabs.md", note("Tabs", memories.Feedback, "Use tabs."))
	b.scan("ada")
	disk.on.Store(true)
	_, err := b.engine.Patch(t.Context(), "ada", b.memory("ada", "Tabs").ID, "", sync.Patch{Name: pointer("Spaces")})
	b.isConflict(err, "Nothing was written")
	disk.on.Store(false)
	b.scan("ada")
	b.isIn("ada", "Tabs", memories.Active)
	if got := b.read("ada/memory/tabs.md"); !strings.Contains(got, "Use tabs.") {
		t.Errorf("the file says %q", got)
	}
}

// rewritingDisk has somebody write over each file as soon as it is written.
type rewritingDisk struct {
	brokenDisk
	on   atomic.Bool
	text string
	only string
}

func (d *rewritingDisk) Write(root *os.Root, name string, data []byte, options files.Options) error {
	err := d.brokenDisk.Write(root, name, data, options)
	if err == nil && d.on.Load() && (d.only == "" || d.only == name) {
		return root.WriteFile(name, []byte(d.text), 0o644)
	}
	return err
}

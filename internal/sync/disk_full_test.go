package sync_test

import (
	"cmp"
	"errors"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"memoir/internal/files"
	"memoir/internal/files/filestest"
	"memoir/internal/memories"
	engine "memoir/internal/sync"
	"memoir/internal/waittest"
)

// fullDisk is a disk without room while full is set, for where no real one can be had.
type fullDisk struct {
	brokenDisk
	full atomic.Bool
	only string        // the file without room; if empty, any file
	says syscall.Errno // what it fails with instead
}

func (d *fullDisk) Write(root *os.Root, name string, data []byte, options files.Options) error {
	if d.full.Load() && (d.only == "" || d.only == name) {
		return &os.PathError{Op: "write", Path: name, Err: cmp.Or(d.says, syscall.ENOSPC)}
	}
	return d.brokenDisk.Write(root, name, data, options)
}

func TestFullDisk_DeletionSucceeds(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.stop()
	instead := &fullDisk{brokenDisk: brokenDisk{&breaker{}}}
	fill, free := func() { instead.full.Store(true) }, func() { instead.full.Store(false) }
	if disk := filestest.NewSmallDisk(t, 256<<10); disk != nil {
		b.dir, b.options.Places.AgentsDir = disk.Dir, disk.Dir
		fill, free = func() { disk.Fill(t) }, func() { disk.Free(t) }
	} else {
		b.options.Disk = instead
	}
	b.write("ada/memory/MEMORY.md", "- [Tabs](tabs.md)\n- [Other](other.md)\n")
	b.write("ada/memory/tabs.md", note("Tabs", memories.Feedback, "Use tabs."))
	b.write("ada/memory/other.md", note("Other", memories.Feedback, "Stays."))
	b.start()
	claudeMD := b.read("ada/CLAUDE.md")
	tabs := b.memory("ada", "Tabs")

	fill()
	for what, write := range map[string]func() error{
		"a new memory": func() error {
			_, err := b.engine.Save(t.Context(), "ada", engine.Draft{Name: "New", Type: memories.User, Body: "No room."})
			return err
		},
		"a new text": func() error {
			_, err := b.engine.Save(t.Context(), "ada", engine.Draft{Name: "Tabs", Type: memories.Feedback, Body: "No room."})
			return err
		},
		"a new name": func() error {
			name := "Spaces"
			_, err := b.engine.Patch(t.Context(), "ada", tabs.ID, "", engine.Patch{Name: &name})
			return err
		},
	} {
		var conflict *memories.ConflictError
		if err := write(); !errors.As(err, &conflict) || !strings.Contains(conflict.Reason, "no space left on device") || !strings.Contains(conflict.Reason, "Nothing was changed") {
			t.Errorf("%s fails with %v", what, err)
		}
	}
	var promised int
	if b.query("SELECT count(*) FROM files WHERE status = 'removing'", &promised); promised != 0 {
		t.Errorf("%d files that were never written wait to be removed", promised)
	}
	b.scan("ada")
	if found := b.list("ada", ""); len(found) != 2 || found["Tabs"].Body != "Use tabs." || b.read("ada/CLAUDE.md") != claudeMD {
		t.Errorf("after what failed there are %v", found)
	}
	b.noLeftovers()

	result, err := b.engine.Delete(t.Context(), "ada", tabs.ID, "")
	if err != nil || result.Memory.State != memories.Deleted || b.read("ada/memory/tabs.md") != "" {
		t.Errorf("the deletion: %+v, %v", result.Memory, err)
	}
	// The file that went has made some room, and CLAUDE.md may have fitted into it.
	if strings.Contains(b.read("ada/CLAUDE.md"), "Use tabs.") && result.ClaudeMDProblem == "" {
		t.Error("CLAUDE.md still has the memory, and the answer does not say so")
	}
	free()
	b.scan("ada")
	if got := b.read("ada/CLAUDE.md"); strings.Contains(got, "Use tabs.") || !strings.Contains(got, "Stays.") {
		t.Errorf("with room again CLAUDE.md says %q", ending(got))
	}
	if got := b.read("ada/memory/MEMORY.md"); got != "- [Other](other.md)\n" {
		t.Errorf("with room again MEMORY.md says %q", got)
	}
	if problem := b.agent("ada").ClaudeMD.Problem; problem != "" {
		t.Errorf("with room again it is still said that %s", problem)
	}
	b.noLeftovers()
}

func TestFullDisk_IndexEntryRemovedLater(t *testing.T) {
	t.Parallel()
	for what, then := range map[string]func(*bench){
		"nothing else": func(*bench) {},
		"whose directory cannot be opened any more": func(b *bench) {
			b.remove("ada/memory/sub")
			b.link("ada/memory/sub", "sub")
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			disk := &fullDisk{brokenDisk: brokenDisk{&breaker{}}}
			b := withIndexed(t, disk)
			b.write("ada/memory/sub/deep.md", note("Deep", memories.Feedback, "Goes."))
			b.write("ada/memory/MEMORY.md", "- [Deep](sub/deep.md)\n- [Other](other.md)\n")
			b.scan("ada")
			disk.full.Store(true)
			b.delete("ada", "Deep")
			waittest.For(b, "a look that finds the file gone", func() bool {
				var present int
				b.query("SELECT count(*) FROM files WHERE present", &present)
				return present == 2
			})
			then(b)
			disk.full.Store(false)
			b.scan("ada")
			if got := b.read("ada/memory/MEMORY.md"); got != "- [Other](other.md)\n" {
				t.Errorf("with room again MEMORY.md says %q", got)
			}
		})
	}
}

func TestFullDisk_IndexEntryOfRewrittenFile(t *testing.T) {
	t.Parallel()
	disk := &fullDisk{brokenDisk: brokenDisk{&breaker{}}}
	b := withIndexed(t, disk)
	const index = "- [Deep](sub/deep.md)\n- [Other](other.md)\n"
	b.write("ada/memory/sub/deep.md", note("Deep", memories.Feedback, "Goes."))
	b.write("ada/memory/MEMORY.md", index)
	b.scan("ada")
	disk.full.Store(true)
	b.delete("ada", "Deep")
	b.write("ada/memory/sub/deep.md", note("Deep", memories.Feedback, "Was learned anew."))
	b.scan("ada")
	if got := b.memory("ada", "Deep"); got.State != memories.Active || got.Body != "Was learned anew." {
		t.Errorf("the memory is %s and says %q", got.State, got.Body)
	}
	disk.full.Store(false)
	b.scan("ada")
	if got := b.read("ada/memory/MEMORY.md"); got != index {
		t.Errorf("with room again MEMORY.md says %q", got)
	}
}

func TestFullDisk_FailedSaveStaysBlocked(t *testing.T) {
	t.Parallel()
	draft := engine.Draft{Name: "Deploy", Description: "About Deploy", Type: memories.Project, Body: "on Fridays"}
	for name, save := range map[string]func(*bench) error{
		"a save": func(b *bench) error {
			_, err := b.engine.Save(b.Context(), "ada", draft)
			return err
		},
		"a rename": func(b *bench) error {
			_, err := b.engine.Patch(b.Context(), "ada", b.memory("ada", "Shipping").ID, "", engine.Patch{Name: &draft.Name})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			disk := &fullDisk{brokenDisk: brokenDisk{&breaker{}}}
			b := withIndexed(t, disk)
			b.deletesDeploy()
			b.write(inSession(sessionA, "deploy.md"), note("Deploy", memories.Project, "on Fridays"))
			b.scan("ada")
			disk.full.Store(true)
			b.isConflict(save(b), "Nothing was changed")
			disk.full.Store(false)
			b.write(inSession(sessionB, "deploy.md"), note("Deploy", memories.Project, "on Fridays"))
			b.scan("ada")
			b.isIn("ada", "Deploy", memories.Deleted)
			if kept := b.blocked("ada"); len(kept) != 2 {
				t.Errorf("kept out are %v", kept)
			}
			if err := save(b); err != nil {
				t.Fatal(err)
			}
			b.scan("ada")
			b.hasBody("ada", "Deploy", "on Fridays")
		})
	}
}

// noLeftovers checks that Memoir has left nothing of its own in ada's directories.
func (b *bench) noLeftovers() {
	b.Helper()
	for _, dir := range []string{"ada", "ada/memory"} {
		entries, err := os.ReadDir(b.path(dir))
		if err != nil {
			b.Fatal(err)
		}
		for _, entry := range entries {
			if strings.HasPrefix(entry.Name(), ".memoir-") {
				b.Errorf("%s/%s is left over", dir, entry.Name())
			}
		}
	}
}

func TestSave_OutOfFilesStaysBlocked(t *testing.T) {
	t.Parallel()
	disk := &fullDisk{brokenDisk: brokenDisk{&breaker{}}, says: syscall.EMFILE}
	b := withIndexed(t, disk)
	b.delete("ada", "Tabs")
	b.write(inSession(sessionA, "tabs.md"), note("Tabs", memories.Feedback, "Use tabs."))
	b.scan("ada")
	disk.full.Store(true)
	_, err := b.engine.Save(b.Context(), "ada", engine.Draft{Name: "Tabs", Description: "About Tabs", Type: memories.Feedback, Body: "Use tabs."})
	if err == nil {
		t.Fatal("saved")
	}
	disk.full.Store(false)
	b.scan("ada")
	b.isIn("ada", "Tabs", memories.Deleted)
}

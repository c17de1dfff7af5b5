package sync_test

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/records"
	engine "memoir/internal/sync"
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
	if _, err := b.engine.Patch(t.Context(), "ada", b.memory("ada", "Tabs").ID, "", engine.Patch{Name: pointer("Spaces")}); err == nil {
		t.Fatal("the rename was not cut short")
	}
	disk.unsure.Store(false)
	return b
}

// onlyLives checks that exactly this one of the two names lives, with this body.
func (b *bench) onlyLives(name, body string) {
	b.Helper()
	b.scan("ada")
	found := b.list("ada", "")
	if len(found) != 1 || found[name].Body != body {
		b.Errorf("there are %v; want only %s with %q", found, name, body)
	}
}

func TestRename_Interrupted(t *testing.T) {
	t.Parallel()
	for what, then := range map[string]struct {
		do         func(*bench)
		name, body string
	}{
		"nothing":             {func(*bench) {}, "Tabs", "Use tabs."},
		"a look at the file":  {func(b *bench) { b.engine.Scan(b.Context(), "ada") }, "Tabs", "Use tabs."}, //nolint:errcheck // no matter
		"the same rename":     {func(b *bench) { b.renames("Tabs", "Spaces") }, "Spaces", "Use tabs."},
		"there and back":      {func(b *bench) { b.renames("Tabs", "Spaces"); b.renames("Spaces", "Tabs") }, "Tabs", "Use tabs."},
		"back, as it were":    {func(b *bench) { b.renames("Tabs", "Spaces"); b.renames("Spaces", "Tabs"); b.renames("Tabs", "Spaces") }, "Spaces", "Use tabs."},
		"an edit":             {func(b *bench) { b.save(engine.Draft{Name: "Tabs", Type: memories.Feedback, Body: "Use both."}) }, "Tabs", "Use both."},
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
	if _, err := b.engine.Patch(b.Context(), "ada", b.memory("ada", from).ID, "", engine.Patch{Name: &to}); err != nil {
		b.Fatal(err)
	}
}

func TestRename_LeftoverNotRestored(t *testing.T) {
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

func TestRename_PathOfUnseenRemoval(t *testing.T) {
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

// hastyDisk removes each new file as soon as it is written, as another program may.
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

func TestRename_NewFileRemoved(t *testing.T) {
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
	if _, err := b.engine.Patch(t.Context(), "ada", b.memory("ada", "Tabs").ID, "", engine.Patch{Name: pointer("Spaces")}); !errors.As(err, &conflict) {
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

// keepsDeployOut checks that Shipping has its name, and that Deploy does not come back with an old
// session.
func (b *bench) keepsDeployOut() {
	b.Helper()
	b.scan("ada")
	b.write(inSession(sessionB, "deploy.md"), note("Deploy", memories.Project, "on Fridays"))
	b.scan("ada")
	b.isIn("ada", "Shipping", memories.Active)
	b.isIn("ada", "Deploy", memories.Deleted)
}

func TestRename_FailureStaysBlocked(t *testing.T) {
	t.Parallel()
	for _, errno := range []syscall.Errno{syscall.EIO, syscall.EMFILE, syscall.ENOSPC} {
		t.Run(errno.Error(), func(t *testing.T) {
			t.Parallel()
			disk := &fullDisk{brokenDisk: brokenDisk{&breaker{}}, says: errno}
			b := withIndexed(t, disk)
			b.deletesDeploy()
			disk.full.Store(true)
			_, err := b.engine.Patch(b.Context(), "ada", b.memory("ada", "Shipping").ID, "", engine.Patch{Name: pointer("Deploy")})
			if err == nil {
				t.Fatal("renamed")
			}
			disk.full.Store(false)
			b.keepsDeployOut()
		})
	}
}

func TestRename_RemovedStaysBlocked(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.stop()
	disk := &hastyDisk{brokenDisk: brokenDisk{&breaker{}}}
	b.options.Disk, b.options.Debounce = disk, time.Hour
	b.start()
	b.deletesDeploy()
	disk.hasty.Store(true)
	_, err := b.engine.Patch(b.Context(), "ada", b.memory("ada", "Shipping").ID, "", engine.Patch{Name: pointer("Deploy")})
	b.isConflict(err, "")
	disk.hasty.Store(false)
	b.keepsDeployOut()
}

func TestRename_NewFileOverwritten(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.stop()
	disk := &rewritingDisk{brokenDisk: brokenDisk{&breaker{}}, text: note("Elsewhere", memories.Feedback, "Something.")}
	b.options.Disk, b.options.Debounce = disk, time.Hour
	b.start()
	b.write("ada/memory/tabs.md", note("Tabs", memories.Feedback, "Use tabs."))
	b.scan("ada")
	disk.on.Store(true)
	_, err := b.engine.Patch(t.Context(), "ada", b.memory("ada", "Tabs").ID, "", engine.Patch{Name: pointer("Spaces")})
	b.isConflict(err, "Nothing was saved")
	disk.on.Store(false)
	b.scan("ada")
	b.isIn("ada", "Tabs", memories.Active)
	if got := b.read("ada/memory/tabs.md"); !strings.Contains(got, "Use tabs.") {
		t.Errorf("the file says %q", got)
	}
}

// rewritingDisk writes over each file as soon as it is written, as another program may.
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

// historyOf returns the bodies that a memory has had, newest first.
func (b *bench) historyOf(name string) []string {
	b.Helper()
	page, err := b.store.Revisions(b.Context(), b.agent("ada"), b.memory("ada", name).ID, records.RevisionList{Limit: 10})
	if err != nil {
		b.Fatal(err)
	}
	bodies := make([]string, len(page.Revisions))
	for i, r := range page.Revisions {
		bodies[i] = r.Body
	}
	return bodies
}

func (b *bench) hasHistory(name string, want ...string) {
	b.Helper()
	if got := b.historyOf(name); !slices.Equal(got, want) {
		b.Errorf("the history of %s is %q, want %q", name, got, want)
	}
}

// renamed returns the memory Tabs with two revisions: the first is from an old file, and a session
// has an old copy.
func renamed(t *testing.T) (b *bench, tabs memories.Memory) {
	t.Helper()
	b = withAda(t)
	b.writeAged("ada/memory/tabs.md", note("Tabs", memories.Feedback, "Use tabs."), 72*time.Hour)
	b.writeAged(inSession(sessionA, "tabs.md"), note("Tabs", memories.Feedback, "Use tabs."), 96*time.Hour)
	b.scan("ada")
	tabs = b.save(engine.Draft{Name: "Tabs", Type: memories.Feedback, Description: "About Tabs", Body: "Use tabs, always."}).Memory
	b.renames("Tabs", "Spaces")
	return b, tabs
}

func TestRename_KeepsHistory(t *testing.T) {
	t.Parallel()
	b, tabs := renamed(t)
	spaces := b.memory("ada", "Spaces")
	if spaces.ID != tabs.ID || !spaces.CreatedAt.Equal(tabs.CreatedAt) {
		t.Errorf("Spaces is %s of %s, want %s of %s", spaces.ID, spaces.CreatedAt, tabs.ID, tabs.CreatedAt)
	}
	b.hasHistory("Spaces", "Use tabs, always.", "Use tabs.")
	if trash := b.list("ada", memories.Deleted); len(trash) != 0 {
		t.Errorf("the trash has %v", trash)
	}
	page, err := b.store.Activity(t.Context(), records.ActivityList{AgentID: b.agent("ada").ID, Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	got := page.Activity[0]
	if got.Kind != memories.ActivityRenamed || got.Name != "Spaces" || got.Renamed != "Tabs" || got.MemoryID != tabs.ID || !got.Exists {
		t.Errorf("the journal has %+v", got)
	}
}

func TestRename_SeenAtStays(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.writeAged("ada/memory/tabs.md", note("Tabs", memories.Feedback, "Use tabs."), 72*time.Hour)
	b.scan("ada")
	seen := func(name string) time.Time {
		page, err := b.store.Revisions(t.Context(), b.agent("ada"), b.memory("ada", name).ID, records.RevisionList{Limit: 10})
		if err != nil || len(page.Revisions) != 1 {
			t.Fatalf("revisions of %s: %+v, %v", name, page, err)
		}
		return page.Revisions[0].SeenAt
	}
	before := seen("Tabs")
	b.renames("Tabs", "Spaces")
	if after := seen("Spaces"); !after.Equal(before) {
		t.Errorf("the content was first seen at %s, want %s", after, before)
	}
}

func TestRename_OldCopyStaysBlocked(t *testing.T) {
	t.Parallel()
	b, tabs := renamed(t)
	for _, body := range []string{"Use tabs.", "Use tabs, always."} {
		b.write(inSession(sessionB, "tabs.md"), note("Tabs", memories.Feedback, body))
		b.scan("ada")
		if alive := b.list("ada", ""); len(alive) != 1 || alive["Spaces"].ID != tabs.ID {
			t.Errorf("after a copy of %q there are %v", body, alive)
		}
	}
	b.write(inSession(sessionB, "tabs.md"), note("Tabs", memories.Feedback, "Something new."))
	b.scan("ada")
	if fresh := b.memory("ada", "Tabs"); fresh.ID == tabs.ID || fresh.Body != "Something new." {
		t.Errorf("a new memory of the old name is %+v", fresh)
	}
	b.hasHistory("Tabs", "Something new.")
	b.hasHistory("Spaces", "Use tabs, always.", "Use tabs.")
}

func TestRename_Back(t *testing.T) {
	t.Parallel()
	b, tabs := renamed(t)
	b.renames("Spaces", "Tabs")
	if back := b.memory("ada", "Tabs"); back.ID != tabs.ID || !back.CreatedAt.Equal(tabs.CreatedAt) {
		t.Errorf("renamed back it is %+v", back)
	}
	b.hasHistory("Tabs", "Use tabs, always.", "Use tabs.")
	// An earlier content may be written again, as before the two renames.
	b.write("ada/"+b.memory("ada", "Tabs").Path, note("Tabs", memories.Feedback, "Use tabs."))
	b.scan("ada")
	b.hasBody("ada", "Tabs", "Use tabs.")
}

func TestRename_OntoDeletedName(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.writeAged("ada/memory/spaces.md", note("Spaces", memories.Feedback, "Use spaces."), 96*time.Hour)
	b.writeAged("ada/memory/tabs.md", note("Tabs", memories.Feedback, "Use tabs."), 72*time.Hour)
	b.scan("ada")
	tabs, spaces := b.memory("ada", "Tabs"), b.memory("ada", "Spaces")
	b.delete("ada", "Spaces")
	b.renames("Tabs", "Spaces")
	got := b.memory("ada", "Spaces")
	if got.ID != tabs.ID || !got.CreatedAt.Equal(spaces.CreatedAt) || got.Body != "Use tabs." {
		t.Errorf("renamed it is %+v", got)
	}
	b.hasHistory("Spaces", "Use tabs.", "Use spaces.")
	if trash := b.list("ada", memories.Deleted); len(trash) != 0 {
		t.Errorf("the trash has %v", trash)
	}
	b.write(inSession(sessionA, "spaces.md"), note("Spaces", memories.Feedback, "Use spaces."))
	b.scan("ada")
	b.hasBody("ada", "Spaces", "Use tabs.")
}

func TestRename_DeleteRestorePurge(t *testing.T) {
	t.Parallel()
	b, tabs := renamed(t)
	b.delete("ada", "Spaces")
	b.restore("ada", b.list("ada", memories.Deleted)["Spaces"])
	if got := b.memory("ada", "Spaces"); got.ID != tabs.ID || got.Path != "memory/feedback_spaces.md" || got.Body != "Use tabs, always." {
		t.Errorf("restored it is %+v", got)
	}
	if _, err := b.engine.Purge(t.Context(), "ada", tabs.ID, ""); err != nil {
		t.Fatal(err)
	}
	old := note("Tabs", memories.Feedback, "Use tabs.")
	b.write(inSession(sessionB, "a.md"), old)
	b.write(inSession(sessionB, "b.md"), strings.Replace(old, "name: Tabs", "name: Spaces", 1))
	b.scan("ada")
	if alive := b.list("ada", ""); len(alive) != 0 {
		t.Errorf("after the purge there are %v", alive)
	}
}

func TestRename_SearchFindsNewName(t *testing.T) {
	t.Parallel()
	b, _ := renamed(t)
	for query, want := range map[string]int{"spaces": 1, "tabs": 1, "always": 1} {
		page, err := b.store.Memories(t.Context(), b.agent("ada"), memories.Filter{Query: query}, memories.PageRequest{Limit: 5})
		if err != nil || len(page.Memories) != want || page.Memories[0].Name != "Spaces" {
			t.Errorf("%s finds %+v, %v", query, page.Memories, err)
		}
	}
}

// slugged is the file of a memory with the frontmatter that Claude Code gives it at its first edit.
func slugged(name string, t memories.Type, body string) string {
	return fmt.Sprintf("---\nname: %s\ndescription: About it\nmetadata:\n  node_type: memory\n  type: %s\n---\n\n%s\n", name, t, body)
}

func TestScan_SlugOfNameIsRename(t *testing.T) {
	t.Parallel()
	nothing := func(*bench) {}
	for what, c := range map[string]struct {
		also   func(b *bench) // done before the file is rewritten
		beside func(b *bench) // done with the rewriting, between the same two scans
		body   string         // that the rewritten file has
	}{
		"edited":    {nothing, nothing, "two"},
		"as it was": {nothing, nothing, "one"},
		"both copies": {
			func(b *bench) { b.write("ada/memory/flat_2.md", slugged("Flat One", memories.User, "one")) },
			func(b *bench) { b.write("ada/memory/flat_2.md", slugged("flat-one", memories.User, "two")) }, "two",
		},
		"session states slug too": {nothing, func(b *bench) {
			b.writeAged(inSession(sessionA, "flat.md"), note("flat-one", memories.User, "older"), time.Hour)
		}, "two"},
		"new file states slug too": {nothing, func(b *bench) {
			b.writeAged("ada/memory/a.md", note("flat-one", memories.User, "older"), time.Hour)
		}, "two"},
		"its slug is deleted": {func(b *bench) {
			b.write("ada/memory/x.md", note("flat-one", memories.User, "old"))
			b.scan("ada")
			b.delete("ada", "flat-one")
		}, nothing, "two"},
		"content is deleted under its slug": {func(b *bench) {
			b.write("ada/memory/x.md", slugged("flat-one", memories.User, "one"))
			b.scan("ada")
			b.delete("ada", "flat-one")
		}, nothing, "one"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			b := withAda(t)
			b.stop()
			b.options.Debounce = time.Hour // so that one scan sees all that has changed
			b.start()
			b.write("ada/memory/flat.md", slugged("Flat One", memories.User, "one"))
			b.scan("ada")
			was := b.memory("ada", "Flat One")
			c.also(b)
			b.scan("ada")
			c.beside(b)
			b.write("ada/memory/flat.md", slugged("flat-one", memories.User, c.body))
			b.scan("ada")
			m := b.memory("ada", "flat-one")
			if m.ID != was.ID || m.Body != c.body || m.State != memories.Active {
				t.Errorf("the memory is %+v, and was %s", m, was.ID)
			}
			if dead := b.list("ada", memories.Deleted); len(dead) != 0 {
				t.Errorf("in the trash: %v", dead)
			}
			if had := b.revisions("ada", m); !slices.ContainsFunc(had, func(r memories.Revision) bool { return r.Body == "one" }) {
				t.Errorf("its history has %+v", had)
			}
			b.write(inSession(sessionB, "flat.md"), slugged("Flat One", memories.User, "one"))
			b.scan("ada")
			b.isIn("ada", "Flat One", memories.Active) // nothing was deleted under the old name
		})
	}
}

// A rename on disk lets in the memory's own content only. Another content that a person has deleted
// under the slug stays out.
func TestScan_SlugRenameKeepsBlocked(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.stop()
	b.options.Debounce = time.Hour // so that one scan sees all that has changed
	b.start()
	b.write("ada/memory/x.md", slugged("flat-one", memories.User, "unwanted"))
	b.scan("ada")
	b.delete("ada", "flat-one")
	b.write("ada/memory/flat.md", slugged("Flat One", memories.User, "one"))
	b.write("ada/memory/flat_2.md", slugged("Flat One", memories.User, "one"))
	b.scan("ada")
	was := b.memory("ada", "Flat One")
	b.write("ada/memory/flat.md", slugged("flat-one", memories.User, "one"))
	b.write("ada/memory/flat_2.md", slugged("flat-one", memories.User, "unwanted"))
	for _, when := range []string{"after the rename", "after a restart"} {
		b.scan("ada")
		m := b.memory("ada", "flat-one")
		if m.ID != was.ID || m.Body != "one" {
			t.Errorf("%s the memory is %+v, and was %s", when, m, was.ID)
		}
		if blocked := b.blocked("ada"); len(blocked) != 1 || blocked[0].Path != "memory/flat_2.md" {
			t.Errorf("%s blocked = %+v, want memory/flat_2.md", when, blocked)
		}
		b.restart()
	}
}

func TestScan_SlugOfNameIsNoRename(t *testing.T) {
	t.Parallel()
	for what, also := range map[string]func(b *bench){
		"another file has the old name": func(b *bench) { b.write("ada/memory/other.md", note("Flat One", memories.User, "one")) },
		"a session has the old name":    func(b *bench) { b.write(inSession(sessionB, "flat.md"), note("Flat One", memories.User, "one")) },
		"another memory has the slug":   func(b *bench) { b.write("ada/memory/other.md", note("flat-one", memories.User, "other")) },
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			b := withAda(t)
			b.stop()
			b.options.Debounce = time.Hour // so that one scan sees all that has changed
			b.start()
			b.write("ada/memory/flat.md", note("Flat One", memories.User, "one"))
			b.scan("ada")
			was := b.memory("ada", "Flat One")
			also(b)
			if what != "a new file has the old name" {
				b.scan("ada")
			}
			b.write("ada/memory/flat.md", slugged("flat-one", memories.User, "two"))
			b.scan("ada")
			if m := b.memory("ada", "flat-one"); m.ID == was.ID || m.Body != "two" {
				t.Errorf("the memory is %+v, and was %s", m, was.ID)
			}
		})
	}
}

func TestPatch_NameWithoutAType(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("ada/memory/tabs.md", "---\nname: Tabs\n---\n\nUse tabs.\n")
	b.scan("ada")
	result, err := b.engine.Patch(t.Context(), "ada", b.memory("ada", "Tabs").ID, "", engine.Patch{Name: pointer("  Spaces ")})
	if err != nil || result.Memory.Name != "Spaces" {
		t.Errorf("Patch() = %q, %v, want the name without spaces around it", result.Memory.Name, err)
	}
}

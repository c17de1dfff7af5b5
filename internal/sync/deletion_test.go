package sync_test

import (
	"errors"
	"fmt"
	"os"
	"path"
	"strings"
	"testing"
	"time"

	"memoir/internal/memories"
	engine "memoir/internal/sync"
	"memoir/internal/sync/events"
	"memoir/internal/waittest"
)

func (b *bench) delete(slug, name string) memories.Memory {
	b.Helper()
	m := b.memory(slug, name)
	result, err := b.engine.Delete(b.Context(), slug, m.ID, engine.ETag(m))
	if err != nil {
		b.Fatalf("delete %s: %v", name, err)
	}
	return result.Memory
}

func (b *bench) restore(slug string, m memories.Memory) memories.Memory {
	b.Helper()
	result, err := b.engine.Restore(b.Context(), slug, m.ID, "")
	if err != nil {
		b.Fatalf("restore %s: %v", m.Name, err)
	}
	return result.Memory
}

func (b *bench) isConflict(err error, about string) {
	b.Helper()
	var conflict *memories.ConflictError
	if !errors.As(err, &conflict) || !strings.Contains(conflict.Reason, about) {
		b.Errorf("got %v, want a conflict about %q", err, about)
	}
}

func TestDelete_SessionLinksToPrimary(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("ada/memory/a.md", note("Deploy", memories.Project, "stays"))
	b.write(inSession(sessionA, "a.md"), note("Staging", memories.Project, "goes"))
	b.scanAll()
	b.remove(path.Dir(inSession(sessionA, "a.md")))
	b.link(path.Dir(inSession(sessionA, "a.md")), "../../memory")
	b.scan("ada")
	b.isIn("ada", "Staging", memories.Active)
	b.delete("ada", "Staging")
	b.scan("ada")
	b.isIn("ada", "Deploy", memories.Active)
	if b.read("ada/memory/a.md") == "" {
		t.Error("the primary file is gone")
	}
}

func TestDelete_RemovesEveryCopy(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("ada/memory/a.md", note("Deploy", memories.Project, "one"))
	b.write(inSession(sessionA, "x.md"), note("Deploy", memories.Project, "two"))
	b.write(inSession(sessionB, "deep/y.md"), note("Deploy", memories.Project, "three"))
	b.write(inSession(sessionB, "other.md"), note("Other", memories.Project, "stays"))
	b.scanAll()
	b.delete("ada", "Deploy")
	for _, file := range []string{"ada/memory/a.md", inSession(sessionA, "x.md"), inSession(sessionB, "deep/y.md")} {
		if b.read(file) != "" {
			t.Errorf("%s is still there", file)
		}
	}
	b.isIn("ada", "Other", memories.Active)
	for _, old := range []string{"one", "two", "three"} {
		b.write(inSession(sessionA, old+".md"), note("Deploy", memories.Project, old))
	}
	b.scan("ada")
	b.isIn("ada", "Deploy", memories.Deleted)
	if blocked, err := b.store.Blocked(t.Context(), b.agent("ada").ID); err != nil || len(blocked) != 3 {
		t.Errorf("%d contents are blocked (%v), want every one that the memory has had", len(blocked), err)
	}
}

func TestDelete_ChangedFile(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("ada/memory/a.md", note("Deploy", memories.Project, "seen"))
	b.write(inSession(sessionA, "x.md"), note("Deploy", memories.Project, "seen"))
	b.scanAll()
	b.stopWatching()
	m := b.memory("ada", "Deploy")
	b.write(inSession(sessionA, "x.md"), note("Deploy", memories.Project, "not seen"))
	_, err := b.engine.Delete(t.Context(), "ada", m.ID, "")
	b.isConflict(err, "has changed on disk")
	if b.read("ada/memory/a.md") == "" || b.read(inSession(sessionA, "x.md")) == "" {
		t.Error("a refused deletion removed a file")
	}
	b.isIn("ada", "Deploy", memories.Active)
	if _, err := b.engine.Delete(t.Context(), "ada", m.ID, `"of another content"`); !errors.Is(err, memories.ErrChanged) {
		t.Errorf("a deletion with a stale ETag is answered with %v", err)
	}
}

// A link to nothing in the place of a file is no absent file: no scan has seen it. The refused
// deletion and rename leave memory, link and index as they are.
func TestDelete_FileBecameBrokenLink(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("ada/memory/MEMORY.md", "- [Deploy](a.md) — how\n")
	b.write("ada/memory/a.md", note("Deploy", memories.Project, "text"))
	b.scanAll()
	b.stopWatching()
	b.remove("ada/memory/a.md")
	b.must(os.Symlink("nowhere.md", b.path("ada/memory/a.md")))
	m := b.memory("ada", "Deploy")
	_, err := b.engine.Delete(t.Context(), "ada", m.ID, "")
	b.isConflict(err, "has changed on disk")
	_, err = b.engine.Patch(t.Context(), "ada", m.ID, "", engine.Patch{Name: pointer("Shipping")})
	b.isConflict(err, "has changed on disk")
	b.isIn("ada", "Deploy", memories.Active)
	if got := b.read("ada/memory/MEMORY.md"); got != "- [Deploy](a.md) — how\n" {
		t.Errorf("MEMORY.md = %q, want it unchanged", got)
	}
	if target, err := os.Readlink(b.path("ada/memory/a.md")); target != "nowhere.md" {
		t.Errorf("link = %q, %v, want nowhere.md", target, err)
	}
}

func TestDelete_AbsentFile(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("ada/memory/a.md", note("Deploy", memories.Project, "text"))
	b.scanAll()
	b.stopWatching()
	b.remove("ada/memory/a.md")
	b.delete("ada", "Deploy")
	b.isIn("ada", "Deploy", memories.Deleted)
}

func TestScan_NewContentOfDeletedName(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("ada/memory/a.md", note("Deploy", memories.Project, "old"))
	b.scanAll()
	deleted := b.delete("ada", "Deploy")
	subscription := b.engine.Hub().Subscribe()
	defer subscription.Close()
	b.write("ada/memory/b.md", note("Deploy", memories.Project, "new"))
	b.scan("ada")
	m := b.memory("ada", "Deploy")
	if m.ID != deleted.ID || m.Body != "new" || len(b.revisions("ada", m)) != 2 {
		t.Errorf("it lives again as %s with %q and %d revisions", m.ID, m.Body, len(b.revisions("ada", m)))
	}
	b.heard(subscription, events.Event{Agent: "ada", Kind: events.Restored, Name: "Deploy"})

	b.write("ada/memory/b.md", note("Deploy", memories.Project, "old"))
	b.scan("ada")
	b.hasBody("ada", "Deploy", "new")
}

func (b *bench) heard(subscription *events.Subscription, want events.Event) {
	b.Helper()
	for {
		select {
		case got := <-subscription.Events:
			if got == want {
				return
			}
		default:
			b.Fatalf("no event %+v was sent", want)
		}
	}
}

func TestScan_DeletedContentOtherFrontmatter(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("ada/memory/a.md", note("Deploy", memories.Project, "text"))
	b.scanAll()
	b.delete("ada", "Deploy")
	b.write("ada/memory/a.md", "---\nname: Deploy\ndescription: About Deploy\nmetadata:\n  type: project\n  originSessionId: 77\n---\ntext\n")
	b.scan("ada")
	b.isIn("ada", "Deploy", memories.Deleted)
}

func TestBlocked_ListedUntilAllowed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	text := note("Deploy", memories.Project, "text")
	b.write("ada/memory/a.md", text)
	b.scanAll()
	b.delete("ada", "Deploy")
	b.write("ada/memory/a.md", text)
	b.scan("ada")
	b.restart()
	blocked, err := b.store.Blocked(t.Context(), b.agent("ada").ID)
	if err != nil || len(blocked) != 1 || blocked[0].Path != "memory/a.md" || blocked[0].Body != "text" {
		t.Fatalf("blocked are %+v, %v", blocked, err)
	}
	result, err := b.engine.Allow(t.Context(), "ada", blocked[0].ID)
	if err != nil || result.Memory.State != memories.Active || result.Memory.Body != "text" {
		t.Fatalf("allowing answers %+v, %v", result.Memory, err)
	}
	if blocked, _ := b.store.Blocked(t.Context(), b.agent("ada").ID); len(blocked) != 0 {
		t.Errorf("still blocked: %+v", blocked)
	}
	if !strings.Contains(b.read("ada/CLAUDE.md"), "### Deploy\n\ntext\n") {
		t.Error("CLAUDE.md lacks what was allowed")
	}
}

func TestAllow_EmptyFile(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.writeAged("ada/memory/a.md", "", time.Hour)
	b.scanAll()
	b.delete("ada", "a")
	b.writeAged("ada/memory/a.md", "", time.Hour)
	written := time.Now()
	b.scan("ada")
	blocked, err := b.store.Blocked(t.Context(), b.agent("ada").ID)
	if err != nil || len(blocked) != 1 {
		t.Fatalf("blocked are %+v, %v", blocked, err)
	}
	waittest.For(b, "the file to be left alone for long enough", func() bool { return time.Since(written) > time.Second })
	if result, err := b.engine.Allow(t.Context(), "ada", blocked[0].ID); err != nil || result.Memory.Name != "a" {
		t.Errorf("allowing gave %+v, %v", result, err)
	}
}

func TestBlocked_RemovedFile(t *testing.T) {
	t.Parallel()
	b := setup(t)
	text := note("Deploy", memories.Project, "text")
	b.write("ada/memory/a.md", text)
	b.scanAll()
	b.delete("ada", "Deploy")
	b.write("ada/memory/a.md", text)
	b.scan("ada")
	b.remove("ada/memory/a.md")
	b.scan("ada")
	if blocked, err := b.store.Blocked(t.Context(), b.agent("ada").ID); err != nil || len(blocked) != 0 {
		t.Errorf("blocked are %+v, %v", blocked, err)
	}
}

func TestRestore_FromSessionToPrimary(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("ada/memory/project_deploy.md", note("Taken", memories.Project, "something else"))
	b.write(inSession(sessionA, "x.md"), note("Deploy", memories.Project, "text"))
	b.scanAll()
	m := b.restore("ada", b.delete("ada", "Deploy"))
	if m.Path != "memory/project_deploy_2.md" || m.Session != "" || m.State != memories.Active {
		t.Errorf("restored as %s of session %q, %s", m.Path, m.Session, m.State)
	}
	if got := b.read("ada/memory/project_deploy_2.md"); got != note("Deploy", memories.Project, "text") {
		t.Errorf("the file says %q", got)
	}
}

func TestRestore_LivingMemory(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("ada/memory/a.md", note("Deploy", memories.Project, "text"))
	b.scanAll()
	_, err := b.engine.Restore(t.Context(), "ada", b.memory("ada", "Deploy").ID, "")
	b.isConflict(err, "is not in the trash")
}

func TestPurge_BlocksContent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	text := note("Deploy", memories.Project, "text")
	b.write("ada/memory/a.md", text)
	b.scanAll()
	m := b.memory("ada", "Deploy")
	if _, err := b.engine.Purge(t.Context(), "ada", m.ID, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := b.store.Memory(t.Context(), b.agent("ada"), m.ID); !errors.Is(err, memories.ErrNotFound) {
		t.Errorf("the purged memory is answered with %v", err)
	}
	b.write("ada/memory/a.md", text)
	b.scan("ada")
	if len(b.list("ada", "")) != 0 {
		t.Error("a purged content came back by itself")
	}
	b.write("ada/memory/a.md", note("Deploy", memories.Project, "anew"))
	b.scan("ada")
	b.hasBody("ada", "Deploy", "anew")
}

func TestRestore_EarlierDeletionsStayBlocked(t *testing.T) {
	t.Parallel()
	for name, again := range map[string]func(b *bench, first memories.Memory) (second memories.Memory){
		"the one before, in the trash": func(b *bench, _ memories.Memory) memories.Memory {
			b.write("ada/memory/a.md", note("Deploy", memories.Project, "new"))
			b.scan("ada")
			return b.delete("ada", "Deploy")
		},
		"the one before, purged": func(b *bench, first memories.Memory) memories.Memory {
			if _, err := b.engine.Purge(b.Context(), "ada", first.ID, ""); err != nil {
				b.Fatal(err)
			}
			b.write("ada/memory/a.md", note("Deploy", memories.Project, "new"))
			b.scan("ada")
			return b.delete("ada", "Deploy")
		},
		"the one after, missing": func(b *bench, _ memories.Memory) memories.Memory {
			b.write("ada/memory/a.md", note("Deploy", memories.Project, "new"))
			b.writeMany("ada/memory", 0, 12)
			b.scan("ada")
			for i := range 12 {
				b.remove(fmt.Sprintf("ada/memory/%d.md", i))
			}
			b.remove("ada/memory/a.md")
			b.scan("ada")
			b.isIn("ada", "Deploy", memories.Missing)
			return b.memory("ada", "Deploy")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.stopWatching()
			b.write("ada/memory/a.md", note("Deploy", memories.Project, "old"))
			b.scanAll()
			second := again(b, b.delete("ada", "Deploy"))
			b.restore("ada", second)
			b.hasBody("ada", "Deploy", "new")
			b.write(inSession(sessionA, "a.md"), note("Deploy", memories.Project, "old"))
			b.scan("ada")
			b.hasBody("ada", "Deploy", "new")
			if kept := b.blocked("ada"); len(kept) != 1 || kept[0].Body != "old" {
				t.Errorf("kept out are %v", kept)
			}
		})
	}
}

func TestRestore_AllowsOwnContents(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.stopWatching()
	b.write("ada/memory/a.md", note("Deploy", memories.Project, "first"))
	b.scanAll()
	b.write("ada/memory/a.md", note("Deploy", memories.Project, "second"))
	b.scan("ada")
	b.restore("ada", b.delete("ada", "Deploy"))
	b.write("ada/memory/a.md", note("Deploy", memories.Project, "first"))
	b.scan("ada")
	b.hasBody("ada", "Deploy", "first")
}

func TestDelete_LinkedIndexEntry(t *testing.T) {
	t.Parallel()
	b := setup(t)
	index := "# Index\n\n- [A](a.md) — first\n- [A](./sub/x.md) and [B](b.md) together\n- [C](c.md) — third\n"
	b.write("ada/memory/a.md", note("Deploy", memories.Project, "text"))
	b.write("ada/memory/sub/x.md", note("Second", memories.Project, "text"))
	b.write("ada/memory/MEMORY.md", index)
	b.scanAll()
	first, second := b.delete("ada", "Deploy"), b.delete("ada", "Second")
	got := b.read("ada/memory/MEMORY.md")
	if strings.Contains(got, "a.md") || strings.Contains(got, "x.md") || !strings.Contains(got, "[B](b.md)") || !strings.Contains(got, "- [C](c.md) — third\n") {
		t.Errorf("the index is now %q", got)
	}
	b.restore("ada", second)
	b.restore("ada", first)
	if got := b.read("ada/memory/MEMORY.md"); got != index {
		t.Errorf("the index after both restores is %q", got)
	}
}

func TestRestore_UnreadableFile(t *testing.T) {
	t.Parallel()
	b := setup(t)
	text := strings.Repeat("0123456789abcdef", memories.MaxFileSize/16) + "over"
	// Put there whole: half of it, seen by the watcher, would be a memory.
	b.write("ada/memory/small.md", note("Small", memories.Project, "text"))
	b.write("ada/big", text)
	if err := os.Rename(b.path("ada/big"), b.path("ada/memory/big.md")); err != nil {
		t.Fatal(err)
	}
	b.scanAll()
	deleted := b.delete("ada", "big")
	if _, err := os.Stat(b.path("ada/memory/big.md")); !os.IsNotExist(err) {
		t.Fatalf("the file is still there: %v", err)
	}
	b.scan("ada")
	if len(b.list("ada", "")) != 1 {
		t.Error("the deleted file is still listed")
	}
	b.restore("ada", deleted)
	if b.read("ada/memory/big.md") != text {
		t.Error("the restored file has other bytes")
	}
	if m := b.memory("ada", "big"); m.State != memories.NeedsAttention {
		t.Errorf("the restored file is %s", m.State)
	}
}

// stopWatching removes all watches, so that the engine scans only on request.
func (b *bench) stopWatching() {
	b.Helper()
	b.stop()
	b.options.Debounce, b.options.Rescan = 1e15, 1e15
	b.start()
}

// bar makes a file impossible to remove, for root too: what is to be moved aside has no place to
// go.
func (b *bench) bar(name string) (lift func()) {
	b.Helper()
	dir, file := path.Split(name)
	inTheWay := dir + ".memoir-removing-" + file
	b.write(inTheWay+"/full", "of this")
	return func() { b.remove(inTheWay) }
}

func TestDelete_RetriesRemoval(t *testing.T) {
	t.Parallel()
	b := setup(t)
	text := note("Stale", memories.Project, "wrong by now")
	b.write("ada/memory/a.md", text)
	b.write("ada/memory/b.md", note("Other", memories.Project, "kept"))
	b.write("ada/memory/MEMORY.md", "- [Stale](a.md)\n- [Other](b.md)\n")
	b.scanAll()
	lift := b.bar("ada/memory/a.md")
	if _, err := b.engine.Delete(t.Context(), "ada", b.memory("ada", "Stale").ID, ""); err != nil {
		t.Fatal(err)
	}
	for _, again := range []func(){func() { b.scan("ada") }, b.restart, func() { b.scan("ada") }} {
		again()
		deleted := b.list("ada", memories.Deleted)["Stale"]
		if len(deleted.Problems) != 1 || deleted.Problems[0].Code != memories.CodeNotRemoved {
			t.Fatalf("the file that could not be removed is no longer listed: %+v", deleted.Problems)
		}
	}
	lift()
	b.scan("ada")
	if b.read("ada/memory/a.md") != "" {
		t.Error("the file can be removed by now and was not")
	}
	if got := b.read("ada/memory/MEMORY.md"); got != "- [Other](b.md)\n" {
		t.Errorf("the index still says %q", got)
	}
	if problems := b.list("ada", memories.Deleted)["Stale"].Problems; len(problems) != 0 {
		t.Errorf("the file is gone and still listed: %+v", problems)
	}
}

func TestDelete_NotRemovedThenRewritten(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("ada/memory/a.md", note("Stale", memories.Project, "wrong by now"))
	b.scanAll()
	lift := b.bar("ada/memory/a.md")
	if _, err := b.engine.Delete(t.Context(), "ada", b.memory("ada", "Stale").ID, ""); err != nil {
		t.Fatal(err)
	}
	b.write("ada/memory/a.md", note("Stale", memories.Project, "right again"))
	b.scan("ada")
	lift()
	b.scan("ada")
	b.hasBody("ada", "Stale", "right again")
}

func TestDelete_TooDeepFile(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const deep = "ada/memory/1/2/3/4/deep.md"
	text := note("Deep", memories.Project, "too far down")
	b.write(deep, text)
	b.scanAll()
	b.write(deep, text+"and more\n")
	b.scan("ada")
	id := b.delete("ada", "deep").ID
	if b.read(deep) != "" {
		t.Error("the file is still there")
	}
	if _, err := b.engine.Restore(t.Context(), "ada", id, ""); err != nil {
		t.Fatal(err)
	}
	if got := b.read(deep); got != text+"and more\n" {
		t.Errorf("restored is %q", got)
	}
}

func TestStatus_DeletedFileNotCounted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("ada/memory/tabs.md", note("Tabs", memories.Feedback, "Use tabs."))
	b.write("ada/memory/spaces.md", note("Spaces", memories.Feedback, "Never."))
	b.arrives("ada", "Tabs", "Use tabs.")
	b.arrives("ada", "Spaces", "Never.")
	b.scan("ada")
	b.delete("ada", "Tabs")
	if s := b.statusOf("ada"); s.FilesOnDisk != 1 || s.Mirrored != 1 {
		t.Errorf("%d files on disk, %d of them mirrored, after one of two was deleted", s.FilesOnDisk, s.Mirrored)
	}
	b.write("ada/memory/tabs.md", note("Tabs", memories.Feedback, "Use tabs."))
	b.scan("ada")
	for _, kept := range b.blocked("ada") {
		if _, err := b.engine.RemoveBlocked(t.Context(), "ada", kept.ID); err != nil {
			t.Fatal(err)
		}
	}
	if s := b.statusOf("ada"); s.FilesOnDisk != 1 || s.Mirrored != 1 {
		t.Errorf("%d files on disk, %d of them mirrored, after what was kept out was removed", s.FilesOnDisk, s.Mirrored)
	}
	b.write("ada/memory/broken.md", "\x00")
	b.scan("ada")
	b.delete("ada", "broken")
	if s := b.statusOf("ada"); s.FilesOnDisk != 1 || s.Mirrored != 1 {
		t.Errorf("%d files on disk, %d of them mirrored, after an unreadable one was deleted", s.FilesOnDisk, s.Mirrored)
	}
}

func TestDelete_FileRemovedByOthers(t *testing.T) {
	t.Parallel()
	b := withIndexed(t, brokenDisk{&breaker{}})
	lift := b.bar("ada/memory/tabs.md")
	defer lift()
	b.delete("ada", "Tabs")
	b.remove("ada/memory/tabs.md")
	waittest.For(b, "a look that finds the file gone", func() bool {
		var left int
		b.query("SELECT count(*) FROM files WHERE status = 'removing'", &left)
		return left == 0
	})
	if got := b.read("ada/memory/MEMORY.md"); got != "- [Other](other.md)\n" {
		t.Errorf("MEMORY.md says %q", got)
	}
	anew := "- [Tabs](tabs.md) — another one\n"
	b.write("ada/memory/MEMORY.md", anew)
	b.scan("ada")
	if got := b.read("ada/memory/MEMORY.md"); got != anew {
		t.Errorf("after the agent has written it anew MEMORY.md says %q", got)
	}
}

package sync_test

import (
	"path"
	"strings"
	"testing"
	"time"

	"memoir/internal/memories"
	engine "memoir/internal/sync"
)

// withListed is a bench whose agent ada has a memory for each of the names, all of them listed in
// the index.
func withListed(t *testing.T, names string) (b *bench, index string) {
	t.Helper()
	b = setup(t)
	index = "# Index\n\n"
	for _, name := range names {
		file := strings.ToLower(string(name)) + ".md"
		b.write("ada/memory/"+file, note(string(name), memories.Project, "text of "+string(name)))
		index += "- [" + string(name) + "](" + file + ")\n"
	}
	b.write("ada/memory/MEMORY.md", index)
	b.scanAll()
	return b, index
}

// seen names memories of ada as many calls do.
func (b *bench) seen(names string) (all []engine.MemoryRef) {
	b.Helper()
	listed, trash := b.list("ada", ""), b.list("ada", memories.Deleted)
	for _, name := range names {
		m, ok := listed[string(name)]
		if !ok {
			m = trash[string(name)]
		}
		all = append(all, engine.MemoryRef{ID: m.ID})
	}
	return all
}

func (b *bench) allGoWell(errs []error) {
	b.Helper()
	for _, err := range errs {
		if err != nil {
			b.Error(err)
		}
	}
}

func (b *bench) indexIs(want string) {
	b.Helper()
	if got := b.read("ada/memory/MEMORY.md"); got != want {
		b.Errorf("MEMORY.md says\n%q, not\n%q", got, want)
	}
}

func TestRestore_IndexLinesOfNeighbours(t *testing.T) {
	t.Parallel()
	for _, order := range []struct{ deleted, restored string }{{"ABC", "CBA"}, {"BAC", "CAB"}, {"CAB", "BAC"}} {
		t.Run(order.deleted+" "+order.restored, func(t *testing.T) {
			t.Parallel()
			b, index := withListed(t, "ABCD")
			b.allGoWell(b.engine.DeleteMany(t.Context(), "ada", b.seen(order.deleted)))
			b.indexIs("# Index\n\n- [D](d.md)\n")
			b.allGoWell(b.engine.RestoreMany(t.Context(), "ada", b.seen(order.restored)))
			b.indexIs(index)
			for _, name := range order.deleted {
				b.delete("ada", string(name))
			}
			b.restart()
			for _, name := range order.restored {
				b.restore("ada", b.list("ada", memories.Deleted)[string(name)])
			}
			b.indexIs(index)
		})
	}
}

// TestRestore_ListsOnlyItself restores a memory whose path another program has given to a memory of
// its own, which no scan has seen yet.
func TestRestore_ListsOnlyItself(t *testing.T) {
	t.Parallel()
	b, _ := withListed(t, "AB")
	b.stopWatching()
	deleted := b.delete("ada", "A")
	b.write("ada/memory/a.md", note("Other", memories.User, "is there now"))
	restored := b.restore("ada", deleted)
	b.isIn("ada", "Other", memories.Active)
	b.indexIs("# Index\n\n- [A](" + path.Base(restored.Path) + ")\n- [B](b.md)\n")
}

// TestRestore_EntryOfPathLostToAnother restores a memory that moved away from the path in its removed
// entry. Another memory has had that path since, and was deleted permanently.
func TestRestore_EntryOfPathLostToAnother(t *testing.T) {
	t.Parallel()
	b, _ := withListed(t, "AB")
	b.stopWatching()
	b.delete("ada", "A")
	b.write("ada/memory/a.md", note("Other", memories.User, "is there now"))
	b.write("ada/memory/x.md", note("A", memories.Project, "learned again"))
	b.scan("ada")
	if _, err := b.engine.Purge(t.Context(), "ada", b.list("ada", "")["Other"].ID, ""); err != nil {
		t.Fatal(err)
	}
	b.restore("ada", b.delete("ada", "A"))
	b.indexIs("# Index\n\n- [A](x.md)\n- [B](b.md)\n")
}

func TestIndexLines_MissingMemory(t *testing.T) {
	t.Parallel()
	b, index := withListed(t, "ABCDEFGHIJKL")
	b.stopWatching()
	for _, name := range "abcdefghijkl" {
		b.remove("ada/memory/" + string(name) + ".md")
	}
	b.scan("ada")
	b.isIn("ada", "B", memories.Missing)
	b.indexIs(index)
	p, err := b.engine.PreviewDeletion(t.Context(), "ada", b.memory("ada", "B").ID)
	without := strings.Replace(index, "- [B](b.md)\n", "", 1)
	if err != nil || len(p.Indexes) != 1 || string(p.Indexes[0].After) != without {
		t.Errorf("the preview is %+v (%v)", p.Indexes, err)
	}
	deleted := b.delete("ada", "B")
	b.indexIs(without)
	b.restore("ada", deleted)
	b.indexIs(index)
	if b.read("ada/memory/b.md") == "" {
		t.Error("the file is not back")
	}
	b.isIn("ada", "B", memories.Active)
	b.isIn("ada", "C", memories.Missing)
}

func TestIndexLines_AbsentPrimaryFile(t *testing.T) {
	t.Parallel()
	b, index := withListed(t, "AB")
	b.write(inSession(sessionA, "x.md"), note("A", memories.Project, "text of A"))
	b.scanAll()
	b.stopWatching()
	b.remove("ada/memory/a.md")
	b.scan("ada")
	b.isIn("ada", "A", memories.Active)
	deleted := b.delete("ada", "A")
	b.indexIs("# Index\n\n- [B](b.md)\n")
	b.restore("ada", deleted)
	b.indexIs(index)
}

func TestIndexLines_OtherFileAtPath(t *testing.T) {
	t.Parallel()
	b, index := withListed(t, "AB")
	b.write(inSession(sessionA, "x.md"), note("A", memories.Project, "text of A"))
	b.scanAll()
	b.stopWatching()
	b.remove("ada/memory/a.md")
	b.scan("ada")
	b.write("ada/memory/a.md/README.txt", "a directory by now")
	b.delete("ada", "A")
	b.indexIs(index)
}

// A restore writes one file of the memory. Entries for its other files lead to that one, whichever
// of them had the content.
func TestIndexLines_OtherIndexes(t *testing.T) {
	t.Parallel()
	files := []string{"ada/memory/a.md", inSession(sessionA, "x.md")}
	for _, newest := range files {
		t.Run(newest, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			durable, team, session := "ada/memory/MEMORY.md", "ada/memory/team/MEMORY.md", inSession(sessionA, "MEMORY.md")
			for _, file := range files {
				age := 2 * time.Hour
				if file == newest {
					age = time.Hour
				}
				b.writeAged(file, note("Both", memories.Project, "text"), age)
			}
			b.write(inSession(sessionB, "y.md"), note("Of a session", memories.Project, "text"))
			b.write("ada/memory/b.md", note("Stays", memories.Project, "text"))
			for index, text := range map[string]string{
				durable: "# Index\n- [Both](" + b.path("ada/memory/a.md") + ")\n- [Stays](b.md)\n- [There](../sessions/" + sessionA + "/memory/x.md)\n" +
					"- [Far](../sessions/" + sessionB + "/memory/y.md)\n- [Out](/elsewhere/memory/a.md)\n- [Out](../../bob/memory/a.md)\n",
				team:    "- [Both](../a.md)\n- [Stays](../b.md)\n",
				session: "- [Both](x.md)\n- [Durable](../../../memory/a.md)\n- [Stays](../../../memory/b.md)\n",
			} {
				b.write(index, text)
			}
			b.scanAll()
			both, far := b.delete("ada", "Both"), b.delete("ada", "Of a session")
			b.indexesAre("after the deletions", map[string]string{
				durable: "# Index\n- [Stays](b.md)\n- [Out](/elsewhere/memory/a.md)\n- [Out](../../bob/memory/a.md)\n",
				team:    "- [Stays](../b.md)\n",
				session: "- [Stays](../../../memory/b.md)\n",
			})
			b.restore("ada", far)
			b.restore("ada", both)
			b.indexesAre("after the restores", map[string]string{
				durable: "# Index\n- [Both](" + b.path("ada/memory/a.md") + ")\n- [Stays](b.md)\n" +
					"- [Far](project_of_a_session.md)\n- [Out](/elsewhere/memory/a.md)\n- [Out](../../bob/memory/a.md)\n",
				team:    "- [Both](../a.md)\n- [Stays](../b.md)\n",
				session: "- [Durable](../../../memory/a.md)\n- [Stays](../../../memory/b.md)\n",
			})
		})
	}
}

// indexesAre reports an error for each index whose text is not the wanted one.
func (b *bench) indexesAre(when string, want map[string]string) {
	b.Helper()
	for index, text := range want {
		if got := b.read(index); got != text {
			b.Errorf("%s %s says\n%q, not\n%q", when, index, got, text)
		}
	}
}

func TestIndexLines_IndexNotWritable(t *testing.T) {
	t.Parallel()
	for where, at := range map[string]struct{ index, entry string }{
		"beside the file":      {"memory/MEMORY.md", "- [Tabs](tabs.md)\n"},
		"in another directory": {"sessions/" + sessionA + "/memory/MEMORY.md", "- [Tabs](../../../memory/tabs.md)\n"},
	} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			disk := &fullDisk{brokenDisk: brokenDisk{&breaker{}}, only: at.index}
			b := withIndexed(t, disk)
			b.write("ada/"+at.index, at.entry)
			b.write(inSession(sessionA, "x.md"), b.read("ada/memory/tabs.md"))
			b.scan("ada")
			disk.full.Store(true)
			b.delete("ada", "Tabs")
			for range 2 {
				problems := b.list("ada", memories.Deleted)["Tabs"].Problems
				want := "memory/tabs.md was removed. Its entry is still in " + at.index + ", which cannot be written: no space left on device."
				if len(problems) != 1 || !strings.HasPrefix(problems[0].Message, want) {
					t.Errorf("the problems are %+v", problems)
				}
				b.scan("ada")
			}
			disk.full.Store(false)
			b.scan("ada")
			if got := b.read("ada/" + at.index); got != "" {
				t.Errorf("with room again the index says %q", got)
			}
			if problems := b.list("ada", memories.Deleted)["Tabs"].Problems; len(problems) != 0 {
				t.Errorf("the entry is gone, and the problems are %+v", problems)
			}
		})
	}
}

func TestIndexLines_SecondDeletion(t *testing.T) {
	t.Parallel()
	disk := &fullDisk{brokenDisk: brokenDisk{&breaker{}}, only: "memory/MEMORY.md"}
	b := withIndexed(t, disk)
	index := b.read("ada/memory/MEMORY.md")
	tabs := b.delete("ada", "Tabs")
	disk.full.Store(true)
	_, err := b.engine.Restore(b.Context(), "ada", tabs.ID, "")
	b.isConflict(err, "tries again at each scan")
	b.delete("ada", "Tabs")
	disk.full.Store(false)
	b.restore("ada", tabs)
	b.scan("ada")
	if got := b.read("ada/memory/MEMORY.md"); got != index {
		t.Errorf("the index says %q, want %q", got, index)
	}
}

func TestIndexLines_SaveAndSecondDeletion(t *testing.T) {
	t.Parallel()
	b := withIndexed(t, brokenDisk{&breaker{}})
	index := b.read("ada/memory/MEMORY.md")
	b.delete("ada", "Tabs")
	b.save(engine.Draft{Name: "Tabs", Description: "About Tabs", Type: memories.Feedback, Body: "Use tabs again."})
	tabs := b.delete("ada", "Tabs")
	b.restore("ada", tabs)
	if got := b.read("ada/memory/MEMORY.md"); got != index {
		t.Errorf("the index says %q", got)
	}
}

func TestIndexLines_RestoreWithNewLine(t *testing.T) {
	t.Parallel()
	b := withIndexed(t, brokenDisk{&breaker{}})
	tabs := b.delete("ada", "Tabs")
	b.write("ada/memory/tabs.md", note("Tabs", memories.Feedback, "Use tabs, really."))
	b.write("ada/memory/MEMORY.md", "- [Other](other.md)\n- [Tabs](tabs.md) — learned anew\n")
	b.scan("ada")
	b.isIn("ada", "Tabs", memories.Active)
	b.remove("ada/memory/tabs.md")
	b.scan("ada")
	b.isIn("ada", "Tabs", memories.Deleted)
	b.restore("ada", tabs)
	if got := b.read("ada/memory/MEMORY.md"); strings.Count(got, "tabs.md") != 1 {
		t.Errorf("the index says %q", got)
	}
}

func TestIndexLines_RestoreAfterRebuild(t *testing.T) {
	t.Parallel()
	disk := &fullDisk{brokenDisk: brokenDisk{&breaker{}}, only: "memory/MEMORY.md"}
	b := withIndexed(t, disk)
	tabs := b.delete("ada", "Tabs")
	disk.full.Store(true)
	_, err := b.engine.Restore(b.Context(), "ada", tabs.ID, "")
	b.isConflict(err, "tries again at each scan")
	disk.full.Store(false)
	b.rebuild("ada")
	b.scan("ada")
	if got := b.read("ada/memory/MEMORY.md"); strings.Count(got, "tabs.md") != 1 {
		t.Errorf("the index says %q", got)
	}
}

func TestIndexLines_RefusedRename(t *testing.T) {
	t.Parallel()
	disk := &fullDisk{brokenDisk: brokenDisk{&breaker{}}, only: "memory/feedback_spaces.md"}
	b := withIndexed(t, disk)
	b.write("ada/memory/feedback_spaces.md", note("Spaces", memories.Feedback, "Use spaces."))
	index := "- [Tabs](tabs.md)\n- [Spaces](feedback_spaces.md) — by hand\n- [Other](other.md)\n"
	b.write("ada/memory/MEMORY.md", index)
	b.scan("ada")
	b.remove("ada/memory/feedback_spaces.md")
	b.scan("ada")
	b.isIn("ada", "Spaces", memories.Deleted)
	disk.full.Store(true)
	_, err := b.engine.Patch(b.Context(), "ada", b.memory("ada", "Tabs").ID, "", engine.Patch{Name: pointer("Spaces")})
	b.isConflict(err, "Nothing was changed")
	disk.full.Store(false)
	b.scan("ada")
	if got := b.read("ada/memory/MEMORY.md"); got != index {
		t.Errorf("the index says %q, want %q", got, index)
	}
}

package sync_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"memoir/internal/memories"
	engine "memoir/internal/sync"
)

func TestScan_RemovedSource(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.writeAged("ada/memory/a.md", note("Deploy", memories.Project, "one"), 3*time.Hour)
	b.writeAged("ada/memory/b.md", note("Deploy", memories.Project, "two"), 2*time.Hour)
	b.scan("ada")
	b.write("ada/memory/c.md", note("Deploy", memories.Project, "three"))
	b.scan("ada")
	b.hasBody("ada", "Deploy", "three")
	id := b.memory("ada", "Deploy").ID
	for _, c := range []struct{ removed, path, body string }{{"c.md", "memory/b.md", "two"}, {"b.md", "memory/a.md", "one"}} {
		b.remove("ada/memory/" + c.removed)
		b.scan("ada")
		if m := b.memory("ada", "Deploy"); m.ID != id || m.Body != c.body || m.Path != c.path {
			t.Errorf("without %s it says %q at %s, want %q at %s", c.removed, m.Body, m.Path, c.body, c.path)
		}
		if text := b.read("ada/CLAUDE.md"); !strings.Contains(text, "### Deploy\n\n"+c.body) {
			t.Errorf("without %s CLAUDE.md does not say %q", c.removed, c.body)
		}
	}
	if revisions := b.revisions("ada", b.memory("ada", "Deploy")); len(revisions) != 3 || revisions[0].Body != "three" {
		t.Errorf("revisions are %+v", revisions)
	}
}

func TestScan_SourceWithOtherName(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.writeAged("ada/memory/a.md", note("Deploy", memories.Project, "one"), time.Hour)
	b.write("ada/memory/b.md", note("Deploy", memories.Project, "two"))
	b.scan("ada")
	b.write("ada/memory/b.md", note("Release", memories.Project, "two"))
	b.scan("ada")
	b.hasBody("ada", "Deploy", "one")
	b.hasBody("ada", "Release", "two")
}

func TestScan_ReturnedPrimaryFile(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.writeAged("ada/memory/a.md", note("Deploy", memories.Project, "one"), 2*time.Hour)
	b.writeAged("ada/memory/b.md", note("Deploy", memories.Project, "two"), time.Hour)
	b.scan("ada")
	b.rename("ada/memory/b.md", "aside")
	b.scan("ada")
	b.hasBody("ada", "Deploy", "one")
	b.rename("aside", "ada/memory/b.md")
	b.scan("ada")
	b.hasBody("ada", "Deploy", "two")
}

func TestScan_BranchSwitches(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	branches := []struct{ file, body string }{{"a.md", "main"}, {"b.md", "feature"}}
	for i := range 6 {
		on, off := branches[i%2], branches[1-i%2]
		b.write("ada/memory/"+on.file, note("Deploy", memories.Project, on.body))
		if i > 0 {
			b.remove("ada/memory/" + off.file)
		}
		b.scan("ada")
		if m := b.memory("ada", "Deploy"); m.Body != on.body || m.Path != "memory/"+on.file {
			t.Errorf("on branch %s it says %q at %s", on.body, m.Body, m.Path)
		}
	}
}

func TestScan_SessionContentStays(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.writeAged("ada/memory/a.md", note("Deploy", memories.Project, "primary"), time.Hour)
	b.writeAged("ada/memory/b.md", note("Deploy", memories.Project, "older"), 2*time.Hour)
	b.write(inSession(sessionA, "a.md"), note("Deploy", memories.Project, "session"))
	b.scan("ada")
	b.remove("ada/sessions/" + sessionA)
	b.scan("ada")
	b.hasBody("ada", "Deploy", "session")
	b.remove("ada/memory/a.md")
	b.scan("ada")
	b.hasBody("ada", "Deploy", "session")
}

func TestScan_DirectoryBackWithSeveralFiles(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.writeAged("ada/memory/a.md", note("Deploy", memories.Project, "older"), 2*time.Hour)
	b.writeAged("ada/memory/b.md", note("Deploy", memories.Project, "newer"), time.Hour)
	b.scan("ada")
	b.rename("ada/memory", "aside")
	b.scanAll()
	b.rename("aside", "ada/memory")
	b.scanAll()
	b.hasBody("ada", "Deploy", "newer")
}

func TestScan_Copies(t *testing.T) {
	t.Parallel()
	for _, file := range []string{
		"tabs.sync-conflict-20261103-101112-ABCDEFG.md", "tabs (conflicted copy 2026-11-03).md", "tabs 2.md", "tabs-LAPTOP-1.md",
		"tabs - Copy.md", "tabs (1).md", "tabs.orig.md", "tabs.bak.md", "tabs~.md", "backup/tabs.md", "archive/other.md",
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			b := withAda(t)
			b.writeAged("ada/memory/tabs.md", note("Tabs", memories.User, "real"), time.Hour)
			b.scan("ada")
			b.write("ada/memory/"+file, note("Tabs", memories.User, "copy"))
			b.scan("ada")
			b.hasBody("ada", "Tabs", "real")
			b.write("ada/memory/"+file, note("Tabs", memories.User, "changed copy"))
			b.scan("ada")
			b.hasBody("ada", "Tabs", "real")
			b.rename("ada/memory/tabs.md", "aside")
			b.scan("ada")
			b.hasBody("ada", "Tabs", "changed copy")
			b.rename("aside", "ada/memory/tabs.md")
			b.scan("ada")
			b.hasBody("ada", "Tabs", "real")
			b.restart()
			b.hasBody("ada", "Tabs", "real")
		})
	}
}

func TestScan_CopyInFirstScan(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.writeAged("ada/memory/tabs.md", note("Tabs", memories.User, "real"), 2*time.Hour)
	b.writeAged("ada/memory/tabs (conflicted copy 2026-11-03).md", note("Tabs", memories.User, "copy"), time.Hour)
	b.scan("ada")
	b.hasBody("ada", "Tabs", "real")
}

func TestScan_PossibleCopyOfNothing(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.writeAged("ada/memory/tabs.md", note("Indentation", memories.User, "another memory"), 2*time.Hour)
	b.writeAged("ada/memory/other.md", note("Tabs", memories.User, "older"), time.Hour)
	b.write("ada/memory/tabs 2.md", note("Tabs", memories.User, "newer"))
	b.scan("ada")
	b.hasBody("ada", "Tabs", "newer")
}

func TestSave_NotIntoACopy(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.writeAged("ada/memory/tabs.md", note("Tabs", memories.User, "real"), 3*time.Hour)
	b.writeAged("ada/memory/tabs - Copy.md", note("Tabs", memories.User, "copy"), 2*time.Hour)
	b.writeAged(inSession(sessionA, "tabs.md"), note("Tabs", memories.User, "session"), time.Hour)
	b.scan("ada")
	b.hasBody("ada", "Tabs", "session")
	if _, err := b.engine.Save(t.Context(), "ada", engine.Draft{Name: "Tabs", Type: memories.User, Body: "saved"}); err != nil {
		t.Fatal(err)
	}
	if m := b.memory("ada", "Tabs"); m.Body != "saved" || m.Path != "memory/tabs.md" {
		t.Errorf("it says %q at %s", m.Body, m.Path)
	}
}

func TestSave_NotIntoACopyOfAnUnreadableFile(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.write("ada/memory/tabs.md", note("Tabs", memories.User, "real"))
	b.writeAged("ada/memory/tabs 2.md", note("Tabs", memories.User, "copy"), time.Hour)
	b.scan("ada")
	b.write("ada/memory/tabs.md", strings.Repeat("x", memories.MaxFileSize+1))
	b.scan("ada")
	b.hasBody("ada", "Tabs", "real")
	result, err := b.engine.Save(t.Context(), "ada", engine.Draft{Name: "Tabs", Type: memories.User, Body: "saved"})
	if err != nil || result.Memory.Body != "saved" {
		t.Fatalf("saved %+v, %v", result.Memory, err)
	}
	b.write("ada/memory/tabs.md", note("Tabs", memories.User, "real"))
	b.scan("ada")
	if had := b.revisions("ada", b.memory("ada", "Tabs")); !slices.ContainsFunc(had, func(r memories.Revision) bool { return r.Body == "saved" }) {
		t.Errorf("its history has %+v", had)
	}
	if got := b.read("ada/memory/tabs 2.md"); !strings.Contains(got, "copy") {
		t.Errorf("the copy says %q", got)
	}
}

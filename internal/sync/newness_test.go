package sync_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"memoir/internal/memories"
	"memoir/internal/records"
	engine "memoir/internal/sync"
	"memoir/internal/waittest"
)

const (
	sessionA = "U1-C1-1712345678.000100"
	sessionB = "U2-C1-1712349999.000200"
)

func inSession(session, file string) string { return "ada/sessions/" + session + "/memory/" + file }

// writeAged writes a file that has its age from the moment it is there.
func (b *bench) writeAged(name, text string, age time.Duration) {
	b.Helper()
	b.write(".staging", text)
	b.age(".staging", age)
	b.rename(".staging", name)
}

func (b *bench) age(name string, age time.Duration) {
	b.Helper()
	at := time.Now().Add(-age)
	if err := os.Chtimes(b.path(name), at, at); err != nil {
		b.Fatal(err)
	}
}

func (b *bench) revisions(slug string, m memories.Memory) []memories.Revision {
	b.Helper()
	agent, err := b.store.Agent(b.Context(), slug)
	if err != nil {
		b.Fatal(err)
	}
	revisions, err := b.store.Revisions(b.Context(), agent, m.ID, records.RevisionList{Limit: records.MaxLimit})
	if err != nil {
		b.Fatal(err)
	}
	return revisions.Revisions
}

func (b *bench) hasBody(slug, name, body string) {
	b.Helper()
	if got := b.memory(slug, name).Body; got != body {
		b.Errorf("the body of %s is %q, want %q", name, got, body)
	}
}

func TestContent_NewestFile(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.writeAged("ada/memory/a.md", note("Deploy", memories.Project, "durable, old"), 3*time.Hour)
	b.writeAged(inSession(sessionA, "a.md"), note("Deploy", memories.Project, "session, newest"), time.Hour)
	b.writeAged(inSession(sessionB, "a.md"), note("Deploy", memories.Project, "session, older"), 2*time.Hour)
	waittest.For(b, "the memory", func() bool { return len(b.list("ada", "")) == 1 })
	b.scan("ada")

	m := b.memory("ada", "Deploy")
	if m.Body != "session, newest" || m.Session != sessionA || m.Path != "sessions/"+sessionA+"/memory/a.md" {
		t.Errorf("the memory is %q of session %q at %q", m.Body, m.Session, m.Path)
	}
	if len(m.Files) != 3 {
		t.Errorf("it is carried by %d files, want 3", len(m.Files))
	}
	var bodies []string
	for _, r := range b.revisions("ada", m) {
		bodies = append(bodies, r.Body)
	}
	if got := strings.Join(bodies, " | "); got != "session, newest | session, older | durable, old" {
		t.Errorf("revisions are %s", got)
	}
}

func TestContent_OldSessionAppears(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("ada/memory/a.md", note("Deploy", memories.Project, "new"))
	b.scanAll()
	b.writeAged(inSession(sessionA, "a.md"), note("Deploy", memories.Project, "old"), 48*time.Hour)
	b.scan("ada")
	b.hasBody("ada", "Deploy", "new")
	if revisions := b.revisions("ada", b.memory("ada", "Deploy")); len(revisions) != 2 || revisions[0].Body != "new" {
		t.Errorf("the old content is not kept as a past revision: %d revisions", len(revisions))
	}
}

func TestContent_ChangeWithOldTime(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("ada/memory/a.md", note("Deploy", memories.Project, "first"))
	b.write(inSession(sessionA, "a.md"), note("Deploy", memories.Project, "second"))
	b.scanAll()
	b.writeAged("ada/memory/a.md", note("Deploy", memories.Project, "third"), 400*24*time.Hour)
	b.scan("ada")
	b.hasBody("ada", "Deploy", "third")
}

func TestContent_FutureTime(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.writeAged("ada/memory/a.md", note("Deploy", memories.Project, "from the future"), -1000*time.Hour)
	b.scanAll()
	b.write(inSession(sessionA, "a.md"), note("Deploy", memories.Project, "written after"))
	b.scan("ada")
	b.write(inSession(sessionA, "a.md"), note("Deploy", memories.Project, "changed after"))
	b.scan("ada")
	b.hasBody("ada", "Deploy", "changed after")
}

func TestContent_NewestFileRemoved(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.writeAged("ada/memory/a.md", note("Deploy", memories.Project, "old"), time.Hour)
	b.write(inSession(sessionA, "a.md"), note("Deploy", memories.Project, "new"))
	b.scanAll()
	b.hasBody("ada", "Deploy", "new")
	b.remove("ada/sessions/" + sessionA)
	b.scan("ada")
	m := b.memory("ada", "Deploy")
	if m.Body != "new" || m.Session != sessionA {
		t.Errorf("the memory is %q of session %q, want the last known", m.Body, m.Session)
	}
	b.restart()
	b.hasBody("ada", "Deploy", "new")
}

func TestContent_ReturnedFile(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.writeAged("ada/memory/a.md", note("Deploy", memories.Project, "durable"), time.Hour)
	b.write(inSession(sessionA, "a.md"), note("Deploy", memories.Project, "session"))
	b.scanAll()
	b.rename("ada/sessions/"+sessionA, "aside")
	b.write("ada/memory/a.md", note("Deploy", memories.Project, "later"))
	b.scan("ada")
	b.age("aside/memory/a.md", -time.Hour)
	b.rename("aside", "ada/sessions/"+sessionA)
	b.scan("ada")
	b.hasBody("ada", "Deploy", "later")
}

func TestContent_PathHasSameContent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write(inSession(sessionA, "a.md"), note("Deploy", memories.Project, "same"))
	b.write(inSession(sessionB, "b.md"), note("Deploy", memories.Project, "same"))
	b.scanAll()
	first := b.memory("ada", "Deploy").Session
	rest := map[string]string{sessionA: inSession(sessionB, "b.md"), sessionB: inSession(sessionA, "a.md")}
	b.remove("ada/sessions/" + first)
	b.scan("ada")
	if m := b.memory("ada", "Deploy"); m.Session == first || "ada/"+m.Path != rest[first] {
		t.Errorf("the memory is of session %q at %q", m.Session, m.Path)
	}
}

func TestContent_HashOfPath(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("ada/memory/a.md", note("Deploy", memories.Project, "same"))
	b.scanAll()
	b.write("ada/memory/b.md", "---\nname: Deploy\ndescription: About Deploy\nother: key\ntype: project\n---\nsame\n")
	b.scan("ada")
	b.remove("ada/memory/a.md")
	b.scan("ada")
	m := b.memory("ada", "Deploy")
	if m.Path != "memory/b.md" || len(m.Files) != 1 || m.Hash != m.Files[0].Hash || m.Size != int64(len(b.read("ada/memory/b.md"))) {
		t.Errorf("the memory is %+v", m)
	}
}

func TestContent_SameBytes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	text := note("Deploy", memories.Project, "same")
	b.write("ada/memory/a.md", text)
	b.scanAll()
	before := b.memory("ada", "Deploy")
	b.write("ada/memory/a.md", text)
	scan := b.scan("ada")
	after := b.memory("ada", "Deploy")
	if scan.Added+scan.Updated+scan.Removed != 0 || !after.UpdatedAt.Equal(before.UpdatedAt) || len(b.revisions("ada", after)) != 1 {
		t.Errorf("the scan reports %+v, updated_at went from %v to %v", scan, before.UpdatedAt, after.UpdatedAt)
	}
}

func TestContent_ReturnsAsSameRevision(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, body := range []string{"one", "two", "one"} {
		b.write("ada/memory/a.md", note("Deploy", memories.Project, body))
		b.scanAll()
	}
	revisions := b.revisions("ada", b.memory("ada", "Deploy"))
	if len(revisions) != 2 || revisions[0].Body != "one" || revisions[1].Body != "two" {
		t.Errorf("revisions are %+v", revisions)
	}
}

func TestContent_TouchResetsAge(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.writeAged("ada/memory/a.md", note("Deploy", memories.Project, "same"), 100*24*time.Hour)
	b.scanAll()
	before := b.memory("ada", "Deploy")
	if days := memories.AgeOf(before.ModifiedAt, time.Now()).Days; days != 100 {
		t.Fatalf("the memory is %d days old", days)
	}
	b.age("ada/memory/a.md", 0)
	b.scan("ada")
	after := b.memory("ada", "Deploy")
	if days := memories.AgeOf(after.ModifiedAt, time.Now()).Days; days != 0 || len(b.revisions("ada", after)) != 1 {
		t.Errorf("the memory is %d days old and has %d revisions", days, len(b.revisions("ada", after)))
	}
}

func (b *bench) rename(from, to string) {
	b.Helper()
	if err := os.MkdirAll(filepath.Dir(b.path(to)), 0o755); err != nil {
		b.Fatal(err)
	}
	if err := os.Rename(b.path(from), b.path(to)); err != nil {
		b.Fatal(err)
	}
}

func (b *bench) scanAll() {
	b.Helper()
	if _, err := b.engine.ScanAll(b.Context()); err != nil {
		b.Fatal(err)
	}
}

func (b *bench) agent(slug string) records.Agent {
	b.Helper()
	agent, err := b.store.Agent(b.Context(), slug)
	if err != nil {
		b.Fatal(err)
	}
	return agent
}

func TestEmptyFile_FutureTime(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.writeAged("ada/memory/a.md", "", -1000*time.Hour)
	b.scanAll()
	b.isIn("ada", "a", memories.NeedsAttention)
}

func TestSave_PrimaryHasContent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("ada/memory/a.md", note("Deploy", memories.Project, "in the primary file"))
	b.scanAll()
	b.write(inSession(sessionA, "a.md"), note("Deploy", memories.Project, "newer, in a session"))
	b.scan("ada")
	b.hasBody("ada", "Deploy", "newer, in a session")
	draft := engine.Draft{Name: "Deploy", Type: memories.Project, Description: "About Deploy", Body: "in the primary file"}
	if _, err := b.engine.Save(t.Context(), "ada", draft); err != nil {
		t.Fatal(err)
	}
	b.scan("ada")
	b.hasBody("ada", "Deploy", "in the primary file")
}

func TestEmptyFile_WrittenInPlace(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.stopWatching()
	const written = 300
	write := func(i int, body string) {
		b.write(fmt.Sprintf("ada/memory/m%d.md", i), note(fmt.Sprintf("Memory %d", i), memories.Project, body))
	}
	for i := range written {
		write(i, "first")
	}
	b.scan("ada")
	done := make(chan struct{})
	var writing sync.WaitGroup
	writing.Go(func() {
		for n := 0; ; n++ {
			select {
			case <-done:
				return
			case <-time.After(4 * time.Millisecond): // each file rests for over a second
				write(n%written, fmt.Sprint(n))
			}
		}
	})
	for range 30 {
		b.scan("ada")
	}
	close(done)
	writing.Wait()
	for _, state := range []memories.State{memories.NeedsAttention, memories.Deleted} {
		for _, m := range b.list("ada", state) {
			t.Errorf("%s is %s", m.Name, state)
		}
	}
}

package sync_test

import (
	"encoding/hex"
	"errors"
	"os"
	"testing"
	"time"

	"memoir/internal/memories"
)

// keep keeps the version with that text.
func (b *bench) keep(name, body string) error {
	b.Helper()
	for _, v := range b.versions(name) {
		if v.Body == body {
			_, err := b.engine.Keep(b.Context(), "ada", b.memory("ada", name).ID, "", hex.EncodeToString(v.Fingerprint[:]))
			return err
		}
	}
	b.Fatalf("no file says %q", body)
	return nil
}

func TestConflict_TwoPrimaryFiles(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.writeAged("ada/memory/a.md", note("Tabs", memories.User, "four"), 2*time.Hour)
	b.writeAged("ada/memory/sub/b.md", note("Tabs", memories.User, "eight"), time.Hour)
	b.scan("ada")
	found := b.disagreements()
	if len(found) != 1 || found[0].Primary != 2 || found[0].Sessions != 0 {
		t.Fatalf("found %+v", found)
	}
	b.write("ada/memory/a.md", note("Tabs", memories.User, "eight"))
	b.scan("ada")
	if found := b.disagreements(); len(found) != 0 {
		t.Errorf("both say the same, and found %+v", found)
	}
	b.write("ada/memory/a.md", note("Tabs", memories.User, "two"))
	b.scan("ada")
	if found := b.disagreements(); len(found) != 1 {
		t.Errorf("one has changed, and found %+v", found)
	}
	b.remove("ada/memory/a.md")
	b.scan("ada")
	if found := b.disagreements(); len(found) != 0 {
		t.Errorf("one is removed, and found %+v", found)
	}
}

func TestKeep(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, kept     string
		stays, removed string
	}{
		{"the source", "eight", "ada/memory/b.md", "ada/memory/a.md"},
		{"another primary file", "four", "ada/memory/a.md", "ada/memory/b.md"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := withAda(t)
			b.write("ada/memory/MEMORY.md", "- [Four](a.md)\n- [Eight](b.md)\n")
			b.writeAged("ada/memory/a.md", note("Tabs", memories.User, "four"), 2*time.Hour)
			b.writeAged("ada/memory/b.md", note("Tabs", memories.User, "eight"), time.Hour)
			b.scan("ada")
			if err := b.keep("Tabs", c.kept); err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(b.path(c.removed)); !os.IsNotExist(err) {
				t.Errorf("%s is still there: %v", c.removed, err)
			}
			m := b.memory("ada", "Tabs")
			if m.Body != c.kept || "ada/"+m.Path != c.stays || len(m.Files) != 1 || len(b.revisions("ada", m)) != 2 {
				t.Errorf("the memory is %+v", m)
			}
			if found := b.disagreements(); len(found) != 0 {
				t.Errorf("found %+v", found)
			}
		})
	}
}

func TestKeep_SessionAmongPrimaryFiles(t *testing.T) {
	t.Parallel()
	for _, kept := range []string{"four", "sixteen"} {
		t.Run(kept, func(t *testing.T) {
			t.Parallel()
			b := withAda(t)
			b.writeAged("ada/memory/a.md", note("Tabs", memories.User, "four"), 3*time.Hour)
			b.writeAged("ada/memory/a - Copy.md", note("Tabs", memories.User, "eight"), 2*time.Hour)
			b.writeAged(inSession(sessionA, "a.md"), note("Tabs", memories.User, "sixteen"), time.Hour)
			b.scan("ada")
			if err := b.keep("Tabs", kept); err != nil {
				t.Fatal(err)
			}
			m := b.memory("ada", "Tabs")
			if m.Body != kept || len(m.Files) != 2 || m.Files[0].Path != "memory/a.md" {
				t.Errorf("the memory is %+v", m)
			}
			if found := b.disagreements(); len(found) != 0 {
				t.Errorf("found %+v", found)
			}
			if got := b.read(inSession(sessionA, "a.md")); got != note("Tabs", memories.User, "sixteen") {
				t.Errorf("the session's file is %q", got)
			}
		})
	}
}

func TestKeep_ChangedFile(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.stopWatching()
	b.writeAged("ada/memory/a.md", note("Tabs", memories.User, "four"), 2*time.Hour)
	b.writeAged("ada/memory/b.md", note("Tabs", memories.User, "eight"), time.Hour)
	b.scan("ada")
	b.write("ada/memory/a.md", note("Tabs", memories.User, "changed"))
	var conflict *memories.ConflictError
	if err := b.keep("Tabs", "eight"); !errors.As(err, &conflict) {
		t.Errorf("keep() = %v", err)
	}
	if got := b.read("ada/memory/a.md"); got != note("Tabs", memories.User, "changed") {
		t.Errorf("the file is %q", got)
	}
}

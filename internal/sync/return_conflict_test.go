package sync_test

import (
	"testing"
	"time"

	"memoir/internal/memories"
	"memoir/internal/postgres/pgtest"
)

// A directory can return without files that it had before. The conflicts of their memories then
// depend on the sessions' files only.
func TestReturn_Conflicts(t *testing.T) {
	t.Parallel()
	for what, leave := range map[string]func(*bench) (bring func()){
		"primary directory": func(b *bench) func() {
			b.rename("ada/memory", "aside")
			b.scanAll()
			return func() {}
		},
		"agent's directory": func(b *bench) func() {
			b.rename("ada", "aside/ada")
			b.scanAll()
			return func() {
				b.rename("aside/ada", "ada")
				b.remove("ada/memory")
			}
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.writeAged("ada/memory/a.md", note("Alone", memories.User, "primary"), 3*time.Hour)
			b.writeAged(inSession(sessionA, "a.md"), note("Alone", memories.User, "newer"), time.Hour)
			b.writeAged("ada/memory/b.md", note("Twice", memories.User, "one"), 3*time.Hour)
			b.writeAged("ada/memory/c.md", note("Twice", memories.User, "two"), 2*time.Hour)
			b.writeAged("ada/memory/d.md", note("Decided", memories.User, "primary"), time.Hour)
			b.writeAged(inSession(sessionA, "d.md"), note("Decided", memories.User, "first"), 2*time.Hour)
			b.writeAged(inSession(sessionB, "d.md"), note("Decided", memories.User, "second"), 3*time.Hour)
			b.scanAll()
			if found := b.disagreements(); len(found) != 2 || found[0].Name != "Alone" || found[1].Name != "Twice" {
				t.Fatalf("conflicts before = %+v, want Alone and Twice", found)
			}
			leave(b)()
			b.write("ada/memory/e.md", note("Fresh", memories.User, "new"))
			b.scanAll()
			for _, name := range []string{"Alone", "Twice", "Decided", "Fresh"} {
				b.isIn("ada", name, memories.Active)
			}
			if found := b.disagreements(); len(found) != 1 || found[0].Name != "Decided" || found[0].HasPrimary || found[0].Sessions != 2 {
				t.Errorf("conflicts after the return = %+v, want Decided between two sessions", found)
			}
			for _, gap := range pgtest.Tallies(t, b.url)() {
				t.Error(gap)
			}
		})
	}
}

package sync_test

import (
	"slices"
	"testing"
	"time"

	"memoir/internal/memories"
	"memoir/internal/postgres/pgtest"
)

// A directory can return without files that it had before. The conflicts and problems of their
// memories then depend on the sessions' files only.
func TestReturn_ConflictsAndProblems(t *testing.T) {
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
			b.writeAged("ada/memory/f.md", note("Pair", memories.User, "one"), time.Hour)
			b.writeAged(inSession(sessionA, "f.md"), note("Pair", memories.User, "one"), time.Hour)
			b.writeAged(inSession(sessionA, "g.md"), note("Pair", memories.User, "one"), time.Hour)
			b.write("ada/memory/h.md", note("Unfinished", memories.User, "good"))
			b.scanAll()
			b.write("ada/memory/h.md", "---\nname: Unfin")
			b.scanAll()
			b.hasProblem("Twice", memories.CodeDuplicateName, true)
			b.hasProblem("Pair", memories.CodeDuplicateName, true)
			b.hasProblem("Unfinished", memories.CodeLastGood, true)
			if found := b.disagreements(); len(found) != 2 || found[0].Name != "Alone" || found[1].Name != "Twice" {
				t.Fatalf("conflicts before = %+v, want Alone and Twice", found)
			}
			leave(b)()
			b.write("ada/memory/e.md", note("Fresh", memories.User, "new"))
			b.scanAll()
			for _, name := range []string{"Alone", "Twice", "Decided", "Fresh", "Pair", "Unfinished"} {
				b.isIn("ada", name, memories.Active)
			}
			b.hasProblem("Twice", memories.CodeDuplicateName, false)
			b.hasProblem("Pair", memories.CodeDuplicateName, true)
			b.hasProblem("Unfinished", memories.CodeLastGood, false)
			if found := b.disagreements(); len(found) != 1 || found[0].Name != "Decided" || found[0].HasPrimary || found[0].Sessions != 2 {
				t.Errorf("conflicts after the return = %+v, want Decided between two sessions", found)
			}
			for _, gap := range pgtest.Tallies(t, b.url)() {
				t.Error(gap)
			}
		})
	}
}

// hasProblem checks whether a memory of ada has the problem with the code.
func (b *bench) hasProblem(name, code string, want bool) {
	b.Helper()
	problems := b.memory("ada", name).Problems
	if got := slices.ContainsFunc(problems, func(p memories.Problem) bool { return p.Code == code }); got != want {
		b.Errorf("problems of %s = %+v, has %s: %t, want %t", name, problems, code, got, want)
	}
}

// An unfinished file can return with its directory, finished, under another name. The last good
// content then stays in use, and no file makes it a last good one.
func TestReturn_UnfinishedFileHasOtherName(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("ada/memory/a.md", note("Deploy", memories.Project, "good"))
	b.scanAll()
	b.write("ada/memory/a.md", "---\nname: Tabs\ndescrip")
	b.scanAll()
	b.hasProblem("Deploy", memories.CodeLastGood, true)
	b.rename("ada/memory", "aside")
	b.scanAll()
	b.hasProblem("Deploy", memories.CodeLastGood, true)
	b.write("aside/a.md", note("Tabs", memories.User, "four"))
	b.rename("aside", "ada/memory")
	b.scanAll()
	b.isIn("ada", "Tabs", memories.Active)
	b.isIn("ada", "Deploy", memories.Active)
	b.hasProblem("Deploy", memories.CodeLastGood, false)
}

package sync_test

import (
	"testing"
	"time"

	"memoir/internal/memories"
	"memoir/internal/records"
	engine "memoir/internal/sync"
)

func (b *bench) disagreements() []records.Disagreement {
	b.Helper()
	found, err := b.store.Disagreements(b.Context(), b.agent("ada"))
	if err != nil {
		b.Fatal(err)
	}
	if counted := b.agent("ada").Counts.Disagreements; counted != len(found) {
		b.Errorf("%d disagreements are counted and %d listed", counted, len(found))
	}
	return found
}

func (b *bench) versions(name string) []records.Version {
	b.Helper()
	versions, err := b.store.Versions(b.Context(), b.memory("ada", name))
	if err != nil {
		b.Fatal(err)
	}
	return versions
}

func TestConflict_TwoSessions(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.writeAged(inSession(sessionA, "x.md"), note("Tabs", memories.User, "four"), 2*time.Hour)
	b.writeAged(inSession(sessionB, "x.md"), note("Tabs", memories.User, "eight"), time.Hour)
	b.writeAged(inSession(sessionB, "y.md"), note("Same", memories.User, "one"), time.Hour)
	b.writeAged(inSession(sessionA, "y.md"), note("Same", memories.User, "one"), time.Hour)
	b.scan("ada")
	found := b.disagreements()
	if len(found) != 1 || found[0].Name != "Tabs" || found[0].Versions != 2 || found[0].Sessions != 2 || found[0].HasPrimary {
		t.Fatalf("found %+v", found)
	}
	versions := b.versions("Tabs")
	if len(versions) != 2 || versions[0].Body != "eight" || !versions[0].Current || versions[0].Files[0].Session != sessionB ||
		versions[1].Body != "four" || versions[1].Current || versions[1].Files[0].Session != sessionA {
		t.Errorf("the versions are %+v", versions)
	}
	one, err := b.store.Disagreement(t.Context(), b.memory("ada", "Tabs"))
	if err != nil || one == nil || *one != found[0] {
		t.Errorf("of the memory alone: %+v, %v", one, err)
	}
	if one, err := b.store.Disagreement(t.Context(), b.memory("ada", "Same")); err != nil || one != nil {
		t.Errorf("of one that all agree about: %+v, %v", one, err)
	}
}

func TestConflict_SessionNewerThanPrimary(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.writeAged("ada/memory/x.md", note("Tabs", memories.User, "four"), 2*time.Hour)
	b.writeAged(inSession(sessionA, "x.md"), note("Tabs", memories.User, "eight"), time.Hour)
	b.writeAged("ada/memory/y.md", note("Spaces", memories.User, "newer"), time.Hour)
	b.writeAged(inSession(sessionA, "y.md"), note("Spaces", memories.User, "older"), 2*time.Hour)
	b.scan("ada")
	if found := b.disagreements(); len(found) != 1 || found[0].Name != "Tabs" || !found[0].HasPrimary || found[0].Sessions != 1 {
		t.Errorf("found %+v", found)
	}
}

func TestKeep_UntilNewSessionContent(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.writeAged(inSession(sessionA, "x.md"), note("Tabs", memories.User, "four"), 2*time.Hour)
	b.writeAged(inSession(sessionB, "x.md"), note("Tabs", memories.User, "eight"), time.Hour)
	b.scan("ada")
	m := b.memory("ada", "Tabs")
	older := b.versions("Tabs")[1]
	if _, err := b.engine.Patch(t.Context(), "ada", m.ID, engine.ETag(m), engine.Patch{Description: &older.Description, Body: &older.Body}); err != nil {
		t.Fatal(err)
	}
	b.hasBody("ada", "Tabs", "four")
	if found := b.disagreements(); len(found) != 0 {
		t.Errorf("after the decision: %+v", found)
	}
	if b.read(inSession(sessionB, "x.md")) != note("Tabs", memories.User, "eight") {
		t.Error("the session's file was touched")
	}
	b.restart()
	if found := b.disagreements(); len(found) != 0 {
		t.Errorf("after a restart: %+v", found)
	}
	b.write(inSession(sessionB, "x.md"), note("Tabs", memories.User, "sixteen"))
	b.scan("ada")
	b.hasBody("ada", "Tabs", "sixteen")
	if found := b.disagreements(); len(found) != 1 || found[0].Versions != 2 {
		t.Errorf("after the session said something new: %+v", found)
	}
}

func TestKeep_PrimaryContent(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.writeAged("ada/memory/x.md", note("Tabs", memories.User, "four"), 2*time.Hour)
	b.writeAged(inSession(sessionA, "x.md"), note("Tabs", memories.User, "eight"), time.Hour)
	b.scan("ada")
	m := b.memory("ada", "Tabs")
	own := "four"
	if _, err := b.engine.Patch(t.Context(), "ada", m.ID, engine.ETag(m), engine.Patch{Body: &own}); err != nil {
		t.Fatal(err)
	}
	b.hasBody("ada", "Tabs", "four")
	if found := b.disagreements(); len(found) != 0 {
		t.Errorf("after the decision: %+v", found)
	}
}

func TestConflict_FixedOlderVersion(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.writeAged(inSession(sessionA, "x.md"), "---\nname: Tabs\n---\n\nfour\n", 2*time.Hour)
	b.writeAged(inSession(sessionB, "x.md"), note("Tabs", memories.User, "eight"), time.Hour)
	b.scan("ada")
	b.fix("Tabs", "sessions/"+sessionA+"/memory/x.md", "type:user")
	versions := b.versions("Tabs")
	if len(versions) != 2 || versions[0].Body != "eight" || versions[1].Body != "four" || versions[1].Type != memories.User {
		t.Errorf("the versions are %+v", versions)
	}
}

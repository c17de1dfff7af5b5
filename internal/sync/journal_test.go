package sync_test

import (
	"os"
	"slices"
	"testing"
	"time"

	"memoir/internal/memories"
	"memoir/internal/postgres"
	"memoir/internal/postgres/pgtest"
	"memoir/internal/records"
	engine "memoir/internal/sync"
)

// story returns the journal of an agent's memories, oldest entry first: each as its kind, name and
// actor.
func (b *bench) story(slug string) []string {
	b.Helper()
	agent, err := b.store.Agent(b.Context(), slug)
	if err != nil {
		b.Fatal(err)
	}
	page, err := b.store.Activity(b.Context(), records.ActivityList{AgentID: agent.ID, Limit: records.MaxLimit})
	if err != nil {
		b.Fatal(err)
	}
	var told []string
	for _, h := range slices.Backward(page.Activity) {
		told = append(told, string(h.Kind)+" "+h.Name+" "+string(h.Actor))
	}
	return told
}

func (b *bench) tells(slug string, want ...string) {
	b.Helper()
	if got := b.story(slug); !slices.Equal(got, want) {
		b.Errorf("what happened: %q, want %q", got, want)
	}
	if gaps := pgtest.Journal(b, b.url)(); len(gaps) > 0 {
		b.Errorf("the journal has gaps: %q", gaps)
	}
}

func TestJournal_UnchangedScan(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.stopWatching()
	b.write("ada/memory/tabs.md", note("Tabs", memories.User, "A"))
	b.write("ada/memory/odd.md", "Without a type.")
	b.scanAll()
	told := b.story("ada")
	b.write("ada/memory/tabs.md", note("Tabs", memories.User, "A")) // the same again
	if err := os.Chtimes(b.path("ada/memory/odd.md"), time.Now(), time.Now()); err != nil {
		t.Fatal(err)
	}
	b.scan("ada")
	b.restart()
	b.scan("ada")
	b.tells("ada", told...)
}

func TestJournal_InterruptedRestore(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.stopWatching()
	b.write("ada/memory/tabs.md", note("Tabs", memories.User, "A"))
	b.scanAll()
	browser := engine.As(t.Context(), memories.ByBrowser)
	deleted, err := b.engine.Delete(browser, "ada", b.memory("ada", "Tabs").ID, "")
	if err != nil {
		t.Fatal(err)
	}
	agent, err := b.store.Agent(t.Context(), "ada")
	if err != nil {
		t.Fatal(err)
	}
	err = b.store.WithAgent(t.Context(), agent.ID, func(w *postgres.Writer) error {
		row, err := w.Rows.Row(t.Context(), deleted.Memory.ID)
		if err != nil {
			return err
		}
		return w.BeginRestore(t.Context(), row)
	})
	if err != nil {
		t.Fatal(err)
	}
	b.scan("ada")
	b.scan("ada")
	b.tells("ada", "learned Tabs disk", "deleted Tabs browser", "restored Tabs memoir")
}

func TestJournal_ActorOfScan(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.stopWatching()
	b.write("ada/memory/tabs.md", note("Tabs", memories.User, "A"))
	if _, err := b.engine.ScanAll(engine.As(t.Context(), memories.ByScript)); err != nil {
		t.Fatal(err)
	}
	b.remove("ada/memory/tabs.md")
	if _, err := b.engine.Scan(engine.As(t.Context(), memories.ByBrowser), "ada"); err != nil {
		t.Fatal(err)
	}
	b.tells("ada", "learned Tabs disk", "deleted Tabs disk")
}

func TestJournal_RemovedBlockedFile(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.stopWatching()
	b.write("ada/memory/tabs.md", note("Tabs", memories.User, "A"))
	b.scanAll()
	b.delete("ada", "Tabs")
	b.write(inSession(sessionA, "tabs.md"), note("Tabs", memories.User, "A"))
	b.scan("ada")
	if _, err := b.engine.RemoveBlocked(engine.As(t.Context(), memories.ByBrowser), "ada", b.blocked("ada")[0].ID); err != nil {
		t.Fatal(err)
	}
	b.scan("ada")
	b.tells("ada", "learned Tabs disk", "deleted Tabs memoir", "blocked Tabs session", "discarded Tabs browser")
}

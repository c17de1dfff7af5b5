package sync_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"memoir/internal/agents"
	"memoir/internal/memories"
	"memoir/internal/postgres/pgtest"
	"memoir/internal/records"
	engine "memoir/internal/sync"
	"memoir/internal/sync/events"
	"memoir/internal/waittest"
)

// another returns one more server over the same database, with an agents directory of its own or
// the same one.
func (b *bench) another(dir string) *bench {
	b.Helper()
	other := &bench{T: b.T, dir: dir, url: b.url, options: b.options}
	other.options.Places = agents.Settings{AgentsDir: dir}
	other.start()
	return other
}

// statusOf returns what a server says of one agent.
func (b *bench) statusOf(slug string) engine.AgentStatus {
	b.Helper()
	all, err := b.engine.AgentStatuses(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	for _, s := range all {
		if s.Slug == slug {
			return s
		}
	}
	return engine.AgentStatus{}
}

func TestServers_DeletionRunsOnHolder(t *testing.T) {
	t.Parallel()
	a := setup(t)
	a.write("ada/memory/tabs.md", note("Tabs", memories.Feedback, "Use tabs."))
	a.write("ada/memory/MEMORY.md", "- [Tabs](tabs.md)\n")
	waittest.For(a, "the memory", func() bool { _, ok := a.list("ada", "")["Tabs"]; return ok })
	m := a.memory("ada", "Tabs")
	for name, dir := range map[string]string{"that sees the directory": a.dir, "that does not": t.TempDir()} {
		other := a.another(dir)
		if s := other.statusOf("ada"); !s.Elsewhere || !s.Present {
			t.Fatalf("a server %s says %+v", name, s)
		}
		subscription := a.engine.Hub().Subscribe()
		action := records.Action{ID: "deletion asked of a server " + name, Browser: "firefox"}
		ctx := records.InAction(engine.As(t.Context(), memories.ByBrowser), action)
		result, err := other.engine.Delete(ctx, "ada", m.ID, engine.ETag(m))
		if err != nil || result.Memory.State != memories.Deleted {
			t.Fatalf("asked of a server %s: %+v, %v", name, result, err)
		}
		if a.read("ada/memory/tabs.md") != "" || a.read("ada/memory/MEMORY.md") != "" || strings.Contains(a.read("ada/CLAUDE.md"), "Use tabs.") {
			t.Errorf("asked of a server %s: not all of the memory is gone when the deletion is answered", name)
		}
		for event := range subscription.Events {
			if event == (events.Event{Agent: "ada", Kind: events.Deleted, Name: "Tabs"}) {
				break
			}
		}
		subscription.Close()
		page, err := a.store.Activity(t.Context(), records.ActivityList{MemoryID: m.ID, Limit: 1})
		if err != nil || page.Activity[0].Action != action.ID || page.Activity[0].Browser != action.Browser {
			t.Errorf("the journal says %+v, %v", page.Activity, err)
		}
		if _, err := other.engine.Delete(ctx, "ada", m.ID, `"of something else"`); !errors.Is(err, memories.ErrChanged) {
			t.Errorf("asked of a server %s with another tag: %v", name, err)
		}
		if _, err := other.engine.Restore(ctx, "ada", m.ID, ""); err != nil {
			t.Fatalf("a restore asked of a server %s: %v", name, err)
		}
		if m = a.memory("ada", "Tabs"); a.read("ada/memory/tabs.md") == "" || !strings.Contains(a.read("ada/CLAUDE.md"), "Use tabs.") {
			t.Errorf("a restore asked of a server %s: not all of the memory is back", name)
		}
		_, err = other.engine.Create(ctx, "ada", engine.Draft{Name: "Tabs", Type: memories.User})
		if taken := (*memories.NameTakenError)(nil); !errors.As(err, &taken) || taken.ID != m.ID {
			t.Errorf("a name that is taken, of a server %s: %v", name, err)
		}
		other.stop()
	}
}

func TestServers_EventsAreForwarded(t *testing.T) {
	t.Parallel()
	a := setup(t)
	other := a.another(a.dir)
	subscription := other.engine.Hub().Subscribe()
	defer subscription.Close()
	a.write("ada/memory/tabs.md", note("Tabs", memories.Feedback, "Use tabs."))
	for event := range subscription.Events {
		if event == (events.Event{Agent: "ada", Kind: events.Saved, Name: "Tabs"}) {
			break
		}
	}
	waittest.For(other, "the figures", func() bool {
		s := other.statusOf("ada")
		return s.FilesOnDisk == 1 && s.Mirrored == 1 && s.Pending == 0
	})
}

func TestServers_ManyEvents(t *testing.T) {
	t.Parallel()
	const many = 60
	a := setup(t)
	other := a.another(t.TempDir())
	subscription := other.engine.Hub().Subscribe()
	defer subscription.Close()
	missing := map[string]bool{}
	for n := range many {
		name := fmt.Sprintf("%d %s", n, strings.Repeat("<", 200)) // six bytes each on their way
		missing[name] = true
		a.write(fmt.Sprintf("ada/memory/%d.md", n), note("'"+name+"'", memories.User, "Body."))
	}
	for event := range subscription.Events {
		if event.Kind == events.Saved {
			delete(missing, event.Name)
		}
		if len(missing) == 0 {
			break
		}
	}
}

func TestServers_Takeover(t *testing.T) {
	t.Parallel()
	a := setup(t, func(string) {})
	a.write("ada/memory/tabs.md", note("Tabs", memories.Feedback, "Use tabs."))
	waittest.For(a, "the memory", func() bool { _, ok := a.list("ada", "")["Tabs"]; return ok })
	other := a.another(a.dir)
	a.stop()
	other.write("ada/memory/spaces.md", note("Spaces", memories.Feedback, "Use spaces."))
	waittest.For(other, "what was written since", func() bool {
		_, ok := other.list("ada", "")["Spaces"]
		return ok && strings.Contains(other.read("ada/CLAUDE.md"), "Use spaces.")
	})
	if s := other.statusOf("ada"); s.Elsewhere {
		t.Errorf("after the take-over: %+v", s)
	}
}

func TestServers_DirectoryOnOtherServer(t *testing.T) {
	t.Parallel()
	a := setup(t)
	a.write("ada/memory/tabs.md", note("Tabs", memories.Feedback, "Use tabs."))
	waittest.For(a, "the memory", func() bool { _, ok := a.list("ada", "")["Tabs"]; return ok })
	other := a.another(t.TempDir())
	other.write("ada/memory/mine.md", note("Mine", memories.User, "Of another disk."))
	if _, err := other.engine.ScanAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	if other.list("ada-2", "")["Mine"].Body != "Of another disk." {
		t.Error("a directory of the same name on another disk is not an agent of its own")
	}
	if s := a.statusOf("ada"); !s.Present || s.FilesOnDisk != 1 {
		t.Errorf("after a scan of a server that does not see it: %+v", s)
	}
	if conflict := (*memories.ConflictError)(nil); !errors.As(forget(other, "ada"), &conflict) {
		t.Errorf("forgotten although another server sees it: %v", forget(other, "ada"))
	}
	preview, err := other.engine.Preview(t.Context(), "ada", "")
	if err != nil || string(preview.Text) != a.read("ada/CLAUDE.md") {
		t.Errorf("the CLAUDE.md of another server: %q, %v", preview.Text, err)
	}
	index, err := other.engine.Index(t.Context(), "ada")
	if own, _ := a.engine.Index(t.Context(), "ada"); err != nil || !reflect.DeepEqual(index, own) {
		t.Errorf("the index of another server: %+v, %v", index, err)
	}

	// If no server holds the lease for a moment, its server may only be restarting.
	a.stop()
	if _, err := other.engine.ScanAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s := other.statusOf("ada"); !s.Present || s.Elsewhere {
		t.Errorf("right after its server has ended: %+v", s)
	}
	if conflict := (*memories.ConflictError)(nil); !errors.As(forget(other, "ada"), &conflict) {
		t.Errorf("forgotten although its server may only be starting again: %v", forget(other, "ada"))
	}
	a.write("ada/memory/spaces.md", note("Spaces", memories.Feedback, "Use spaces."))
	a.remove("ada/memory/tabs.md")
	a.start()
	if _, there := a.list("ada", "")["Tabs"]; there || a.list("ada", "")["Spaces"].Body != "Use spaces." {
		t.Errorf("after its server is back: %+v", a.list("ada", ""))
	}
}

func forget(b *bench, slug string) error {
	_, err := b.engine.Forget(b.Context(), slug)
	return err
}

// cutLinks ends the connections that servers keep for themselves, as an administrator or a failing
// network would.
func (b *bench) cutLinks() {
	b.Helper()
	conn, err := pgx.Connect(b.Context(), b.url)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close(context.Background()) //nolint:errcheck // the database goes with the test
	var cut int
	if err := conn.QueryRow(b.Context(), `SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity
		WHERE application_name = 'memoir link' AND datname = current_database()`).Scan(&cut); err != nil || cut == 0 {
		b.Fatalf("cut %d links: %v", cut, err)
	}
}

func TestServers_ConnectionLost(t *testing.T) {
	t.Parallel()
	a := setup(t)
	a.write("ada/memory/tabs.md", note("Tabs", memories.Feedback, "Use tabs."))
	waittest.For(a, "the memory", func() bool { _, ok := a.list("ada", "")["Tabs"]; return ok })
	other := a.another(t.TempDir())
	subscription := other.engine.Hub().Subscribe()
	defer subscription.Close()
	a.cutLinks()
	a.write("ada/memory/spaces.md", note("Spaces", memories.Feedback, "Use spaces."))
	for event := range subscription.Events {
		if event == (events.Event{Kind: events.Scanned}) {
			break // look at everything anew
		}
	}
	waittest.For(a, "what was written meanwhile", func() bool {
		_, ok := a.list("ada", "")["Spaces"]
		return ok && strings.Contains(a.read("ada/CLAUDE.md"), "Use spaces.")
	})
	if _, err := other.engine.Delete(t.Context(), "ada", a.memory("ada", "Tabs").ID, ""); err != nil {
		t.Fatal(err)
	}
	if a.read("ada/memory/tabs.md") != "" {
		t.Error("a deletion that was asked of another server after the links were cut did not reach the disk")
	}
	for event := range subscription.Events {
		if event == (events.Event{Agent: "ada", Kind: events.Deleted, Name: "Tabs"}) {
			break
		}
	}
}

// untilAnswered repeats a call that can be repeated while its outcome is unknown.
func untilAnswered(call func() error) error {
	for {
		if err := call(); !errors.Is(err, memories.ErrInterrupted) {
			return err
		}
	}
}

func TestServers_LeasesLostUnderLoad(t *testing.T) {
	t.Parallel()
	a := setup(t)
	a.write("ada/memory/kept.md", note("Kept", memories.Feedback, "Nobody touches this."))
	waittest.For(a, "the memory", func() bool { _, ok := a.list("ada", "")["Kept"]; return ok })
	other := a.another(a.dir)
	const savers, saves = 3, 12
	var working sync.WaitGroup
	for n := range savers {
		servers := []*bench{a, other}
		working.Go(func() {
			for i := range saves {
				name := fmt.Sprintf("Note %d", n)
				server := servers[(n+i)%2].engine
				var saved engine.Result
				err := untilAnswered(func() (err error) {
					saved, err = server.Save(t.Context(), "ada", engine.Draft{Name: name, Type: memories.User, Body: fmt.Sprintf("Version %d.", i)})
					return err
				})
				if err != nil {
					t.Errorf("save %d of %s: %v", i, name, err)
					return
				}
				if i%4 != 3 {
					continue
				}
				err = untilAnswered(func() error {
					_, err := servers[i%2].engine.Delete(t.Context(), "ada", saved.Memory.ID, "")
					return err
				})
				if err != nil {
					t.Errorf("deletion %d of %s: %v", i, name, err)
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { working.Wait(); close(done) }()
	for cuts := 0; ; cuts++ {
		select {
		case <-done:
		case <-time.After(150 * time.Millisecond): // the moment of a cut: any will do
			a.cutLinks()
			continue
		}
		t.Logf("%d cuts", cuts)
		break
	}
	waittest.For(a, "the leases to be taken again", func() bool { return a.statusOf("ada").Elsewhere != other.statusOf("ada").Elsewhere })
	for _, server := range []*bench{a, other} {
		// A server learns late of the last cut, and until then can send the scan to one that has lost
		// the lease.
		err := untilAnswered(func() error { _, err := server.engine.Scan(t.Context(), "ada"); return err })
		if err != nil {
			t.Fatal(err)
		}
		if got := server.list("ada", ""); len(got) != 1 || got["Kept"].Body != "Nobody touches this." {
			t.Errorf("what is left: %+v", got)
		}
	}
	if got := a.list("ada", memories.Deleted); len(got) != savers {
		t.Errorf("in the trash: %+v", got)
	}
	if text := a.read("ada/CLAUDE.md"); strings.Count(text, "\n### ") != 1 {
		t.Errorf("CLAUDE.md: %s", text)
	}
	for _, gap := range pgtest.JournalGaps(t.Context(), a.url) {
		t.Error(gap)
	}
}

func TestServers_NoPendingWithoutHolder(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("ada/memory/tabs.md", note("Tabs", memories.Feedback, "Use tabs."))
	b.arrives("ada", "Tabs", "Use tabs.")
	b.removeBusy("ada")
	waittest.For(b, "ada to be gone", func() bool { return !b.statusOf("ada").Present })
	// The last stats may be from the middle of its removal, and no server is left to correct them.
	b.execute("INSERT INTO agent_stats SELECT id, 1, 5 FROM agents ON CONFLICT (agent_id) DO UPDATE SET pending = 5")
	if s := b.statusOf("ada"); s.Pending != 0 || b.status().Pending != 0 {
		t.Errorf("%d changes wait of an agent that is gone, %d in all", s.Pending, b.status().Pending)
	}
}

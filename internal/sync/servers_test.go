package sync_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"memoir/internal/agents"
	"memoir/internal/memories"
	"memoir/internal/sync"
)

// another returns one more server over the same database, with an agents directory of its own or the same one.
func (b *bench) another(dir string) *bench {
	b.Helper()
	other := &bench{T: b.T, dir: dir, url: b.url, options: b.options}
	other.options.Places = agents.Settings{AgentsDir: dir}
	other.start()
	return other
}

// statusOf returns what a server says of one agent.
func (b *bench) statusOf(slug string) sync.AgentStatus {
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
	return sync.AgentStatus{}
}

func TestADeletionAskedOfOneServerIsCarriedOutByTheOneThatLooksAfterTheAgent(t *testing.T) {
	t.Parallel()
	a := setup(t)
	a.write("ada/memory/tabs.md", note("Tabs", memories.Feedback, "Use tabs."))
	a.write("ada/memory/MEMORY.md", "- [Tabs](tabs.md)\n")
	a.until("the memory", func() bool { _, ok := a.list("ada", "")["Tabs"]; return ok })
	m := a.memory("ada", "Tabs")
	for name, dir := range map[string]string{"that sees the directory": a.dir, "that does not": t.TempDir()} {
		other := a.another(dir)
		if s := other.statusOf("ada"); !s.Elsewhere || !s.Present {
			t.Fatalf("a server %s says %+v", name, s)
		}
		events := a.engine.Hub().Subscribe()
		ctx := sync.As(t.Context(), memories.ByScript)
		result, err := other.engine.Delete(ctx, "ada", m.ID, sync.ETag(m))
		if err != nil || result.Memory.State != memories.Deleted {
			t.Fatalf("asked of a server %s: %+v, %v", name, result, err)
		}
		if a.read("ada/memory/tabs.md") != "" || a.read("ada/memory/MEMORY.md") != "" || strings.Contains(a.read("ada/CLAUDE.md"), "Use tabs.") {
			t.Errorf("asked of a server %s: not all of the memory is gone when the deletion is answered", name)
		}
		for event := range events.Events {
			if event == (sync.Event{Agent: "ada", Kind: sync.KindDeleted, Name: "Tabs"}) {
				break
			}
		}
		events.Close()
		if _, err := other.engine.Delete(ctx, "ada", m.ID, `"of something else"`); !errors.Is(err, memories.ErrChanged) {
			t.Errorf("asked of a server %s with another tag: %v", name, err)
		}
		if _, err := other.engine.Restore(ctx, "ada", m.ID, ""); err != nil {
			t.Fatalf("a restore asked of a server %s: %v", name, err)
		}
		if m = a.memory("ada", "Tabs"); a.read("ada/memory/tabs.md") == "" || !strings.Contains(a.read("ada/CLAUDE.md"), "Use tabs.") {
			t.Errorf("a restore asked of a server %s: not all of the memory is back", name)
		}
		_, err = other.engine.Create(ctx, "ada", sync.Draft{Name: "Tabs", Type: memories.User})
		if taken := (*memories.NameTakenError)(nil); !errors.As(err, &taken) || taken.ID != m.ID {
			t.Errorf("a name that is taken, of a server %s: %v", name, err)
		}
		other.stop()
	}
}

func TestWhatHappensOnOneServerIsToldByTheOther(t *testing.T) {
	t.Parallel()
	a := setup(t)
	other := a.another(a.dir)
	events := other.engine.Hub().Subscribe()
	defer events.Close()
	a.write("ada/memory/tabs.md", note("Tabs", memories.Feedback, "Use tabs."))
	for event := range events.Events {
		if event == (sync.Event{Agent: "ada", Kind: sync.KindSaved, Name: "Tabs"}) {
			break
		}
	}
	other.until("the figures", func() bool {
		s := other.statusOf("ada")
		return s.FilesOnDisk == 1 && s.Mirrored == 1 && s.Pending == 0
	})
}

func TestAnAgentIsTakenOverFromAServerThatEnds(t *testing.T) {
	t.Parallel()
	a := setup(t, func(string) {})
	a.write("ada/memory/tabs.md", note("Tabs", memories.Feedback, "Use tabs."))
	a.until("the memory", func() bool { _, ok := a.list("ada", "")["Tabs"]; return ok })
	other := a.another(a.dir)
	a.stop()
	other.write("ada/memory/spaces.md", note("Spaces", memories.Feedback, "Use spaces."))
	other.until("what was written since", func() bool {
		_, ok := other.list("ada", "")["Spaces"]
		return ok && strings.Contains(other.read("ada/CLAUDE.md"), "Use spaces.")
	})
	if s := other.statusOf("ada"); s.Elsewhere {
		t.Errorf("after the take-over: %+v", s)
	}
}

package agenttx

import (
	"context"
	"errors"
	"testing"

	"memoir/internal/agents"
	"memoir/internal/memories"
)

func TestUnder(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		path, dir string
		want      bool
	}{
		{"memory", "memory", true},
		{"memory/a.md", "memory", true},
		{"memory/sub/a.md", "memory", true},
		{"memory2/a.md", "memory", false},
		{"memory", "memory/a.md", false},
		{"memory/a.md", ".", true},
		{".", ".", true},
		{".", "memory", false},
	} {
		if got := Under(tt.path, tt.dir); got != tt.want {
			t.Errorf("Under(%q, %q) = %t, want %t", tt.path, tt.dir, got, tt.want)
		}
	}
}

func TestIsIn(t *testing.T) {
	t.Parallel()
	paths := []string{"memory/sub", "sessions/s"}
	for path, want := range map[string]bool{
		"memory/sub": true, "memory/sub/a.md": true, "sessions/s/memory/a.md": true,
		"memory": false, "memory/a.md": false, "sessions/s2": false, ".": false,
	} {
		if got := IsIn(paths, path); got != want {
			t.Errorf("IsIn(%q, %q) = %t, want %t", paths, path, got, want)
		}
	}
	if IsIn(nil, ".") {
		t.Error("IsIn(nil, .) = true, want false")
	}
}

func TestIsFullScan(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		paths []string
		want  bool
	}{
		{[]string{"."}, true},
		{[]string{"memory"}, false},
		{[]string{".", "memory"}, false},
		{nil, false},
	} {
		if got := IsFullScan(tt.paths); got != tt.want {
			t.Errorf("IsFullScan(%q) = %t, want %t", tt.paths, got, tt.want)
		}
	}
}

func TestStem(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"memory/tabs.md": "tabs", "tabs": "tabs", "memory/a.b.MD": "a.b", "memory.d/tabs": "tabs",
	} {
		if got := Stem(file); got != want {
			t.Errorf("Stem(%q) = %q, want %q", file, got, want)
		}
	}
}

func TestActorOf(t *testing.T) {
	t.Parallel()
	if got := ActorOf(context.Background()); got != memories.ByMemoir {
		t.Errorf("ActorOf() without an actor = %q, want %q", got, memories.ByMemoir)
	}
	if got := ActorOf(As(context.Background(), memories.ByScript)); got != memories.ByScript {
		t.Errorf("ActorOf() = %q, want %q", got, memories.ByScript)
	}
}

func TestManager_KnownAgents(t *testing.T) {
	t.Parallel()
	m := NewManager(Options{})
	ada, bob := m.Ensure("ada", 1), m.Ensure("bob", 2)
	if m.Ensure("ada", 1) != ada || m.Known("ada") != ada || m.Known("eve") != nil {
		t.Error("Ensure() and Known() do not return the same State for an agent")
	}
	if m.SlugOf(2) != "bob" || m.SlugOf(3) != "" {
		t.Errorf("SlugOf(2), SlugOf(3) = %q, %q, want bob and nothing", m.SlugOf(2), m.SlugOf(3))
	}
	if m.Ensure("ada", 3) == ada {
		t.Error("Ensure() returns the State of another agent that had the slug")
	}
	m.Keep(map[string]int64{"ada": 1, "bob": 2})
	if m.Known("ada") != nil || m.Known("bob") != bob {
		t.Error("Keep() does not forget exactly the agents with another id")
	}
	bob.FileCounter.Update([]string{"."}, 7, 0, nil)
	if all := m.List(); len(all) != 1 || all[0] != (KnownAgent{"bob", 2, 7}) {
		t.Errorf("List() = %v, want bob with 7 files", all)
	}
	m.Drop("bob")
	if slugs := m.Slugs(); len(slugs) != 0 {
		t.Errorf("Slugs() after Drop = %q, want none", slugs)
	}
}

func TestCanWrite_WithoutRows(t *testing.T) {
	t.Parallel()
	tx := newTx(t)
	if err := tx.Root.Mkdir("memory", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := tx.CanWrite(t.Context()); err != nil {
		t.Errorf("CanWrite() error = %v, want nil", err)
	}
	var conflict *memories.ConflictError
	missing := &Tx{Agent: agents.Agent{Dir: "/agents/ada"}}
	if err := missing.CanWrite(t.Context()); !errors.As(err, &conflict) {
		t.Errorf("CanWrite() error without a directory = %v, want a ConflictError", err)
	}
}

package mcp_test

import (
	"strings"
	"testing"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

// movedMemory is the part of a result of move_memory that the tests check.
type movedMemory struct {
	memory
	Scope, From, Undo string
	Index             struct{ Listed, Loaded bool }
}

func TestMoveMemory_Team(t *testing.T) {
	t.Parallel()
	d := setup(t, oneAgent())
	c := d.connect(t, writer, "?agent=ada")
	id := d.Memory("ada", "green tea").ID
	var out movedMemory
	text := c.call("move_memory", arguments{"name": "green tea", "to": "Team"}, &out)
	if out.ID != id || out.Agent != "ada" || out.Scope != "team" || out.From != "private" || !strings.HasPrefix(out.File, d.Path("ada/memory/team/")) || !out.Index.Listed {
		t.Errorf("moved: %+v", out)
	}
	if !strings.Contains(text, "Moved the memory “green tea” to the team memory of ada") || !strings.Contains(text, "to private.") {
		t.Errorf("it says %q", text)
	}
	if m := d.Memory("ada", "green tea"); !m.Team {
		t.Errorf("it is no team memory: %+v", m)
	}
	c.fails("move_memory", arguments{"id": id, "to": "team"}, "in team memory already")
	c.call("move_memory", arguments{"id": id, "to": "private"}, &out)
	if m := d.Memory("ada", "green tea"); m.Team || m.ID != id {
		t.Errorf("it is not back: %+v", m)
	}
	c.fails("move_memory", arguments{"name": "green tea", "to": "everybody"}, "Invalid arguments for move_memory")
	c.fails("move_memory", arguments{"name": "green tea"}, "Invalid arguments for move_memory")
	c.fails("move_memory", arguments{"name": "coffee", "to": "team"}, "no memory named")
}

func TestMoveMemory_AllAgents(t *testing.T) {
	t.Parallel()
	m, dir := memoirtest.StartSharing(t, twoAgents(), memoirtest.Files{"coffee.md": memoirtest.Note("the coffee machine", memories.Reference, "The coffee machine is on the third floor.")})
	c := serve(t, m).connect(t, writer, "")
	var out movedMemory
	c.call("move_memory", arguments{"agent": "ada", "name": "green tea", "to": "shared"}, &out)
	if out.Agent != "team" || !strings.HasPrefix(out.File, dir+"/") || out.From != "private" || !strings.Contains(out.Undo, "for the agent team, with to_agent ada") {
		t.Errorf("moved: %+v", out)
	}
	var recalled page
	c.call("recall", arguments{"agent": "bob", "query": "what tea does Ada drink?"}, &recalled)
	if len(recalled.Memories) != 1 || recalled.Memories[0].Name != "green tea" {
		t.Errorf("bob recalls %+v", recalled)
	}
	c.fails("move_memory", arguments{"agent": "team", "name": "green tea", "to": "private"}, "to_agent", "name the target agent")
	c.call("move_memory", arguments{"agent": "team", "name": "green tea", "to": "private", "to_agent": "ada"}, &out)
	if got := m.Memory("ada", "green tea"); got.State != memories.Active || got.Team || out.From != "shared" {
		t.Errorf("it is not back: %+v, %+v", got, out)
	}
	c.fails("move_memory", arguments{"agent": "ada", "name": "green tea", "to": "private", "to_agent": "bob"}, "to_agent")
}

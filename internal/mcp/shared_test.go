package mcp_test

import (
	"context"
	"strings"
	"testing"

	"memoir/internal/mcp"
	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	"memoir/internal/records"
)

func TestShared_ListReadRecall(t *testing.T) {
	t.Parallel()
	m, dir := memoirtest.StartSharing(t, twoAgents(), memoirtest.Files{"coffee.md": memoirtest.Note("the coffee machine", memories.Reference, "The coffee machine is on the third floor.")})
	c := serve(t, m).connect(t, writer, "?agent=ada")
	var list struct {
		page
		Shared []page
	}
	text := c.call("list_memories", nil, &list)
	if list.Total != 3 || len(list.Shared) != 1 || list.Shared[0].Agent != "team" || list.Shared[0].Total != 1 || !strings.Contains(text, "1 memory that all agents share, of team:") {
		t.Errorf("listed: %+v\n%s", list, text)
	}
	list.Shared = nil
	if c.call("search_memories", arguments{"query": "coffee"}, &list); list.Total != 0 || len(list.Shared) != 1 || !strings.Contains(list.Shared[0].Memories[0].Excerpt, "third floor") {
		t.Errorf("found: %+v", list)
	}
	var got memory
	if c.call("get_memory", arguments{"name": "the coffee machine"}, &got); got.Body != "The coffee machine is on the third floor." || got.File != dir+"/coffee.md" {
		t.Errorf("read: %+v", got)
	}
	var recalled page
	text = c.call("recall", arguments{"query": "where is the coffee machine", "session": "1"}, &recalled)
	if len(recalled.Memories) != 1 || recalled.Memories[0].File != dir+"/coffee.md" || !strings.Contains(text, "Memory (saved today): "+dir+"/coffee.md:") {
		t.Errorf("recalled: %+v\n%s", recalled, text)
	}
	if c.call("recall", arguments{"query": "where is the coffee machine", "session": "1"}, &recalled); len(recalled.Memories) > 0 {
		t.Error("it is given twice in one session")
	}
	c.fails("delete_memory", arguments{"name": "the coffee machine"}, "no memory named")
}

func TestGetMemory_NameOfSeveral(t *testing.T) {
	t.Parallel()
	files := twoAgents()
	files["ada/memory/team/reference_coffee.md"] = memoirtest.Note("the coffee machine", memories.Reference, "Ada's team has one of its own.")
	files["ada/memory/reference_coffee.md"] = memoirtest.Note("the coffee machine", memories.Reference, "Ada has one of her own.")
	m, _ := memoirtest.StartSharing(t, files, memoirtest.Files{"coffee.md": memoirtest.Note("the coffee machine", memories.Reference, "It is on the third floor.")})
	c := serve(t, m).connect(t, writer, "?agent=ada")
	c.fails("get_memory", arguments{"name": "the coffee machine"}, "Several memories have the name")
}

// factsAway is a store whose database fails when a fact is read.
type factsAway struct{ mcp.Store }

func (factsAway) IndexFact(context.Context, records.Agent, string) (memories.Memory, error) {
	return memories.Memory{}, memories.ErrUnavailable
}

func TestGetMemory_FactUnreadable(t *testing.T) {
	t.Parallel()
	m := memoirtest.Start(t, oneAgent())
	c := serveStore(t, m, factsAway{m.Store}).connect(t, writer, "")
	c.fails("get_memory", arguments{"id": "00000000-0000-4000-8000-000000000000"}, "Database unavailable")
}

package mcp_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestArguments_AsModelsSendThem(t *testing.T) {
	t.Parallel()
	d := setup(t, oneAgent())
	c := d.connect(t, writer, "")
	list := func(tool string, in arguments, want ...string) {
		t.Helper()
		var got page
		c.call(tool, in, &got)
		names := got.names()
		if slices.Sort(names); !slices.Equal(names, want) {
			t.Errorf("%s(%v) lists %v, want %v", tool, in, names, want)
		}
	}
	all := []string{"deploy on tuesdays", "green tea", "redis holds nothing of value"}
	list("list_memories", arguments{"limit": "3"}, all...)
	list("list_memories", arguments{"agent": "", "type": "", "state": "", "cursor": "", "limit": ""}, all...)
	list("list_memories", arguments{"type": "User"}, "green tea")
	list("search_memories", arguments{"query": "tea", "type": " USER ", "limit": "1.0", "cursor": ""}, "green tea")
	var saved struct{ Result, Type string }
	c.call("save_memory", arguments{"name": "x", "type": "Feedback", "body": "y", "scope": "", "description": ""}, &saved)
	if saved.Result != "created" || saved.Type != "feedback" {
		t.Errorf("save_memory: %+v", saved)
	}
	var given struct{ Memories []memory }
	c.call("recall", arguments{"query": "when do we deploy?", "session": "", "limit": "1"}, &given)
	if len(given.Memories) != 1 {
		t.Errorf("recall: %+v", given)
	}
	c.call("append_log", arguments{"text": "Deployed.", "title": ""}, nil)
	c.call("get_memory", arguments{"id": "", "name": "green tea"}, nil)

	c.fails("list_memories", arguments{"limit": "three"}, "Invalid arguments for list_memories", "limit")
	c.fails("list_memories", arguments{"limit": "0"}, "Invalid arguments for list_memories", "limit")
	c.fails("list_memories", arguments{"type": "diary"}, "Invalid arguments for list_memories", "type")
	c.fails("list_memories", arguments{"kind": "user"}, "Invalid arguments for list_memories", "kind")
	c.fails("save_memory", arguments{"name": "", "type": "user", "body": "y"}, "Nothing was changed", "name")
	c.fails("save_memory", arguments{"name": "z", "type": "", "body": "y"}, "Nothing was changed", "type")
	c.fails("delete_memory", arguments{"name": "", "id": ""}, "Give the name or the id")
	list("list_memories", arguments{}, append(all, "x")...)
}

func TestRecall_WarningsAreStructured(t *testing.T) {
	t.Parallel()
	d := setup(t, oneAgent())
	old := time.Now().Add(-5 * 24 * time.Hour)
	if err := os.Chtimes(d.Path("ada/memory/feedback_deploy.md"), old, old); err != nil {
		t.Fatal(err)
	}
	d.Scan("ada")
	var given struct{ Memories []memory }
	text := d.connect(t, writer, "").call("recall", arguments{"query": "when do we deploy?"}, &given)
	if len(given.Memories) != 1 || !strings.HasPrefix(given.Memories[0].Warning, "This memory is 5 days old.") || !strings.Contains(text, given.Memories[0].Warning) {
		t.Errorf("recall: %+v, %q", given, text)
	}
}

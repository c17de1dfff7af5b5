package mcp_test

import (
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestReadOnly_HidesTools(t *testing.T) {
	t.Parallel()
	d := setup(t, oneAgent())
	c := d.connect(t, reader, "")
	var tools, prompts []string
	for tool, err := range c.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		tools = append(tools, tool.Name)
	}
	for prompt, err := range c.Prompts(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		prompts = append(prompts, prompt.Name)
	}
	if !slices.Equal(tools, []string{"get_memory", "list_memories", "recall", "search_memories"}) || !slices.Equal(prompts, []string{"memory", "memory_show"}) {
		t.Errorf("a reader is shown %v and %v", tools, prompts)
	}
	const plain = "Read-only token. Nothing was changed."
	c.fails("save_memory", arguments{"name": "a", "type": "user", "body": "x"}, plain)
	c.fails("delete_memory", arguments{"name": "green tea"}, plain)
	c.fails("move_memory", arguments{"name": "green tea", "to": "team"}, plain)
	c.fails("append_log", arguments{"text": "x"}, plain)
	if _, err := c.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "memory_save", Arguments: map[string]string{"text": "x"}}); err == nil || !strings.Contains(err.Error(), plain) {
		t.Errorf("the prompt to save: %v", err)
	}
	var all page
	if c.call("list_memories", arguments{}, &all); all.Total != 3 {
		t.Errorf("a reader sees %d memories", all.Total)
	}
	c.call("search_memories", arguments{"query": "tea"}, nil)
	c.call("get_memory", arguments{"name": "green tea"}, nil)
	if text := c.call("recall", arguments{"query": "which tea do I like?"}, nil); !strings.Contains(text, "green tea") {
		t.Errorf("a reader recalls %q", text)
	}
	if resources, err := c.ListResources(t.Context(), nil); err != nil || len(resources.Resources) != 4 {
		t.Errorf("a reader is listed %+v, %v", resources, err)
	}
	// The list for a reader must not change the list for a writer.
	if tools, err := d.connect(t, writer, "").ListTools(t.Context(), nil); err != nil || len(tools.Tools) != 8 {
		t.Errorf("a writer is shown %d tools, %v", len(tools.Tools), err)
	}
}

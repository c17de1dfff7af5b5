package mcp_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

// read reads a resource that must exist.
func (c *client) read(uri string) *sdk.ResourceContents {
	c.Helper()
	result, err := c.ReadResource(c.Context(), &sdk.ReadResourceParams{URI: uri})
	if err != nil || len(result.Contents) != 1 {
		c.Fatalf("%s: %+v, %v", uri, result, err)
	}
	return result.Contents[0]
}

// resources returns all resources.
func (c *client) resources() []*sdk.Resource {
	c.Helper()
	var all []*sdk.Resource
	for resource, err := range c.Resources(c.Context(), nil) {
		if err != nil {
			c.Fatal(err)
		}
		all = append(all, resource)
	}
	return all
}

func TestResources_EveryMemory(t *testing.T) {
	t.Parallel()
	files := twoAgents()
	files["ada/memory/latin.md"] = memoirtest.Note("latin", memories.User, "caf\xe9")
	files["ada/memory/huge.md"] = strings.Repeat("x", 1<<20+1)
	d := setup(t, files)
	c := d.connect(t, writer, "")
	byName := map[string]*sdk.Resource{}
	for _, r := range c.resources() {
		byName[r.Name] = r
	}
	if len(byName) != 7 || byName["huge"] != nil {
		t.Errorf("listed: %v", byName)
	}
	listed := byName["green tea"]
	if listed == nil || listed.MIMEType != "text/markdown" || listed.Description != "About green tea" || listed.Annotations.LastModified == "" || listed.Size == 0 {
		t.Fatalf("a memory is listed as %+v", listed)
	}
	if got := c.read(listed.URI); got.Text != d.Read("ada/memory/user_tea.md") || got.MIMEType != "text/markdown" {
		t.Errorf("a memory is read as %+v", got)
	}
	if got := c.read(byName["latin"].URI); string(got.Blob) != files["ada/memory/latin.md"] {
		t.Errorf("what is no text is read as %+v", got)
	}
	if got := c.read("memoir://agents/ada/claude-md"); got.Text != d.Read("ada/CLAUDE.md") || !strings.Contains(got.Text, "Ada drinks green tea.") {
		t.Errorf("CLAUDE.md is read as %+v", got)
	}
	templates, err := c.ListResourceTemplates(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var uris []string
	for _, template := range templates.ResourceTemplates {
		uris = append(uris, template.URITemplate)
	}
	slices.Sort(uris)
	if !slices.Equal(uris, []string{"memoir://agents/{slug}/claude-md", "memoir://agents/{slug}/memories/{id}"}) {
		t.Errorf("templates: %v", uris)
	}

	c.call("delete_memory", arguments{"agent": "ada", "name": "green tea"}, nil)
	missing := func(c *client, uri, words string) {
		t.Helper()
		if _, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri}); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%q: %v", uri, err)
		}
	}
	missing(c, listed.URI, "in the trash")
	var huge memory
	c.call("get_memory", arguments{"agent": "ada", "name": "huge"}, &huge)
	missing(c, huge.URI, "bytes are not stored")
	bobs := strings.Replace(listed.URI, "ada", "bob", 1)
	for uri, words := range map[string]string{
		bobs: "Memory not found", "memoir://agents/eve/claude-md": "Agent not found", "memoir://agents/ada/memories/x": "Memory not found", "memoir://agents/ada/memories/": "Resource not found",
		"memoir://agents/ada": "Resource not found", "memoir://agents//claude-md": "Resource not found", "memoir://agents/ada/CLAUDE.md": "Resource not found", "file:///etc/passwd": "Resource not found",
		"memoir://agents/ada/memories/../claude-md": "Resource not found", "memoir://agents/ada%2f/claude-md": "Resource not found", "memoir://agents/漢字/claude-md": "Resource not found",
	} {
		missing(c, uri, words)
	}
	for _, uri := range []string{"", `\u0001\u2028\"`, `memoir://agents/\u0000/claude-md`, `memoir://agents/ada/memories/\u0007`} { // the SDK's client does not send these
		status, answer := d.post(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"`+uri+`"}}`, reader)
		if status != http.StatusOK || !strings.Contains(answer, "Resource not found.") {
			t.Errorf("%s: %d %s", uri, status, answer)
		}
	}

	fixed := d.connect(t, writer, "?agent=bob")
	if got := fixed.resources(); len(got) != 2 || got[0].URI != "memoir://agents/bob/claude-md" {
		t.Errorf("with bob fixed there are %d resources", len(got))
	}
	missing(fixed, "memoir://agents/ada/claude-md", "Resource not found")
}

func TestResources_Pages(t *testing.T) {
	t.Parallel()
	files := memoirtest.Files{}
	for i := range 300 {
		files[fmt.Sprintf("many/memory/%03d.md", i)] = memoirtest.Note(fmt.Sprintf("note %03d", i), memories.User, "x")
	}
	for i := range 60 {
		files[fmt.Sprintf("few%03d/memory/a.md", i)] = memoirtest.Note("only", memories.User, "x")
	}
	c := setup(t, files).connect(t, writer, "")
	seen := map[string]bool{}
	cursor, pages := "", 0
	for {
		page, err := c.ListResources(t.Context(), &sdk.ListResourcesParams{Cursor: cursor})
		if err != nil {
			t.Fatal(err)
		}
		pages++
		if len(page.Resources) > 101 {
			t.Errorf("a page of %d", len(page.Resources))
		}
		for _, r := range page.Resources {
			if seen[r.URI] {
				t.Errorf("%s is listed twice", r.URI)
			}
			seen[r.URI] = true
		}
		if cursor = page.NextCursor; cursor == "" {
			break
		}
	}
	if len(seen) != 300+1+60*2 || pages > 6 {
		t.Errorf("%d resources in %d pages", len(seen), pages)
	}
	for _, cursor := range []string{"x", "e30", "eyJhIjoibWFueSIsIm0iOiJ6eiJ9"} { // the last has an invalid cursor of the memories
		if _, err := c.ListResources(t.Context(), &sdk.ListResourcesParams{Cursor: cursor}); err == nil || !strings.Contains(err.Error(), "cursor") {
			t.Errorf("cursor %s: %v", cursor, err)
		}
	}
}

package mcp_test

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"memoir/internal/memoirtest"
	"memoir/internal/memories"
)

// at returns the query of a URL with a client's working directory.
func at(dir string) string { return "?dir=" + url.QueryEscape(dir) }

// twoProjects returns an empty directory, in which shop is a repository, and the files of Claude
// Code for shop and blog.
func twoProjects(t *testing.T) (dir string, files memoirtest.Files) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, made := range []string{"shop/.git", "shop/web", "blog", "new"} {
		if err := os.MkdirAll(filepath.Join(dir, made), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	memory := func(project, file string) string {
		return "projects/" + memoirtest.ClaudeProject(filepath.Join(dir, project)) + "/memory/" + file
	}
	return dir, memoirtest.Files{
		memory("shop", "pnpm.md"): memoirtest.Note("use pnpm", memories.Feedback, "Install packages with pnpm."),
		memory("blog", "tone.md"): memoirtest.Note("tone", memories.Feedback, "Write short sentences."),
	}
}

func TestDirectory_SelectsAgent(t *testing.T) {
	t.Parallel()
	dir, files := twoProjects(t)
	d := serve(t, memoirtest.StartClaude(t, files))
	for place, want := range map[string]string{"shop": "use pnpm", "shop/web": "use pnpm", "blog": "tone"} {
		c := d.connect(t, writer, at(filepath.Join(dir, place)))
		var all page
		if c.call("list_memories", arguments{"agent": ""}, &all); !slices.Equal(all.names(), []string{want}) {
			t.Errorf("in %s: %v, want %s", place, all.names(), want)
		}
		if told, err := c.prompt("memory", nil); err != nil || !strings.Contains(told, want) {
			t.Errorf("the prompt in %s: %q, %v", place, told, err)
		}
		if told, err := c.prompt("memory_show", map[string]string{"name": want, "agent": ""}); err != nil || !strings.Contains(told, "[feedback] "+want) {
			t.Errorf("a memory in %s: %q, %v", place, told, err)
		}
		var names []string
		for _, r := range c.resources() {
			names = append(names, r.Name)
		}
		if len(names) != 2 || !slices.Contains(names, want) {
			t.Errorf("the resources in %s: %v", place, names)
		}
	}
}

func TestDirectory_ToolsWrite(t *testing.T) {
	t.Parallel()
	dir, files := twoProjects(t)
	d := serve(t, memoirtest.StartClaude(t, files))
	c := d.connect(t, writer, at(filepath.Join(dir, "blog")))
	var did struct{ Agent, File, Result string }
	c.call("save_memory", arguments{"name": "length", "type": "feedback", "body": "A post has 500 words."}, &did)
	if want := d.Path("projects/" + memoirtest.ClaudeProject(filepath.Join(dir, "blog")) + "/memory"); did.Result != "created" || filepath.Dir(did.File) != want {
		t.Errorf("saved: %+v, want a file in %s", did, want)
	}
	var given struct{ Agent string }
	if c.call("recall", arguments{"query": "how long is a post?"}, &given); given.Agent != did.Agent {
		t.Errorf("recalled of %q, want %q", given.Agent, did.Agent)
	}
	c.call("delete_memory", arguments{"name": "length"}, nil)
	if _, err := os.Stat(did.File); !os.IsNotExist(err) {
		t.Errorf("%s is still there: %v", did.File, err)
	}
}

func TestDirectory_OtherAgent(t *testing.T) {
	t.Parallel()
	dir, files := twoProjects(t)
	d := serve(t, memoirtest.StartClaude(t, files))
	c := d.connect(t, writer, at(filepath.Join(dir, "shop")))
	blog := memoirtest.ClaudeProject(filepath.Join(dir, "blog"))
	var all page
	if c.call("list_memories", arguments{"agent": blog}, &all); !slices.Equal(all.names(), []string{"tone"}) {
		t.Errorf("of a named agent: %v", all.names())
	}
	if d.connect(t, writer, at(filepath.Join(dir, "shop"))+"&agent="+blog).call("list_memories", arguments{}, &all); !slices.Equal(all.names(), []string{"tone"}) {
		t.Errorf("of the agent in the address: %v", all.names())
	}
	completed, err := c.Complete(t.Context(), &sdk.CompleteParams{
		Ref: &sdk.CompleteReference{Type: "ref/prompt", Name: "memory"}, Argument: sdk.CompleteParamsArgument{Name: "agent", Value: ""},
	})
	if err != nil || len(completed.Completion.Values) != 2 {
		t.Errorf("completed: %+v, %v", completed, err)
	}
}

func TestDirectory_NoAgent(t *testing.T) {
	t.Parallel()
	dir, files := twoProjects(t)
	d := serve(t, memoirtest.StartClaude(t, files))
	c := d.connect(t, writer, at(filepath.Join(dir, "new")))
	c.fails("list_memories", arguments{}, "has no agent", filepath.Join(dir, "new"), "give its slug as agent")
	c.fails("save_memory", arguments{"name": "a", "type": "user", "body": "x"}, "has no agent")
	if all := c.resources(); len(all) != 0 {
		t.Errorf("%d resources", len(all))
	}
	for _, odd := range []string{"${PWD}", "shop", "."} {
		c := d.connect(t, writer, at(odd))
		c.fails("list_memories", arguments{}, "not an absolute path", "?agent=")
		if told, err := c.prompt("memory", nil); err == nil || !strings.Contains(err.Error(), "not an absolute path") {
			t.Errorf("?dir=%s: %q, %v", odd, told, err)
		}
	}
	// An empty value counts as absent.
	d.connect(t, writer, "?dir=").fails("list_memories", arguments{}, "Give the slug of one")
}

func TestAgent_ErrorListsTen(t *testing.T) {
	t.Parallel()
	files := memoirtest.Files{}
	for i := range 12 {
		files[fmt.Sprintf("agent%02d/memory/a.md", i)] = memoirtest.Note("a", memories.User, "Text.")
	}
	c := setup(t, files).connect(t, writer, "")
	for _, in := range []arguments{{}, {"agent": "eve"}} {
		_, text := c.ask("list_memories", in)
		if !strings.Contains(text, "agent09 and 2 more") || strings.Contains(text, "agent10") {
			t.Errorf("with %v: %q", in, text)
		}
	}
}

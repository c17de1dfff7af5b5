package client_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// repository is the root of the repository, which is a marketplace with Memoir's plugin.
const repository = "../.."

func TestClient_Plugin(t *testing.T) {
	u := newUser(t)
	if _, err := os.Stat(filepath.Join(repository, "plugin")); err != nil {
		t.Fatal("the repository has no plugin for Claude Code")
	}
	root, err := filepath.Abs(repository)
	if err != nil {
		t.Fatal(err)
	}
	u.remember(u.project, "use-pnpm", "pnpm only", pnpm)
	u.ask(u.project, "Hello there.")
	u.start()
	for name, dir := range map[string]string{"the marketplace": root, "the plugin": filepath.Join(root, "plugin")} {
		t.Run(name+" is valid", func(t *testing.T) {
			u := u.in(t)
			if r := u.run(u.project, u.claude, "plugin", "validate", dir); r.code != 0 {
				t.Errorf("claude plugin validate: %d %s%s", r.code, r.out, r.errors)
			}
		})
	}
	// The plugin names Memoir's default address, and runs memoir from PATH.
	plugin := filepath.Join(filepath.Dir(u.home), "plugin")
	if err := os.CopyFS(plugin, os.DirFS(filepath.Join(root, "plugin"))); err != nil {
		t.Fatal(err)
	}
	servers := filepath.Join(plugin, ".mcp.json")
	raw, err := os.ReadFile(servers)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(servers, []byte(strings.ReplaceAll(string(raw), "http://127.0.0.1:8080", u.url)), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Run("without memoir it is silent", func(t *testing.T) {
		u := u.in(t)
		const prompt = "Without memoir, which command installs packages with pnpm?"
		if r := u.ask(u.project, prompt, "--plugin-dir", plugin); r.out != "Done.\n" || r.errors != "" {
			t.Errorf("%q and %q", r.out, r.errors)
		}
	})
	u.findMemoir()
	t.Run("its hooks give memories", func(t *testing.T) {
		u := u.in(t)
		const prompt = "Which command installs packages with pnpm?"
		u.ask(u.project, prompt, "--plugin-dir", plugin)
		if got := u.last(prompt).hookContext(); !strings.Contains(got, pnpm) {
			t.Errorf("the hooks gave %q", got)
		}
	})
	t.Run("its tools are reachable", func(t *testing.T) {
		u := u.in(t)
		const prompt, tool = "List all memories.", "mcp__plugin_memoir_memoir__list_memories"
		u.model.script(prompt, step{tool: "ToolSearch", input: map[string]any{"query": "select:" + tool}}, step{tool: tool, input: map[string]any{}})
		u.ask(u.project, prompt, "--plugin-dir", plugin, "--allowedTools", "ToolSearch,"+tool)
		messages := u.last(prompt).Messages
		if got := string(messages[len(messages)-1].Content); !strings.Contains(got, "use-pnpm") {
			t.Errorf("the model gets %q", got)
		}
	})
}

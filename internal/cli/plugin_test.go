package cli_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// repository is the project's directory, with the plugin for Claude Code.
const repository = "../.."

// decodeFile decodes a JSON file of the repository, and refuses unknown fields.
func decodeFile(t *testing.T, path string, into any) {
	t.Helper()
	file, err := os.Open(filepath.Join(repository, path))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	decoder := json.NewDecoder(file)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

func TestPlugin_Manifests(t *testing.T) {
	t.Parallel()
	type author struct{ Name string }
	type manifest struct {
		Name, Description, License, Source string
		Author                             author
		Keywords                           []string
	}
	var marketplace struct {
		Name, Description string
		Owner             author
		Plugins           []manifest
	}
	decodeFile(t, ".claude-plugin/marketplace.json", &marketplace)
	if len(marketplace.Plugins) != 1 {
		t.Fatalf("the marketplace is %+v", marketplace)
	}
	var plugin manifest
	listed := marketplace.Plugins[0]
	decodeFile(t, listed.Source+"/.claude-plugin/plugin.json", &plugin)
	if plugin.Name != "memoir" || listed.Name != plugin.Name || listed.Description != plugin.Description {
		t.Errorf("the plugin is %+v, and listed as %+v", plugin, listed)
	}
	var mcp struct {
		Servers map[string]struct{ Type, URL string } `json:"mcpServers"`
	}
	decodeFile(t, listed.Source+"/.mcp.json", &mcp)
	if got := mcp.Servers["memoir"]; got.Type != "http" || got.URL != "http://127.0.0.1:8080/mcp?dir=${PWD}" {
		t.Errorf("the MCP server is %+v", got)
	}
	hooks, err := os.ReadFile(filepath.Join(repository, listed.Source, "hooks/hooks.json"))
	if err != nil {
		t.Fatal(err)
	}
	setup(t).memoir("hooks", "print", "--project").wantsAll(string(hooks))
}

// TestPlugin_Validate asks the real client, where it is installed.
func TestPlugin_Validate(t *testing.T) {
	t.Parallel()
	claude, err := exec.LookPath("claude")
	if err != nil {
		t.Skip("the claude command line is not installed")
	}
	for _, dir := range []string{repository, repository + "/plugin"} {
		path, err := filepath.Abs(dir)
		if err != nil {
			t.Fatal(err)
		}
		term := setup(t)
		term.env["DISABLE_AUTOUPDATER"], term.env["CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC"] = "1", "1"
		if got := term.run(claude, "", "plugin", "validate", path); got.code != 0 || !strings.Contains(got.stdout, "Validation passed") {
			t.Errorf("%s: code %d\n%s%s", dir, got.code, got.stdout, got.stderr)
		}
	}
}

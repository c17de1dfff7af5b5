package sync_test

import (
	"errors"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"memoir/internal/agents"
	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	engine "memoir/internal/sync"
)

func TestLayouts_CopyBetween(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, path)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, path), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("agents/ada/memory/feedback_tabs.md", "---\nname: Use Tabs\ndescription: tabs in Go\ntype: feedback\nx: 1\n---\n\nUse tabs.\n")
	write("claude/projects/-src-shop/memory/other.md", "---\nname: other\ntype: project\n---\n\nOther.\n")
	write("gemini/tmp/shop/memory/release-steps.md", "# Order of the deploys\n\n1. schema\n")
	write("qwen/projects/-src-shop/memory/a.md", "---\nname: a\ntype: user\n---\n\nA.\n")
	m := memoirtest.StartIn(t, agents.Settings{
		AgentsDir: filepath.Join(dir, "agents"), ClaudeDir: filepath.Join(dir, "claude"), GeminiDir: filepath.Join(dir, "gemini"), QwenDir: filepath.Join(dir, "qwen"),
	})
	m.Dir = dir
	for _, tt := range []struct{ from, name, to, file, want, index string }{
		{"ada", "Use Tabs", "gemini-shop", "gemini/tmp/shop/memory/use-tabs.md", "# tabs in Go\n\nUse tabs.\n", "- [Use Tabs](use-tabs.md) — tabs in Go\n"},
		{"gemini-shop", "release-steps", "ada", "agents/ada/memory/project_release_steps.md", "---\nname: release-steps\ndescription: Order of the deploys\ntype: project\n---\n\n1. schema\n", "- [release-steps](project_release_steps.md) — Order of the deploys\n"},
		{"gemini-shop", "release-steps", "-src-shop", "claude/projects/-src-shop/memory/release-steps.md", "---\nname: release-steps\ndescription: Order of the deploys\nmetadata:\n  node_type: memory\n  type: project\n---\n\n1. schema\n", "- [release-steps](release-steps.md) — Order of the deploys\n"},
		{"ada", "Use Tabs", "qwen-src-shop", "qwen/projects/-src-shop/memory/use-tabs.md", "---\nname: Use Tabs\ndescription: tabs in Go\ntype: feedback\nx: 1\n---\n\nUse tabs.\n", "- [Use Tabs](use-tabs.md) — tabs in Go\n"},
	} {
		from := m.Memory(tt.from, tt.name)
		copied, err := m.Engine.Copy(t.Context(), tt.from, from.ID, "", engine.Destination{Scope: memories.PrivateScope, Agent: tt.to})
		if err != nil || !copied.Created || copied.Memory.Agent != tt.to {
			t.Errorf("%s to %s: %+v, %v", tt.from, tt.to, copied.Memory, err)
			continue
		}
		if got := m.Read(tt.file); got != tt.want {
			t.Errorf("%s is %q, want %q", tt.file, got, tt.want)
		}
		if got := m.Read(path.Join(path.Dir(tt.file), "MEMORY.md")); !strings.HasSuffix(got, tt.index) {
			t.Errorf("the index of %s is %q, want the line %q", tt.to, got, tt.index)
		}
		_, err = m.Engine.Copy(t.Context(), tt.from, from.ID, "", engine.Destination{Scope: memories.PrivateScope, Agent: tt.to})
		if taken := (*memories.NameTakenError)(nil); !errors.As(err, &taken) {
			t.Errorf("a second copy to %s: %v", tt.to, err)
		}
		m.Scan(tt.to)
		if again := m.Memory(tt.to, copied.Memory.Name); again.ID != copied.Memory.ID || again.State != memories.Active {
			t.Errorf("after a scan, the copy in %s is %+v", tt.to, again)
		}
	}
}

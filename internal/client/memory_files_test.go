package client_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"memoir/internal/waittest"
)

func TestClient_MemoryFiles(t *testing.T) {
	u := newUser(t)
	u.write("old.md", "---\nname: Old Style Name\ndescription: an older form\ntype: project\n---\n\nThe cache is Redis.\n")
	u.write("MEMORY.md", "- [Old](old.md) — an older form\n")
	u.start()
	u.installHooks()
	slug := u.agent(u.project)
	waittest.For(t, "the old memory", func() bool { return len(u.memories(slug)) == 1 })
	before := u.memories(slug)["old.md"]

	const save, edit, last = "Remember that we use pnpm.", "The cache is Valkey now.", "What is known here?"
	dir := u.memoryDir(u.project)
	u.model.script(save,
		step{tool: "Write", input: map[string]any{"file_path": filepath.Join(dir, "use-pnpm.md"), "content": "---\nname: Use Pnpm\ndescription: pnpm only\ntype: feedback\n---\n\n" + pnpm + "\n"}},
		step{tool: "Read", input: map[string]any{"file_path": filepath.Join(dir, "MEMORY.md")}},
		step{tool: "Edit", input: map[string]any{"file_path": filepath.Join(dir, "MEMORY.md"), "old_string": "- [Old]", "new_string": "- [Use pnpm](use-pnpm.md) — pnpm only\n- [Old]"}},
	)
	u.model.script(edit,
		step{tool: "Read", input: map[string]any{"file_path": filepath.Join(dir, "old.md")}},
		step{tool: "Edit", input: map[string]any{"file_path": filepath.Join(dir, "old.md"), "old_string": "Redis", "new_string": "Valkey"}},
	)
	t.Run("a written memory appears", func(t *testing.T) {
		u := u.in(t)
		u.ask(u.project, save)
		waittest.For(t, "the memory", func() bool {
			m := u.memories(slug)["use-pnpm.md"]
			return m.Type == "feedback" && m.State == "active" && strings.TrimSpace(m.Body) == pnpm
		})
		if raw, err := os.ReadFile(filepath.Join(dir, "use-pnpm.md")); err != nil || !strings.Contains(string(raw), "originSessionId") {
			t.Errorf("Claude Code did not write the file: %v %s", err, raw)
		}
	})
	t.Run("rewritten memories stay the same", func(t *testing.T) {
		u := u.in(t)
		u.ask(u.project, edit)
		waittest.For(t, "the edit", func() bool { return strings.Contains(u.memories(slug)["old.md"].Body, "Valkey") })
		after := u.memories(slug)["old.md"]
		if after.ID != before.ID || after.Name == before.Name || len(u.memories(slug)) != 2 {
			t.Errorf("%+v became %+v, of %d memories", before, after, len(u.memories(slug)))
		}
	})
	t.Run("a deleted memory is gone", func(t *testing.T) {
		u := u.in(t)
		const first = "Which command installs packages with pnpm?"
		u.ask(u.project, first)
		if got := u.last(first); !strings.Contains(got.loaded(), "use-pnpm.md") || !strings.Contains(got.hookContext(), pnpm) {
			t.Fatalf("before the deletion, the index or the memory is not in the request: %q", got.text())
		}
		u.call("DELETE", "/agents/"+slug+"/memories/"+u.memories(slug)["use-pnpm.md"].ID, nil, nil)
		u.ask(u.project, last+" Which command installs packages with pnpm?")
		got := u.last(last).text()
		for _, word := range []string{"use-pnpm", "Use pnpm", "pnpm only", pnpm} {
			if strings.Contains(got, word) {
				t.Errorf("the next request has %q", word)
			}
		}
		if !strings.Contains(got, "old.md") {
			t.Error("the other memory is gone, too")
		}
	})
	t.Run("saved memories are listed", func(t *testing.T) {
		u := u.in(t)
		u.call("POST", "/agents/"+slug+"/memories", map[string]any{"name": "Release day", "type": "project", "description": "deployments on Tuesdays", "body": "Deployments go out on Tuesdays."}, nil)
		u.ask(u.project, "Hello once more.")
		if got := u.last("Hello once more.").loaded(); !strings.Contains(got, "deployments on Tuesdays") {
			t.Errorf("the request has %q", got)
		}
	})
}

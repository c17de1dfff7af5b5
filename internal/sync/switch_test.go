package sync_test

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"

	"memoir/internal/agents"
	"memoir/internal/memoirtest"
	"memoir/internal/memories"
	engine "memoir/internal/sync"
	"memoir/internal/waittest"
)

// asksToSave is the heading of the section that is missing while the memory is off.
const asksToSave = "# Memory System\n"

func TestSwitchMemory_ClaudeMD(t *testing.T) {
	t.Parallel()
	a := setup(t)
	a.write("ada/CLAUDE.md", "Mine.\n")
	a.write("ada/memory/tabs.md", note("Tabs", memories.Feedback, "Use tabs."))
	waittest.For(a, "CLAUDE.md", func() bool { return strings.Contains(a.read("ada/CLAUDE.md"), "### Tabs\n\nUse tabs.\n") })
	on := a.read("ada/CLAUDE.md")
	system := strings.Index(on, asksToSave)
	off := on[:system] + on[strings.Index(on, "# Learned Memory\n"):]
	switched := func(b *bench, to bool, want string) {
		t.Helper()
		agent, err := b.engine.SwitchMemory(t.Context(), "ada", to)
		if err != nil || agent.MemoryOff != to || agent.ClaudeMD.Problem != "" {
			t.Fatalf("%+v, %v", agent, err)
		}
		if got := a.read("ada/CLAUDE.md"); got != want || agent.ClaudeMD.Chars != len([]rune(want)) {
			t.Errorf("off %v: CLAUDE.md has %d characters on record and says\n%s\nwant\n%s", to, agent.ClaudeMD.Chars, got, want)
		}
	}
	switched(a, true, off)
	switched(a, true, off)
	preview, err := a.engine.Preview(t.Context(), "ada", "")
	if err != nil || string(preview.Text) != off || !preview.MemoryOff {
		t.Errorf("the preview is another one: %v", err)
	}

	// What is deleted and learned meanwhile goes out and comes in, and the section stays out.
	m := a.memory("ada", "Tabs")
	if _, err := a.engine.Delete(t.Context(), "ada", m.ID, ""); err != nil {
		t.Fatal(err)
	}
	if got := a.read("ada/CLAUDE.md"); strings.Contains(got, asksToSave) || strings.Contains(got, "Use tabs.") {
		t.Errorf("after a deletion CLAUDE.md says\n%s", got)
	}
	if _, err := a.engine.Restore(t.Context(), "ada", m.ID, ""); err != nil {
		t.Fatal(err)
	}
	if got := a.read("ada/CLAUDE.md"); got != off {
		t.Errorf("after a restore CLAUDE.md says\n%s", got)
	}
	a.restart()
	a.scan("ada")
	if got := a.read("ada/CLAUDE.md"); got != off {
		t.Errorf("after a restart CLAUDE.md says\n%s", got)
	}
	other := a.another(t.TempDir())
	switched(other, false, on)
	switched(a, true, off)
	switched(other, false, on)
	if _, err := a.engine.SwitchMemory(t.Context(), "nobody", true); !errors.Is(err, memories.ErrNotFound) {
		t.Errorf("nobody's memory: %v", err)
	}
}

func TestCustomAgent_Lifecycle(t *testing.T) {
	t.Parallel()
	b := setup(t)
	slug := memoirtest.ClaudeProject(b.path("app"))
	b.write("claude/projects/"+slug+"/1.jsonl", `{"cwd":"`+b.path("app")+`"}`+"\n")
	b.write("app/readme", "")
	b.over(agents.Settings{ClaudeDir: b.path("claude")})
	there := func(present bool) func() bool {
		return func() bool {
			agent, err := b.store.Agent(t.Context(), "app-reviewer")
			return err == nil && agent.Present == present
		}
	}
	definition := "app/.claude/agents/reviewer.md"
	b.write(definition, "---\nname: reviewer\nmemory: user\n---\n")
	waittest.For(b, "an agent of the user's", func() bool { _, err := b.store.Agent(t.Context(), "reviewer"); return err == nil })
	b.write(definition, "---\nname: reviewer\nmemory: project\n---\n")
	waittest.For(b, "an agent of the project", there(true))
	b.write("app/.claude/agent-memory/reviewer/tabs.md", note("Tabs", memories.Feedback, "Use tabs."))
	b.arrives("app-reviewer", "Tabs", "Use tabs.")
	b.remove(definition)
	b.write("app/.claude/agent-memory/reviewer/tabs.md", note("Tabs", memories.Feedback, "Use spaces."))
	b.arrives("app-reviewer", "Tabs", "Use spaces.")
	b.remove("app/.claude")
	waittest.For(b, "the agent to be marked", there(false))
	if m := b.memory("app-reviewer", "Tabs"); m.State != memories.Active {
		t.Errorf("with its directory the memory went: %+v", m)
	}

	// Settings that are written later move a project's memory.
	b.write("moved/a.md", note("A", memories.User, "moved"))
	b.write("app/.claude/settings.local.json", `{"autoMemoryDirectory": "`+b.path("moved")+`"}`)
	b.arrives(slug, "A", "moved")
}

func TestExpectedMemory_Lifecycle(t *testing.T) {
	// A project of Claude Code is an agent before its memory directory exists. The first save
	// creates the directory. Without it later, the agent is absent and keeps its memories.
	t.Parallel()
	b := setup(t)
	slug := memoirtest.ClaudeProject(b.path("shop"))
	memory := "claude/projects/" + slug + "/memory"
	b.write("shop/.git/HEAD", "ref: refs/heads/main\n")
	b.write("claude/projects/"+slug+"/1.jsonl", `{"cwd":"`+b.path("shop")+`"}`+"\n")
	b.over(agents.Settings{ClaudeDir: b.path("claude")})
	there := func(present bool) func() bool {
		return func() bool {
			agent, err := b.store.Agent(t.Context(), slug)
			return err == nil && agent.Present == present
		}
	}
	waittest.For(b, "the agent", there(true))
	if _, err := os.Stat(b.path(memory)); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("a directory without a memory: %v", err)
	}
	created, err := b.engine.Create(t.Context(), slug, engine.Draft{Name: "Tabs", Type: memories.Feedback, Description: "Indent", Body: "Use tabs."})
	if err != nil || created.Memory.Index != memories.LoadedByLine {
		t.Fatalf("created %+v, %v", created, err)
	}
	if !strings.Contains(b.read(memory+"/MEMORY.md"), "(tabs.md)") || !strings.Contains(b.read(memory+"/tabs.md"), "Use tabs.") {
		t.Error("the memory or its entry is not on disk")
	}
	b.write(memory+"/tabs.md", note("tabs", memories.Feedback, "Use spaces."))
	b.arrives(slug, "tabs", "Use spaces.")
	b.remove(memory)
	waittest.For(b, "the agent to be absent", there(false))
	if _, err := b.engine.Create(t.Context(), slug, engine.Draft{Name: "New", Type: memories.User, Body: "text"}); !errors.As(err, new(*memories.ConflictError)) {
		t.Errorf("a save without the directory: %v", err)
	}
	if m := b.memory(slug, "tabs"); m.State != memories.Active {
		t.Errorf("with its directory the memory went: %+v", m)
	}
	b.write(memory+"/tabs.md", note("tabs", memories.Feedback, "Use both."))
	waittest.For(b, "the agent to be back", there(true))
	b.arrives(slug, "tabs", "Use both.")
}

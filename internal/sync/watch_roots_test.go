package sync_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"memoir/internal/agents"
	"memoir/internal/memories"
	"memoir/internal/sync/watch"
	"memoir/internal/waittest"
)

// over starts the engine anew over other places.
func (b *bench) over(settings agents.Settings) {
	b.Helper()
	b.stop()
	b.options.Places = settings
	b.start()
}

func (b *bench) link(name, target string) {
	b.Helper()
	// As an installer changes a link that is in use: a new one takes the place of the old.
	if err := os.Symlink(target, b.path(name+".new")); err != nil {
		b.Fatal(err)
	}
	b.rename(name+".new", name)
}

// isExtension checks that changes of the agent's file a.md go on arriving.
func (b *bench) goesOn(slug, dir string) {
	b.Helper()
	for i := range 2 {
		body := fmt.Sprintf("%s, change %d", dir, i)
		b.write(dir+"/a.md", note("Tabs", memories.User, body))
		b.arrives(slug, "Tabs", body)
	}
}

// removeBusy removes a directory that the engine may be writing into, which is then not empty at
// the first attempt.
func (b *bench) removeBusy(name string) {
	b.Helper()
	waittest.For(b, name+" to be removed", func() bool { return os.RemoveAll(b.path(name)) == nil })
}

func (b *bench) goes(slug string) {
	b.Helper()
	waittest.For(b, slug+" to be marked", func() bool { return !b.agent(slug).Present })
}

func TestRoots_ParentRecreated(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("top/mid/agents/ada/memory/a.md", note("Tabs", memories.User, "one"))
	b.over(agents.Settings{AgentsDir: b.path("top/mid/agents")})
	b.arrives("ada", "Tabs", "one")

	b.rename("top", "aside")
	b.goes("ada")
	b.write("aside/mid/agents/ada/memory/a.md", note("Tabs", memories.User, "written aside"))
	b.write("top/mid/agents/ada/memory/a.md", note("Tabs", memories.User, "another tree"))
	b.arrives("ada", "Tabs", "another tree")
	b.goesOn("ada", "top/mid/agents/ada/memory")

	b.removeBusy("top")
	b.goes("ada")
	b.rename("aside", "top")
	b.arrives("ada", "Tabs", "written aside")
	b.goesOn("ada", "top/mid/agents/ada/memory")
}

func TestRoots_Link(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("first/agents/ada/memory/a.md", note("Tabs", memories.User, "first"))
	b.write("second/agents/ada/memory/a.md", note("Tabs", memories.User, "second"))
	b.link("current", "first") // the root lies below a link
	b.over(agents.Settings{AgentsDir: b.path("current/agents")})
	b.arrives("ada", "Tabs", "first")
	b.link("current", "second")
	b.arrives("ada", "Tabs", "second")
	b.goesOn("ada", "second/agents/ada/memory")
	b.link("current", "first")
	b.write("first/agents/ada/memory/a.md", note("Tabs", memories.User, "first again"))
	b.arrives("ada", "Tabs", "first again")
}

func TestRoots_AgentIsLink(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("far/top/ada/memory/a.md", note("Tabs", memories.User, "one"))
	b.write("agents/other/memory/o.md", note("Other", memories.User, "one"))
	b.link("agents/ada", "../far/top/ada")
	b.over(agents.Settings{AgentsDir: b.path("agents")})
	b.arrives("ada", "Tabs", "one")
	b.goesOn("ada", "far/top/ada/memory")
	b.rename("far", "aside") // no directory that is watched has moved by itself
	b.write("far/top/ada/memory/a.md", note("Tabs", memories.User, "another tree"))
	b.arrives("ada", "Tabs", "another tree")
	b.goesOn("ada", "far/top/ada/memory")
}

func TestRoots_AgentBehindLink(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ link, target, memory string }{
		"a hive agent":            {"agents/ada", "data/ada", "/memory"},
		"a project":               {"claude/projects/ada", "data/ada", "/memory"},
		"the memory of a project": {"claude/projects/ada/memory", "data/ada", ""},
		"a custom agent":          {"claude/agent-memory/ada", "data/ada", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.write("agents/other/memory/o.md", note("Other", memories.User, "one"))
			b.write("claude/projects/other/memory/o.md", note("Other", memories.User, "one"))
			b.must(os.MkdirAll(filepath.Dir(b.path(c.link)), 0o755))
			b.link(c.link, b.path(c.target)) // to nothing yet
			b.over(agents.Settings{AgentsDir: b.path("agents"), ClaudeDir: b.path("claude")})
			b.write("fresh/ada"+c.memory+"/a.md", note("Tabs", memories.User, "one"))
			b.rename("fresh", "data")
			b.arrives("ada", "Tabs", "one")
			b.goesOn("ada", c.target+c.memory)

			for i, part := range []string{c.target, "data"} {
				b.rename(part, "aside")
				b.goes("ada")
				body := fmt.Sprint("written aside ", i)
				b.write("aside"+strings.TrimPrefix(c.target, part)+c.memory+"/a.md", note("Tabs", memories.User, body))
				b.rename("aside", part)
				b.arrives("ada", "Tabs", body)
				b.goesOn("ada", c.target+c.memory)
				if !b.agent("ada").Present {
					t.Error("the agent is back and still marked as gone")
				}
			}
		})
	}
}

func TestRoots_AgentDirectoryRecreated(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.over(agents.Settings{AgentsDir: b.path("agents")})
	session := "agents/ada/sessions/" + sessionA
	b.write("agents/ada/memory/sub/a.md", note("Tabs", memories.User, "zero"))
	b.arrives("ada", "Tabs", "zero")
	for i, dir := range []string{"agents", "agents/ada", "agents/ada/memory", "agents/ada/memory/sub", "agents/ada/sessions", session, session + "/memory"} {
		b.write(session+"/memory/s.md", note("Session", memories.User, fmt.Sprint("before ", i)))
		b.arrives("ada", "Session", fmt.Sprint("before ", i))
		b.removeBusy(dir)
		b.write("agents/ada/memory/sub/a.md", note("Tabs", memories.User, fmt.Sprint("after ", dir)))
		b.write(session+"/memory/s.md", note("Session", memories.User, fmt.Sprint("after ", dir)))
		b.arrives("ada", "Tabs", "after "+dir)
		b.arrives("ada", "Session", "after "+dir)
		b.goesOn("ada", "agents/ada/memory/sub")
	}
}

func TestRoots_AgentMovedAndBack(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.over(agents.Settings{AgentsDir: b.path("agents")})
	b.write("agents/ada/memory/sub/a.md", note("Tabs", memories.User, "one"))
	b.write("agents/ada/sessions/"+sessionA+"/memory/s.md", note("Session", memories.User, "one"))
	b.arrives("ada", "Tabs", "one")
	b.rename("agents/ada", "agents/bob")
	b.goes("ada")
	b.arrives("bob", "Tabs", "one")
	b.arrives("bob", "Session", "one")
	b.goesOn("bob", "agents/bob/memory/sub")
	b.rename("agents/bob", "away")
	b.goes("bob")
	b.write("away/memory/sub/a.md", note("Tabs", memories.User, "written away"))
	b.rename("away", "agents/ada")
	b.arrives("ada", "Tabs", "written away")
	b.goesOn("ada", "agents/ada/memory/sub")
	if b.agent("bob").Present {
		t.Error("bob's directory is gone, and he is not marked")
	}
}

func TestRoots_LetterCase(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.write("ada/memory/sub/a.md", note("Tabs", memories.User, "one"))
	b.arrives("ada", "Tabs", "one")
	b.rename("ada/memory/sub/a.md", "ada/memory/sub/A.md")
	waittest.For(b, "the file to have its new name", func() bool { return b.memory("ada", "Tabs").Path == "memory/sub/A.md" })
	b.rename("ada/memory/sub", "ada/memory/Sub")
	waittest.For(b, "the directory to have its new name", func() bool { return b.memory("ada", "Tabs").Path == "memory/Sub/A.md" })
	b.write("ada/memory/Sub/A.md", note("Tabs", memories.User, "two"))
	b.arrives("ada", "Tabs", "two")
	if len(b.list("ada", "")) != 1 || len(b.list("ada", memories.Deleted)) != 0 {
		t.Errorf("a rename left %v, and in the trash %v", b.list("ada", ""), b.list("ada", memories.Deleted))
	}
	b.rename("ada", "Ada")
	b.goes("ada")
	b.arrives("Ada", "Tabs", "two")
}

func TestRoots_TwoPaths(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("real/ada/memory/a.md", note("Tabs", memories.User, "one"))
	b.link("agents", "real")
	b.over(agents.Settings{AgentsDir: b.path("agents"), MemoryDirs: []agents.NamedDir{{Slug: "by-hand", Path: b.path("real/ada/memory")}}})
	b.arrives("ada", "Tabs", "one")
	b.arrives("by-hand", "Tabs", "one")
	b.write("real/ada/memory/a.md", note("Tabs", memories.User, "two"))
	b.arrives("ada", "Tabs", "two")
	b.arrives("by-hand", "Tabs", "two")
	b.remove("agents") // the link
	b.goes("ada")
	b.write("real/ada/memory/a.md", note("Tabs", memories.User, "three"))
	b.arrives("by-hand", "Tabs", "three")
	b.link("agents", "real")
	b.arrives("ada", "Tabs", "three")
	b.write("real/ada/memory/a.md", note("Tabs", memories.User, "four"))
	b.arrives("ada", "Tabs", "four")
	b.arrives("by-hand", "Tabs", "four")
}

func TestRoots_LinkedFile(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.write("ada/notes/a.md", note("Tabs", memories.User, "one"))
	b.link("ada/memory/link.md", "../notes/a.md")
	b.arrives("ada", "Tabs", "one")
	b.write("ada/notes/a.md", note("Tabs", memories.User, "two"))
	b.arrives("ada", "Tabs", "two")
	b.write("ada/notes/.tmp", note("Tabs", memories.User, "three"))
	b.rename("ada/notes/.tmp", "ada/notes/a.md")
	b.arrives("ada", "Tabs", "three")
	b.rename("ada/notes", "ada/aside")
	b.write("ada/notes/a.md", note("Tabs", memories.User, "four"))
	b.arrives("ada", "Tabs", "four")
	b.write("ada/notes/a.md", note("Tabs", memories.User, "five"))
	b.arrives("ada", "Tabs", "five")
}

func TestWatch_TouchedFile(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.write("ada/memory/a.md", note("Tabs", memories.User, "one"))
	b.arrives("ada", "Tabs", "one")
	b.age("ada/memory/a.md", 50*24*3600*1e9)
	waittest.For(b, "the memory to be old", func() bool { return b.memory("ada", "Tabs").ModifiedAt.Before(b.memory("ada", "Tabs").CreatedAt) })
}

// overhearing is the system's own notifier, which tells the test what is about to be watched.
type overhearing struct {
	watch.Notifier
	heard func(dir string)
}

func (o overhearing) Add(dir string) error {
	o.heard(dir)
	return o.Notifier.Add(dir)
}

func TestRoots_RemovedDuringDiscovery(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("real/ada/memory/a.md", note("Tabs", memories.User, "one"))
	b.link("agents", "real")
	var goes atomic.Bool
	b.options.Notify = func() (watch.Notifier, error) {
		notifier, err := watch.OpenNotifier()
		return overhearing{notifier, func(dir string) {
			if dir == b.path("agents") && goes.Swap(false) {
				b.remove("agents") // the link
			}
		}}, err
	}
	b.over(agents.Settings{AgentsDir: b.path("agents")})
	b.arrives("ada", "Tabs", "one")

	goes.Store(true)
	b.write("real/eve/memory/a.md", note("Spaces", memories.User, "one")) // has agents looked for
	b.goes("ada")
	b.write("real/ada/memory/a.md", note("Tabs", memories.User, "two"))
	b.link("agents", "real")
	b.arrives("ada", "Tabs", "two")
	b.arrives("eve", "Spaces", "one")
}

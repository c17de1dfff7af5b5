package sync_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"memoir/internal/memories"
)

func TestReturn_FewerFiles(t *testing.T) {
	t.Parallel()
	for what, pause := range map[string]func(*bench){
		"after a scan":    func(b *bench) { b.scanAll() },
		"after a restart": (*bench).restart,
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.write("ada/memory/a.md", note("Deploy", memories.Project, "kept"))
			b.write("ada/memory/b.md", note("Staging", memories.Project, "kept too"))
			b.scanAll()
			b.removeBusy("ada")
			pause(b)
			b.write("ada/memory/b.md", note("Staging", memories.Project, "kept too"))
			b.write("ada/memory/c.md", note("Fresh", memories.Project, "new"))
			b.scan("ada")
			for _, name := range []string{"Deploy", "Staging", "Fresh"} {
				b.isIn("ada", name, memories.Active)
				if !strings.Contains(b.read("ada/CLAUDE.md"), "### "+name+"\n") {
					t.Errorf("CLAUDE.md lacks %s", name)
				}
			}
			b.remove("ada/memory/b.md")
			b.scan("ada")
			b.isIn("ada", "Staging", memories.Deleted)
			b.isIn("ada", "Deploy", memories.Active)
		})
	}
}

func TestAgent_EmptyDirectory(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("ada/memory/a.md", note("Deploy", memories.Project, "kept"))
	b.scanAll()
	b.rename("ada/memory", "aside")
	b.scanAll()
	if !b.agent("ada").Present {
		t.Error("the agent's directory is there, and the agent marked as gone")
	}
	b.isIn("ada", "Deploy", memories.Active)
}

// closeOff replaces a directory by a circular link, so that it cannot be opened, not even by root.
func (b *bench) closeOff(name string) (open func()) {
	b.Helper()
	b.rename(name, "aside")
	if err := os.Symlink(b.path(name), b.path(name)); err != nil {
		b.Fatal(err)
	}
	return func() {
		b.remove(name)
		b.rename("aside", name)
	}
}

func TestAgent_DirectoryNotReadable(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("ada/memory/a.md", note("Deploy", memories.Project, "kept"))
	b.scanAll()
	open := b.closeOff("ada")
	b.scanAll()
	if !b.agent("ada").Present {
		t.Error("the agent is marked as gone")
	}
	var conflict *memories.ConflictError
	if _, err := b.engine.Forget(t.Context(), "ada"); !errors.As(err, &conflict) {
		t.Errorf("forgetting it is answered with %v", err)
	}
	if _, err := b.engine.Delete(t.Context(), "ada", b.memory("ada", "Deploy").ID, ""); !errors.As(err, &conflict) {
		t.Errorf("a deletion that cannot check the file is answered with %v", err)
	}
	b.restart()
	open()
	b.scanAll()
	b.isIn("ada", "Deploy", memories.Active)
}

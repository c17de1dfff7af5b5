package sync_test

import (
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"memoir/internal/memories"
	"memoir/internal/postgres/pgtest"
	"memoir/internal/postgres/pgtest/linetest"
	"memoir/internal/waittest"
)

// setupMeanwhile is an agent with two memories, of whose deletion something happens while Postgres
// commits it.
func setupMeanwhile(t *testing.T, meanwhile func(*bench) linetest.Fate) *bench {
	t.Helper()
	b := &bench{T: t, dir: t.TempDir()}
	b.options = optionsFor(b.dir)
	b.write("ada/memory/tabs.md", note("Tabs", memories.User, "Use tabs."))
	b.write("ada/memory/rain.md", note("Rain", memories.User, "It rains."))
	var once atomic.Bool
	b.url = linetest.New(t, pgtest.New(t), func(request string) linetest.Fate {
		if strings.Contains(request, "MarkDeleted") && once.CompareAndSwap(false, true) {
			return meanwhile(b)
		}
		return linetest.Answered
	}).URL
	b.start()
	waittest.For(b, "CLAUDE.md", func() bool { return strings.Contains(b.read("ada/CLAUDE.md"), "### Tabs") })
	// What CLAUDE.md is compiled of is at hand from the second publication on.
	b.write("ada/memory/wind.md", note("Wind", memories.User, "It blows."))
	waittest.For(b, "CLAUDE.md", func() bool { return strings.Contains(b.read("ada/CLAUDE.md"), "### Wind") })
	return b
}

// nothingBeside checks that CLAUDE.md stands alone.
func (b *bench) nothingBeside() {
	b.Helper()
	entries, err := os.ReadDir(b.path("ada"))
	if err != nil {
		b.Fatal(err)
	}
	for _, entry := range entries {
		if name := entry.Name(); name != "CLAUDE.md" && name != "memory" {
			b.Errorf("%s lies beside CLAUDE.md", name)
		}
	}
}

func TestDelete_NotCommitted(t *testing.T) {
	t.Parallel()
	b := setupMeanwhile(t, func(*bench) linetest.Fate { return linetest.NotSent })
	before := b.read("ada/CLAUDE.md")
	if _, err := b.engine.Delete(t.Context(), "ada", b.memory("ada", "Tabs").ID, ""); err == nil {
		t.Error("a deletion that was never committed is said to be done")
	}
	if got := b.read("ada/CLAUDE.md"); got != before {
		t.Errorf("CLAUDE.md says\n%s", got)
	}
	b.nothingBeside()
}

func TestDelete_ClaudeMDEditedMeanwhile(t *testing.T) {
	t.Parallel()
	b := setupMeanwhile(t, func(b *bench) linetest.Fate {
		b.write("ada/CLAUDE.md", "# By hand\n\n"+b.read("ada/CLAUDE.md"))
		return linetest.Answered
	})
	b.delete("ada", "Tabs")
	if got := b.read("ada/CLAUDE.md"); !strings.HasPrefix(got, "# By hand\n") || strings.Contains(got, "Tabs") || !strings.Contains(got, "### Rain") {
		t.Errorf("CLAUDE.md says\n%s", got)
	}
	b.nothingBeside()
}

package sync_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"memoir/internal/memories"
	"memoir/internal/postgres/pgtest"
	"memoir/internal/postgres/pgtest/linetest"
	"memoir/internal/waittest"
)

// many is more than the search index takes at once, so that it is filled in parts.
const many = 600

func TestSearch_AfterLargeScan(t *testing.T) {
	t.Parallel()
	b := setup(t, manyNotes(t))
	waittest.For(b, "the search index", func() bool { return b.found("harbour") == many })
}

func TestSearch_AfterCrash(t *testing.T) {
	t.Parallel()
	b := setup(t, manyNotes(t))
	waittest.For(b, "the search index", func() bool { return b.found("harbour") == many })
	b.stop()
	conn, err := pgx.Connect(t.Context(), b.url)
	if err != nil {
		t.Fatal(err)
	}
	b.Cleanup(func() {
		if err := conn.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	if _, err := conn.Exec(t.Context(), "DELETE FROM memory_search"); err != nil {
		t.Fatal(err)
	}
	b.start()
	waittest.For(b, "the search index", func() bool { return b.found("harbour") == many })
}

// The index is filled in the background from memories that were read a moment before.
func TestSearch_ChangedDuringFill(t *testing.T) {
	t.Parallel()
	b := &bench{T: t, dir: t.TempDir()}
	b.options = optionsFor(b.dir)
	manyNotes(t)(b.dir)
	var begun atomic.Bool
	b.url = linetest.New(t, pgtest.New(t), func(request string) linetest.Fate {
		// Postgres has read the rows for the response.
		if request == "MemoriesToIndex" && b.mirrored() == many && begun.CompareAndSwap(false, true) {
			b.write("ada/memory/note-0.md", note("Note 0", memories.Project, "The lighthouse opens at seven."))
			b.arrives("ada", "Note 0", "The lighthouse opens at seven.")
		}
		return linetest.Answered
	}).URL
	b.start()
	waittest.For(b, "the search index", func() bool { return b.engine.Searchable() && b.found("opens") == many })
	if harbour, lighthouse := b.found("harbour"), b.found("lighthouse"); harbour != many-1 || lighthouse != 1 {
		t.Errorf("%d are found by what they say, and %d by what one of them says now", harbour, lighthouse)
	}
}

func manyNotes(t *testing.T) func(dir string) {
	return func(dir string) {
		b := &bench{T: t, dir: dir}
		for i := range many {
			b.write(fmt.Sprintf("ada/memory/note-%d.md", i), note(fmt.Sprintf("Note %d", i), memories.Project, "The harbour opens at six."))
		}
	}
}

// mirrored counts what is known of the agent.
func (b *bench) mirrored() int {
	b.Helper()
	agent, err := b.store.Agent(b.Context(), "ada")
	if errors.Is(err, memories.ErrNotFound) {
		return 0
	}
	if err != nil {
		b.Fatal(err)
	}
	return agent.Counts.Total
}

// found counts what a search finds.
func (b *bench) found(words string) int {
	b.Helper()
	agent, err := b.store.Agent(b.Context(), "ada")
	if err != nil {
		b.Fatal(err)
	}
	page, err := b.store.Memories(b.Context(), agent, memories.Filter{Query: words}, memories.PageRequest{Limit: 1})
	if err != nil {
		b.Fatal(err)
	}
	return page.Total
}

func TestSearch_ThousandsOfMemories(t *testing.T) {
	t.Parallel()
	const thousands = 5_000
	b := setup(t, func(dir string) {
		b := &bench{T: t, dir: dir}
		for i := range thousands {
			b.write(fmt.Sprintf("ada/memory/note-%d.md", i), note(fmt.Sprintf("Note %d", i), memories.Project, "The harbour opens at six."))
		}
	})
	waittest.For(b, "the search index", b.engine.Searchable)
	if n := b.found("harbour six"); n != thousands {
		t.Errorf("%d of %d are found", n, thousands)
	}
	b.remove("ada/memory/note-7.md")
	b.write("ada/memory/note-8.md", note("Note 8", memories.Project, "The harbour is closed."))
	b.write("ada/memory/new.md", note("New", memories.Project, "The harbour opens at seven."))
	b.scan("ada")
	for words, want := range map[string]int{"harbour": thousands, "harbour six": thousands - 2, "closed": 1, "seven": 1} {
		if n := b.found(words); n != want {
			t.Errorf("of %q %d are found, not %d", words, n, want)
		}
	}
}

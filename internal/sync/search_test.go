package sync_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"

	"memoir/internal/memories"
	"memoir/internal/postgres"
)

// many is more than the search index takes at once, so that it is filled in parts.
const many = 600

func TestEveryMemoryOfALargeFirstLookIsFoundBySearch(t *testing.T) {
	t.Parallel()
	b := setup(t, manyNotes(t))
	b.until("the search index", func() bool { return b.found("harbour") == many })
}

func TestWhatACrashLeftOutOfTheSearchIndexIsBroughtInAtTheNextStart(t *testing.T) {
	t.Parallel()
	b := setup(t, manyNotes(t))
	b.until("the search index", func() bool { return b.found("harbour") == many })
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
	b.until("the search index", func() bool { return b.found("harbour") == many })
}

func manyNotes(t *testing.T) func(dir string) {
	return func(dir string) {
		b := &bench{T: t, dir: dir}
		for i := range many {
			b.write(fmt.Sprintf("ada/memory/note-%d.md", i), note(fmt.Sprintf("Note %d", i), memories.Project, "The harbour opens at six."))
		}
	}
}

// found counts what a search finds.
func (b *bench) found(words string) int {
	b.Helper()
	agent, err := b.store.Agent(b.Context(), "ada")
	if err != nil {
		b.Fatal(err)
	}
	page, err := b.store.Memories(b.Context(), agent, postgres.List{Search: words, Limit: 1})
	if err != nil {
		b.Fatal(err)
	}
	return page.Total
}

// TestAmongThousandsOfMemoriesTheSameIsFound is about an agent that has enough for searches to go by a concordance.
func TestAmongThousandsOfMemoriesTheSameIsFound(t *testing.T) {
	t.Parallel()
	const thousands = 5_000
	b := setup(t, func(dir string) {
		b := &bench{T: t, dir: dir}
		for i := range thousands {
			b.write(fmt.Sprintf("ada/memory/note-%d.md", i), note(fmt.Sprintf("Note %d", i), memories.Project, "The harbour opens at six."))
		}
	})
	conn, err := pgx.Connect(t.Context(), b.url)
	if err != nil {
		t.Fatal(err)
	}
	b.Cleanup(func() {
		if err := conn.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	b.until("the concordance", func() (complete bool) {
		if err := conn.QueryRow(t.Context(), "SELECT EXISTS (SELECT FROM concordances WHERE state = 'complete')").Scan(&complete); err != nil {
			t.Fatal(err)
		}
		return complete
	})
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

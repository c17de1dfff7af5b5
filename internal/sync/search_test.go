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

package sync_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"memoir/internal/memories"
	"memoir/internal/postgres/pgtest"
	engine "memoir/internal/sync"
	"memoir/internal/sync/events"
	"memoir/internal/waittest"
)

// TestRowsRead_IndependentOfTotal repeats each change of an agent with many memories, and counts
// the rows that Postgres reads for it. All other tests are too small to notice a statement that
// reads all of an agent's files.
func TestRowsRead_IndependentOfTotal(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(l *largeAgent, i int){
		"delete": func(l *largeAgent, i int) { l.must(l.engine.Delete(l.Context(), "ada", l.ids[i], "")) },
		"purge":  func(l *largeAgent, i int) { l.must(l.engine.Purge(l.Context(), "ada", l.ids[i], "")) },
		"verify": func(l *largeAgent, i int) { l.must(l.engine.Verify(l.Context(), "ada", l.ids[i], "")) },
		"delete, restore": func(l *largeAgent, i int) {
			l.must(l.engine.Delete(l.Context(), "ada", l.ids[i], ""))
			l.must(l.engine.Restore(l.Context(), "ada", l.ids[i], ""))
		},
		"create": func(l *largeAgent, i int) {
			l.must(l.engine.Create(l.Context(), "ada", engine.Draft{Name: fmt.Sprintf("New %d", i), Type: memories.User, Body: "new"}))
		},
		"save": func(l *largeAgent, i int) {
			l.must(l.engine.Save(l.Context(), "ada", engine.Draft{Name: nameOf(i), Type: memories.User, Body: "saved"}))
		},
		"rename": func(l *largeAgent, i int) {
			to := fmt.Sprintf("Renamed %d", i)
			l.must(l.engine.Patch(l.Context(), "ada", l.ids[i], "", engine.Patch{Name: &to}))
		},
		"a file comes": func(l *largeAgent, i int) {
			l.published(func() {
				l.write(fmt.Sprintf("ada/memory/new-%d.md", i), note(fmt.Sprintf("New %d", i), memories.User, "new"))
			})
		},
		"a file changes": func(l *largeAgent, i int) {
			l.published(func() { l.write(fileOf(i), note(nameOf(i), memories.Project, "changed")) })
		},
		"a file goes": func(l *largeAgent, i int) { l.published(func() { l.remove(fileOf(i)) }) },
		"a session says another thing": func(l *largeAgent, i int) {
			l.published(func() {
				l.write(inSession(sessionA, fmt.Sprintf("%d.md", i)), note(nameOf(i), memories.User, "in a session"))
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := withLargeAgent(t)
			once := l.rowsReadBy(func() { change(l, 0) })
			const times = 40
			often := l.rowsReadBy(func() {
				for i := range times {
					change(l, i+1)
				}
			})
			if each := (often - once) / (times - 1); each > manyFiles/2 {
				t.Errorf("each takes %d rows of the tables of an agent with %d memories", each, manyFiles)
			}
		})
	}
}

const manyFiles = 600

func nameOf(i int) string { return fmt.Sprintf("Note %d", i) }

func fileOf(i int) string { return fmt.Sprintf("ada/memory/%d.md", i) }

// largeAgent is a bench with an agent of manyFiles memories.
type largeAgent struct {
	*bench
	ids    []string // by the number of the memory
	events *events.Subscription
}

func withLargeAgent(t *testing.T) *largeAgent {
	t.Helper()
	l := &largeAgent{bench: setup(t, func(dir string) {
		for i := range manyFiles {
			(&bench{T: t, dir: dir}).write(fileOf(i), note(nameOf(i), memories.User, fmt.Sprintf("The %d. thing", i)))
		}
	})}
	l.restart() // the second start notes what the first has read too soon after it had been written
	l.query("SELECT array_agg(id::text ORDER BY split_part(name, ' ', 2)::integer) FROM memories", &l.ids)
	return l
}

// rowsReadBy starts the server, stops it again once the change is made, and returns the rows read
// meanwhile.
func (l *largeAgent) rowsReadBy(change func()) int {
	l.Helper()
	before := l.rowsRead()
	l.start()
	l.events = l.engine.Hub().Subscribe()
	change()
	l.events.Close()
	return l.rowsRead() - before
}

// rowsRead stops the server, and returns the rows read so far.
func (l *largeAgent) rowsRead() int {
	l.Helper()
	l.stop()
	conn, err := pgx.Connect(l.Context(), l.url)
	if err != nil {
		l.Fatal(err)
	}
	defer conn.Close(l.Context()) //nolint:errcheck // the database goes with the test
	return pgtest.RowsRead(l, conn)
}

// published makes a change on disk and waits until CLAUDE.md says so.
func (l *largeAgent) published(change func()) {
	l.Helper()
	change()
	late := time.After(waittest.Patience())
	for {
		select {
		case event := <-l.events.Events:
			if event.Kind == events.Published {
				return
			}
		case <-late:
			l.Fatal("CLAUDE.md does not follow")
		}
	}
}

func (l *largeAgent) must(_ engine.Result, err error) {
	l.Helper()
	if err != nil {
		l.Fatal(err)
	}
}

package sync_test

import (
	"sync/atomic"
	"testing"
	"time"

	"memoir/internal/memories"
	"memoir/internal/postgres/pgtest"
	"memoir/internal/postgres/pgtest/linetest"
	"memoir/internal/sync"
)

// What a server tells the others is no part of an operation, and comes at its own time: its steps fail here.
func TestNoFaultKeepsOtherServersFromLearningWhatHappened(t *testing.T) {
	t.Parallel()
	for name, fate := range map[string]linetest.Fate{"before it is told": linetest.NotSent, "after it was told": linetest.Unanswered} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var armed atomic.Bool
			url := pgtest.New(t)
			line := linetest.New(t, url, func(request string) linetest.Fate {
				if request == "Tell" && armed.CompareAndSwap(true, false) {
					return fate
				}
				return linetest.Answered
			})
			a := &bench{T: t, dir: t.TempDir(), url: line.URL}
			a.options = optionsFor(a.dir)
			a.write("ada/memory/tabs.md", note("Tabs", memories.Feedback, "Use tabs."))
			a.start()
			other := &bench{T: t, dir: t.TempDir(), url: url}
			other.options = optionsFor(other.dir)
			other.start()
			a.until("all that is told of the start", func() bool { return a.statusOf("ada").Pending == 0 })

			events := other.engine.Hub().Subscribe()
			defer events.Close()
			armed.Store(true)
			if _, err := a.engine.Save(t.Context(), "ada", sync.Draft{Name: "Spaces", Type: memories.Feedback, Body: "Use spaces."}); err != nil {
				t.Fatalf("a save failed because the others could not be told: %v", err)
			}
			a.until("the fault", func() bool { return !armed.Load() })
			late := time.After(patience)
			for {
				select {
				case event := <-events.Events:
					if event.Agent == "ada" {
						return
					}
				case <-late:
					t.Fatal("the other server was never told that something has happened to the agent")
				}
			}
		})
	}
}

package sync_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"memoir/internal/memories"
	"memoir/internal/postgres"
)

// Who asks for nothing is looked at one agent after the other, and one of them may never come to an end.
func TestAnAgentThatHangsKeepsNoOtherFromBeingScanned(t *testing.T) {
	t.Parallel()
	b := setup(t)
	others := []string{"bob", "cleo", "dan", "eve", "fay", "gus"}
	for _, slug := range append(others, "ada") {
		b.write(slug+"/memory/a.md", note("Known", memories.User, "text"))
	}
	b.scanAll()
	b.stop()
	b.options.Debounce, b.options.Rescan = 1e15, 50*time.Millisecond // no event brings anything
	b.start()

	ada, err := b.store.Agent(t.Context(), "ada")
	if err != nil {
		t.Fatal(err)
	}
	release, held := make(chan struct{}), make(chan struct{})
	holding := make(chan error, 1)
	go func() {
		holding <- b.store.WithAgent(context.Background(), ada.ID, func(*postgres.Writer) error {
			close(held)
			<-release
			return nil
		})
	}()
	<-held
	t.Cleanup(func() {
		close(release)
		if err := <-holding; err != nil {
			t.Error(err)
		}
	})
	for _, slug := range others {
		b.write(slug+"/memory/new.md", note("New", memories.User, "text"))
	}
	for _, slug := range others {
		b.until(fmt.Sprintf("what is new of %s", slug), func() bool { return len(b.list(slug, "")) == 2 })
	}
}

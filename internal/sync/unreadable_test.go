package sync_test

import (
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"memoir/internal/memories"
	"memoir/internal/waittest"
)

// What keeps a file from being read may pass without a trace on the file: a directory above it that
// was closed, a disk that failed.
func TestUnreadable_ReadAgain(t *testing.T) {
	t.Parallel()
	b := withAda(t)
	b.stop()
	b.options.Debounce = time.Hour
	b.start()
	const notes = 100
	for i := range notes {
		b.write(fmt.Sprintf("ada/memory/sub/%02d.md", i), note(fmt.Sprintf("Note %02d", i), memories.Feedback, "Use tabs."))
	}
	written := time.Now()
	waittest.For(b, "time stamps to be old enough to be relied on", func() bool { return time.Since(written) > 2500*time.Millisecond })

	dir, aside := b.path("ada/memory/sub"), b.path("ada/.aside")
	b.scan("ada")
	for range 10 {
		b.must(os.Rename(dir, aside))
		b.scan("ada")
		b.must(os.Rename(aside, dir)) // all of it is to be read again, and its time stamps are old
		b.whileScanning("ada", func() error {
			return errors.Join(os.Rename(dir, aside), os.Symlink("sub", dir), os.Remove(dir), os.Rename(aside, dir))
		})
		b.scan("ada")
		if living := len(b.list("ada", memories.Active)); living != notes {
			t.Errorf("%d of %d memories live after the directory is open again", living, notes)
		}
		for name, m := range b.list("ada", memories.NeedsAttention) {
			t.Fatalf("%s needs attention: %v", name, m.Problems)
		}
	}
}

// whileScanning does something again and again while the agent is scanned.
func (b *bench) whileScanning(slug string, do func() error) {
	b.Helper()
	scanned := make(chan error)
	go func() {
		_, err := b.engine.Scan(b.Context(), slug)
		scanned <- err
	}()
	for {
		select {
		case err := <-scanned:
			b.must(err)
			return
		default:
			b.must(do())
		}
	}
}

package sync_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"memoir/internal/memories"
	engine "memoir/internal/sync"
	"memoir/internal/sync/events"
	"memoir/internal/waittest"
)

func TestScan_EmptyFiles(t *testing.T) {
	t.Parallel()
	for name, scan := range map[string]func(*bench) (engine.ScanResult, error){
		"of one agent": func(b *bench) (engine.ScanResult, error) { return b.engine.Scan(b.Context(), "ada") },
		"of all":       func(b *bench) (engine.ScanResult, error) { return b.engine.ScanAll(b.Context()) },
	} {
		for watching, prepare := range map[string]func(*bench){
			"by itself":     func(b *bench) { b.stopWatching() },
			"while watched": func(*bench) {},
		} {
			t.Run(name+" "+watching, func(t *testing.T) {
				t.Parallel()
				b := setup(t)
				prepare(b)
				b.write("ada/memory/known.md", note("Known", memories.Project, "text"))
				b.scanAll()
				b.write("ada/memory/new.md", "")
				if err := os.Truncate(b.path("ada/memory/known.md"), 0); err != nil {
					t.Fatal(err)
				}
				found, err := scan(b)
				if err != nil {
					t.Fatal(err)
				}
				b.isIn("ada", "new", memories.NeedsAttention)
				if b.lastGood("ada", "Known") == "" {
					t.Error("the emptied file is not flagged")
				}
				// With events, the watcher may have scanned the files before.
				if watching == "by itself" && (found.Added != 1 || found.Removed != 0) || found.NeedsAttention != 1 || found.Scanned != 2 {
					t.Errorf("the scan answers %+v", found)
				}
			})
		}
	}
}

func TestScanAll_UnchangedSendsNoEvent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.stopWatching()
	b.write("ada/memory/known.md", note("Known", memories.Project, "text"))
	b.scanAll()
	hear := b.engine.Hub().Subscribe()
	defer hear.Close()
	scanned := func() (n int) { // a scan sends its events before it ends
		b.scanAll()
		for len(hear.Events) > 0 {
			if event := <-hear.Events; event.Kind == events.Scanned {
				n++
			}
		}
		return n
	}
	if n := scanned(); n != 0 {
		t.Errorf("a scan without a change sends %d events", n)
	}
	b.write("ada/memory/known.md", note("Known", memories.Project, "new text"))
	if n := scanned(); n != 1 {
		t.Errorf("a scan with a change sends %d events, want 1", n)
	}
}

func TestStopScans_SavesContinue(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("ada/memory/known.md", note("Known", memories.Project, "text"))
	b.scanAll()
	b.engine.StopScans()
	if _, err := b.engine.Scan(t.Context(), "ada"); !errors.Is(err, memories.ErrStopping) {
		t.Errorf("a scan of one agent ends with %v", err)
	}
	if _, err := b.engine.ScanAll(t.Context()); !errors.Is(err, memories.ErrStopping) {
		t.Errorf("a scan of all ends with %v", err)
	}
	b.delete("ada", "Known")
	if _, err := b.engine.Save(t.Context(), "ada", engine.Draft{Name: "New", Type: memories.User, Body: "text"}); err != nil {
		t.Error(err)
	}
	b.isIn("ada", "New", memories.Active)
}

func TestScan_CancelledEmptyFile(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("ada/memory/known.md", note("Known", memories.Project, "text"))
	b.scanAll()
	b.write("ada/memory/new.md", "")
	ctx, giveUp := context.WithTimeout(t.Context(), 100*time.Millisecond) // at any moment of the scan
	defer giveUp()
	b.engine.Scan(ctx, "ada") //nolint:errcheck // it may have been done already
	waittest.For(b, "the file to be listed", func() bool { _, listed := b.list("ada", memories.NeedsAttention)["new"]; return listed })
}

func TestStatus_CountAfterPartialScan(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for i := range 300 {
		b.write(fmt.Sprintf("ada/memory/%d.md", i), note(fmt.Sprint("Old ", i), memories.User, "text"))
	}
	b.write(inSession(sessionA, "s.md"), note("Said", memories.User, "text"))
	b.scanAll()
	written := time.Now()
	waittest.For(b, "time stamps to be old enough to be relied on", func() bool { return time.Since(written) > 2500*time.Millisecond })
	b.stop()
	b.options.Debounce = 500 * time.Millisecond
	b.start()
	b.scanAll()
	says := func(body string) {
		b.write(inSession(sessionA, "s.md"), note("Said", memories.User, body))
		waittest.For(b, "it", func() bool { return b.body("ada", "Said") == body })
		waittest.For(b, "all to be looked at", func() bool { return b.status().Pending == 0 })
	}
	says("one") // which is not signed yet, and neither is this
	b.write("ada/memory/0.md", note("Old 0", memories.User, "text 2"))
	waittest.For(b, "it", func() bool { return b.body("ada", "Old 0") == "text 2" })
	b.must(os.Chmod(b.path("ada/memory"), 0o750)) // causes a scan of only that directory
	b.write("ada/memory/1.md", note("Old 1", memories.User, "text 2"))
	waittest.For(b, "it", func() bool { return b.body("ada", "Old 1") == "text 2" })
	waittest.For(b, "all to be looked at", func() bool { return b.status().Pending == 0 })
	says("two")
	if s := b.status(); s.FilesOnDisk != 301 || s.Mirrored != 301 {
		t.Errorf("of 301 files %d are on disk, %d mirrored", s.FilesOnDisk, s.Mirrored)
	}
}

func (b *bench) body(slug, name string) string {
	m, err := b.store.Memory(b.Context(), b.agent(slug), b.memory(slug, name).ID)
	if err != nil {
		b.Fatal(err)
	}
	return strings.TrimSpace(m.Body)
}

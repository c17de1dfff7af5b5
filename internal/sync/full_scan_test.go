package sync_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/postgres"
	"memoir/internal/waittest"
)

// hold keeps an agent from everybody else until it is released, as another server does that has
// come to a standstill.
func (b *bench) hold(slug string) (release func()) {
	b.Helper()
	store, err := postgres.Open(b.Context(), b.url)
	if err != nil {
		b.Fatal(err)
	}
	agent, err := store.Agent(b.Context(), slug)
	if err != nil {
		b.Fatal(err)
	}
	released, held, over := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		over <- store.WithAgent(context.Background(), agent.ID, func(*postgres.Writer) error {
			close(held)
			<-released
			return nil
		})
	}()
	release = sync.OnceFunc(func() {
		close(released)
		if err := <-over; err != nil {
			b.Error(err)
		}
		store.Close()
	})
	b.Cleanup(release)
	<-held
	return release
}

// The scan of one agent, or of more agents than are scanned at once, may never end. Repeated scans
// and other agents must not wait for it.
func TestFullScan_HangingAgents(t *testing.T) {
	t.Parallel()
	b := setup(t)
	hanging, others := []string{"ada", "hal", "ivy"}, []string{"bob", "cleo", "dan", "eve"}
	for _, slug := range slices.Concat(hanging, others) {
		b.write(slug+"/memory/a.md", note("Known", memories.User, "text"))
	}
	b.scanAll()
	b.stop()
	// No events.
	b.options.Debounce, b.options.Rescan, b.options.Overdue = 1e15, 20*time.Millisecond, 200*time.Millisecond
	b.start()

	var releases []func()
	for _, slug := range hanging {
		releases = append(releases, b.hold(slug))
	}
	for _, slug := range slices.Concat(hanging, others) {
		b.write(slug+"/memory/new.md", note("New", memories.User, "text"))
	}
	for _, slug := range others {
		waittest.For(b, fmt.Sprintf("what is new of %s", slug), func() bool { return len(b.list(slug, "")) == 2 })
	}
	// A round that has begun since is over again.
	for _, slug := range others {
		b.write(slug+"/memory/newer.md", note("Newer", memories.User, "text"))
	}
	b.write("zoe/memory/a.md", note("Zoe's", memories.User, "text"))
	for _, slug := range others {
		waittest.For(b, fmt.Sprintf("what is newer of %s", slug), func() bool { return len(b.list(slug, "")) == 3 })
	}
	waittest.For(b, "an agent that is new", func() bool { return b.statusOf("zoe").Mirrored == 1 })
	for _, slug := range hanging {
		waittest.For(b, "that the sync page says which are left out", func() bool { return strings.Contains(b.statusOf(slug).ScanProblem, "The scan has been running for") })
	}
	for _, slug := range others {
		waittest.For(b, "that it says so of these only", func() bool { return b.statusOf(slug).ScanProblem == "" })
	}

	for _, release := range releases {
		release()
	}
	for _, slug := range hanging {
		waittest.For(b, fmt.Sprintf("what is new of %s", slug), func() bool { return len(b.list(slug, "")) == 2 && b.statusOf(slug).ScanProblem == "" })
	}
}

// troubledDisk calls a function before each write below a directory.
type troubledDisk struct {
	brokenDisk
	below  string
	before func()
}

func (d troubledDisk) Write(root *os.Root, path string, data []byte, options files.Options) error {
	if root.Name() == d.below {
		d.before()
	}
	return d.brokenDisk.Write(root, path, data, options)
}

// panickyDisk panics at each write below a directory, until mended is set.
func panickyDisk(below string, mended *atomic.Bool) troubledDisk {
	return troubledDisk{brokenDisk{&breaker{}}, below, func() {
		if !mended.Load() {
			panic("a fault")
		}
	}}
}

// hangingDisk blocks each write below a directory until goOn is closed.
func hangingDisk(below string, goOn <-chan struct{}) troubledDisk {
	return troubledDisk{brokenDisk{&breaker{}}, below, func() { <-goOn }}
}

// What Memoir has wrong about one agent's files keeps no other agent from being mirrored, not at
// the start either, and is no secret.
func TestPanic_OtherAgentsServed(t *testing.T) {
	t.Parallel()
	var mended atomic.Bool
	b := setup(t)
	b.stop()
	b.options.Disk = panickyDisk(b.path("ada"), &mended)
	b.options.Rescan = 50 * time.Millisecond
	for _, slug := range []string{"ada", "bob", "cleo"} {
		b.write(slug+"/memory/a.md", note("Known", memories.User, "text"))
	}
	b.start()

	for _, slug := range []string{"bob", "cleo"} {
		waittest.For(b, "CLAUDE.md of "+slug, func() bool { return strings.Contains(b.read(slug+"/CLAUDE.md"), "Known") })
	}
	waittest.For(b, "what is wrong with ada", func() bool {
		return strings.Contains(b.statusOf("ada").ScanProblem, "internal error, see the server's log")
	})
	if _, err := b.engine.Scan(t.Context(), "ada"); err == nil || b.statusOf("bob").ScanProblem != "" {
		t.Errorf("a scan of ada said %v, the problem of bob is %q", err, b.statusOf("bob").ScanProblem)
	}
	b.write("bob/memory/new.md", note("New", memories.User, "text"))
	waittest.For(b, "what is new of bob", func() bool { return len(b.list("bob", "")) == 2 })

	mended.Store(true)
	waittest.For(b, "CLAUDE.md of ada", func() bool { return strings.Contains(b.read("ada/CLAUDE.md"), "Known") })
	waittest.For(b, "that nothing is wrong with ada", func() bool { return b.statusOf("ada").ScanProblem == "" })
}

// Whoever asks for a scan of all agents gets all that can be scanned, and is told of the others.
func TestScanAll_FailingAgent(t *testing.T) {
	t.Parallel()
	var mended atomic.Bool
	b := setup(t)
	slugs := []string{"ada", "bob", "cleo", "dan", "eve", "fay"}
	for _, slug := range slugs {
		b.write(slug+"/memory/a.md", note("Known", memories.User, "text"))
	}
	b.scanAll()
	b.stop()
	b.options.Disk = panickyDisk(b.path("ada"), &mended)
	b.options.Debounce = 1e15 // no events
	b.start()
	for _, slug := range slugs {
		b.write(slug+"/memory/new.md", note("New", memories.User, "text"))
	}

	if _, err := b.engine.ScanAll(t.Context()); err == nil || !strings.Contains(err.Error(), "ada") {
		t.Errorf("a scan of all, of which one has a fault, said: %v", err)
	}
	for _, slug := range slugs[1:] {
		if list := b.list(slug, ""); len(list) != 2 {
			t.Errorf("%d memories of %s are mirrored, of 2", len(list), slug)
		}
	}
	mended.Store(true)
	if _, err := b.engine.ScanAll(t.Context()); err != nil || len(b.list("ada", "")) != 2 {
		t.Errorf("once that is mended, ada has %d memories of 2: %v", len(b.list("ada", "")), err)
	}
}

// A directory that hangs must not delay the answer to a request to scan all agents.
func TestScanAll_HangingAgent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, slug := range []string{"ada", "bob"} {
		b.write(slug+"/memory/a.md", note("Known", memories.User, "text"))
	}
	b.scanAll()
	b.stop()
	b.options.Debounce, b.options.Overdue = 1e15, time.Second // no events; only ada's scan is overdue
	b.options.Rescan = 20 * time.Millisecond
	b.start()
	release := b.hold("ada")
	waittest.For(b, "that ada is known to hang", func() bool { return b.statusOf("ada").ScanProblem != "" })

	_, err := b.engine.ScanAll(t.Context())
	var conflict *memories.ConflictError
	if !errors.As(err, &conflict) || !strings.Contains(conflict.Reason, "ada") || strings.Contains(conflict.Reason, "bob") {
		t.Errorf("a scan of all while one hangs said: %v", err)
	}
	release()
	waittest.For(b, "that ada hangs no more", func() bool { return b.statusOf("ada").ScanProblem == "" })
	waittest.For(b, "that all are scanned again", func() bool {
		_, err := b.engine.ScanAll(t.Context())
		return err == nil
	})
}

func TestScanQueue_HangingAgent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	hanging := []string{"ada", "hal", "ivy", "jon"}
	for _, slug := range append(hanging, "bob") {
		b.write(slug+"/memory/a.md", note("Known", memories.User, "text"))
	}
	b.scanAll()
	b.stop()
	b.options.Overdue = 500 * time.Millisecond
	b.start()
	for _, slug := range hanging {
		b.hold(slug)
	}
	for _, slug := range hanging {
		b.write(slug+"/memory/new.md", note("New", memories.User, "text"))
	}
	waittest.For(b, "those that hang to be looked at", func() bool { return b.status().Pending >= len(hanging) })
	b.write("bob/memory/new.md", note("New", memories.User, "text"))
	b.write("zoe/memory/a.md", note("Zoe's", memories.User, "text"))
	waittest.For(b, "the others", func() bool { return len(b.list("bob", "")) == 2 && len(b.list("zoe", "")) == 1 })
}

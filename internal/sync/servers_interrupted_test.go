package sync_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"memoir/internal/agents"
	"memoir/internal/files"
	"memoir/internal/memories"
	"memoir/internal/postgres/pgtest"
	"memoir/internal/postgres/pgtest/linetest"
	engine "memoir/internal/sync"
	"memoir/internal/waittest"
)

// stuckDisk is one on which, once it is armed, the next writing of CLAUDE.md takes until it is
// freed.
type stuckDisk struct {
	brokenDisk
	arm   chan struct{} // has one in it while armed
	stuck chan struct{} // closes when it is stuck
	free  chan struct{}
}

func (d *stuckDisk) Write(root *os.Root, name string, data []byte, options files.Options) error {
	if name == "CLAUDE.md" {
		select {
		case <-d.arm:
			close(d.stuck)
			<-d.free
		default:
		}
	}
	return d.brokenDisk.Write(root, name, data, options)
}

// asked returns the request that waits for its answer; the zero one: none does.
func (b *bench) asked() (id uuid.UUID) {
	b.Helper()
	conn, err := pgx.Connect(b.Context(), b.url)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close(context.Background()) //nolint:errcheck // the database goes with the test
	if err := conn.QueryRow(b.Context(), "SELECT coalesce((SELECT id FROM server_requests), '00000000-0000-0000-0000-000000000000')").Scan(&id); err != nil {
		b.Fatal(err)
	}
	return id
}

func TestDelete_HolderLosesLease(t *testing.T) {
	t.Parallel()
	a := setup(t)
	a.stop()
	disk := &stuckDisk{brokenDisk: brokenDisk{&breaker{}}, arm: make(chan struct{}, 1), stuck: make(chan struct{}), free: make(chan struct{})}
	release := sync.OnceFunc(func() { close(disk.free) })
	t.Cleanup(release)
	a.options.Disk = disk
	a.write("ada/memory/tabs.md", note("Tabs", memories.Feedback, "Use tabs."))
	a.start()
	tabs := a.memory("ada", "Tabs")
	other := a.another(t.TempDir())

	disk.arm <- struct{}{}
	type outcome struct {
		result engine.Result
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		result, err := other.engine.Delete(t.Context(), "ada", tabs.ID, engine.ETag(tabs))
		done <- outcome{result, err}
	}()
	<-disk.stuck // the deletion is committed, and not in CLAUDE.md yet
	a.cutLinks()
	if o := <-done; !errors.Is(o.err, memories.ErrInterrupted) || !errors.Is(o.err, memories.ErrUnavailable) {
		t.Errorf("Delete() error = %v, want ErrInterrupted", o.err)
	}
	release()
	waittest.For(a, "the deletion in CLAUDE.md", func() bool { return !strings.Contains(a.read("ada/CLAUDE.md"), "Tabs") })
	a.isIn("ada", "Tabs", memories.Deleted)
	if other.asked() != uuid.Nil {
		t.Error("a request is left behind")
	}
	for _, gap := range pgtest.JournalGaps(t.Context(), a.url) {
		t.Error(gap)
	}
}

func TestDeleteMany_DatabaseLost(t *testing.T) {
	t.Parallel()
	var cut atomic.Bool
	a := setup(t)
	a.stop()
	straight := a.url
	a.url = linetest.New(t, straight, func(request string) linetest.Fate {
		if strings.Contains(request, "MarkDeleted") && cut.Load() {
			return linetest.Unanswered
		}
		return linetest.Answered
	}).URL
	a.write("ada/memory/tabs.md", note("Tabs", memories.Feedback, "Use tabs."))
	a.write("ada/memory/other.md", note("Other", memories.Feedback, "Stays."))
	a.start()
	other := &bench{T: t, dir: t.TempDir(), url: straight, options: a.options}
	other.options.Places = agents.Settings{AgentsDir: other.dir}
	other.start()
	cut.Store(true)
	for name, b := range map[string]*bench{"Tabs": a, "Other": other} {
		errs := b.engine.DeleteMany(t.Context(), "ada", []engine.MemoryRef{{ID: other.memory("ada", name).ID}})
		if !errors.Is(errs[0], memories.ErrInterrupted) || !errors.Is(errs[0], memories.ErrUnavailable) {
			t.Errorf("the deletion of %s: %v", name, errs[0])
		}
	}
}

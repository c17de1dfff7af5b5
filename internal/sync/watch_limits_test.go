package sync_test

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/fsnotify/fsnotify"

	"memoir/internal/memories"
	"memoir/internal/postgres/pgtest/linetest"
	engine "memoir/internal/sync"
	"memoir/internal/sync/watch"
	"memoir/internal/waittest"
)

// system is the machine's own way of telling what changes, with limits that a test sets and reads.
type system struct {
	full    atomic.Bool  // no notifier is to be had
	asked   atomic.Int64 // how often one was asked for
	watches atomic.Int64 // how many directories may be watched
	events  chan fsnotify.Event
	stuck   sync.Mutex // while it is held, no event goes on
	watch.Notifier

	mu      sync.Mutex
	watched map[string]struct{}
}

// limited gives the engine a system of the test's own.
func limited(t *testing.T, limit func(*system)) (*bench, *system) {
	t.Helper()
	s := &system{watched: map[string]struct{}{}}
	s.watches.Store(1 << 20)
	limit(s)
	b := setup(t)
	b.stop()
	b.options.Notify = s.open
	b.start()
	return b, s
}

func (s *system) open() (watch.Notifier, error) {
	s.asked.Add(1)
	if s.full.Load() {
		return nil, fmt.Errorf("cannot be opened: %w", syscall.EMFILE)
	}
	notifier, err := fsnotify.NewWatcher() // unbuffered: unread events stay in the kernel
	if err != nil {
		return nil, err
	}
	s.Notifier, s.events = fsCause{notifier}, make(chan fsnotify.Event)
	events := s.events
	go func() {
		defer close(events)
		for event := range notifier.Events {
			s.stuck.Lock()
			events <- event
			s.stuck.Unlock()
		}
	}()
	return s, nil
}

type fsCause struct{ *fsnotify.Watcher }

func (p fsCause) Events() <-chan fsnotify.Event { return p.Watcher.Events }
func (p fsCause) Errors() <-chan error          { return p.Watcher.Errors }

func (s *system) Events() <-chan fsnotify.Event { return s.events }

func (s *system) Add(dir string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, again := s.watched[dir]; !again && len(s.watched) >= int(s.watches.Load()) {
		return syscall.ENOSPC
	}
	err := s.Notifier.Add(dir)
	if err == nil {
		s.watched[dir] = struct{}{}
	}
	return err
}

func (s *system) Remove(dir string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.watched, dir)
	return s.Notifier.Remove(dir)
}

func (s *system) inUse() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.watched)
}

func (b *bench) status() engine.Status {
	b.Helper()
	status, err := b.engine.Status(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	return status
}

func (b *bench) polls(because string) {
	b.Helper()
	if s := b.status(); s.WatchMode != watch.PollMode || !strings.Contains(s.WatchNote, because) {
		b.Errorf("the mode is %s (%s), and not poll because of %q", s.WatchMode, s.WatchNote, because)
	}
}

func (b *bench) watchesAgain() {
	b.Helper()
	waittest.For(b, "everything to be watched", func() bool { s := b.status(); return s.WatchMode == watch.EventMode && s.WatchNote == "" })
}

func TestWatch_NoWatchesLeft(t *testing.T) {
	t.Parallel()
	b, s := limited(t, func(s *system) { s.watches.Store(4) })
	everySessionArrives := func(body string) {
		t.Helper()
		for i := range 5 {
			b.write(fmt.Sprintf("ada/sessions/U%d-C-1712345678.0001/memory/a.md", i), note(fmt.Sprint("Session ", i), memories.User, body))
		}
		for i := range 5 {
			b.arrives("ada", fmt.Sprint("Session ", i), body)
		}
	}
	everySessionArrives("one")
	b.polls("fs.inotify.max_user_watches")
	everySessionArrives("two")
	b.write("bob/memory/a.md", note("Tabs", memories.User, "somebody new"))
	b.arrives("bob", "Tabs", "somebody new")

	s.watches.Store(1000)
	b.watchesAgain()
	everySessionArrives("three")

	s.watches.Store(int64(s.inUse()))
	b.write("carl/memory/a.md", note("Tabs", memories.User, "one too many"))
	b.arrives("carl", "Tabs", "one too many")
	b.polls("fs.inotify.max_user_watches")
	b.removeBusy("ada/sessions") // gives back what the others lack
	b.watchesAgain()
	b.write("carl/memory/a.md", note("Tabs", memories.User, "told of"))
	b.arrives("carl", "Tabs", "told of")
}

func TestWatch_NoEventsAtStart(t *testing.T) {
	t.Parallel()
	b, s := limited(t, func(s *system) { s.full.Store(true) })
	b.polls("fs.inotify.max_user_instances")
	for i := range 3 {
		body := fmt.Sprint("version ", i)
		b.write("ada/memory/a.md", note("Tabs", memories.User, body))
		b.write("ada/sessions/"+sessionA+"/memory/s.md", note("Session", memories.User, body))
		b.arrives("ada", "Tabs", body)
		b.arrives("ada", "Session", body)
	}
	s.full.Store(false)
	b.watchesAgain()
	b.write("ada/sessions/"+sessionB+"/memory/s.md", note("Session", memories.User, "by an event"))
	b.arrives("ada", "Session", "by an event")
}

func TestWatch_Released(t *testing.T) {
	t.Parallel()
	b, s := limited(t, func(*system) {})
	b.write("ada/memory/a.md", note("Tabs", memories.User, "one"))
	b.arrives("ada", "Tabs", "one")
	// Root, agent, memory.
	waittest.For(b, "the watches to settle", func() bool { return s.inUse() == 3 })
	for round := range 3 {
		for i := range 20 {
			b.write(fmt.Sprintf("ada/sessions/U%d-C-171234567%d.0001/memory/sub/a.md", i, round), note(fmt.Sprint("Session ", i), memories.User, fmt.Sprint(round)))
		}
		b.write("bob/memory/sub/a.md", note("Tabs", memories.User, fmt.Sprint(round)))
		b.arrives("ada", "Session 19", fmt.Sprint(round))
		b.arrives("bob", "Tabs", fmt.Sprint(round))
		waittest.For(b, "all of it to be watched", func() bool { return s.inUse() == 3+1+20*3+3 })
		if round == 1 {
			b.rename("ada/sessions", ".aside")
		} else {
			b.removeBusy("ada/sessions")
		}
		b.removeBusy("bob")
		waittest.For(b, "the watches to be given back", func() bool { return s.inUse() == 3 })
	}
}

// mostQueued is how many events the kernel keeps for a reader that does not come; its default where
// it does not tell.
func mostQueued() int {
	raw, _ := os.ReadFile("/proc/sys/fs/inotify/max_queued_events")
	n, err := strconv.Atoi(strings.TrimSpace(string(raw)))
	if err != nil {
		return 1 << 14
	}
	return n
}

func TestWatch_LostEvents(t *testing.T) {
	t.Parallel()
	b, s := limited(t, func(*system) {})
	for i := range 50 {
		b.write(fmt.Sprintf("ada/memory/%d.md", i), note(fmt.Sprint("Kept ", i), memories.User, "one"))
	}
	waittest.For(b, "the first memories", func() bool { return len(b.list("ada", "")) == 50 })
	s.stuck.Lock()
	// Twice what the kernel keeps for a reader that does not come: first of no matter, then what must
	// not be lost.
	for i := range 2 * mostQueued() {
		name := b.path("ada/memory/other")
		if i%2 == 1 {
			if err := os.Remove(name); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.WriteFile(name, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 50 {
		b.write(fmt.Sprintf("ada/memory/%d.md", i), note(fmt.Sprint("Kept ", i), memories.User, "two"))
	}
	b.write("ada/sessions/"+sessionA+"/memory/s.md", note("Session", memories.User, "new meanwhile"))
	b.write("bob/memory/a.md", note("Tabs", memories.User, "new meanwhile"))
	s.stuck.Unlock()
	for i := range 50 {
		b.arrives("ada", fmt.Sprint("Kept ", i), "two")
	}
	b.arrives("ada", "Session", "new meanwhile")
	b.arrives("bob", "Tabs", "new meanwhile")
	if b.status().Overflows == 0 {
		t.Error("the kernel has lost no event; the test shows nothing")
	}
	b.goesOn("bob", "bob/memory")
}

// nervous reports an event and an error whenever it is given something to watch, and goes on only
// when the error is read.
type nervous struct {
	fsCause
	events chan fsnotify.Event
	errors chan error
	mu     sync.Mutex
	closed bool // then it is given something to watch by who has not heard of that yet
}

func (n *nervous) Events() <-chan fsnotify.Event { return n.events }
func (n *nervous) Errors() <-chan error          { return n.errors }

func (n *nervous) Add(dir string) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		return fsnotify.ErrClosed
	}
	n.events <- fsnotify.Event{Name: dir + "/a.md", Op: fsnotify.Write}
	n.errors <- errors.New("nervous")
	return n.fsCause.Add(dir)
}

func (n *nervous) Close() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.closed = true
	close(n.events)
	close(n.errors)
	return nil
}

func TestWatch_Error(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write("ada/memory/a.md", note("Tabs", memories.User, "one"))
	b.stop()
	b.options.Notify = func() (watch.Notifier, error) {
		w, err := fsnotify.NewWatcher()
		if err != nil {
			return nil, err
		}
		t.Cleanup(func() { w.Close() }) //nolint:errcheck // no longer needed
		return &nervous{fsCause: fsCause{w}, events: make(chan fsnotify.Event, 1<<14), errors: make(chan error)}, nil
	}
	b.start()
	b.arrives("ada", "Tabs", "one")
}

func TestPoll_FindsChanges(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.stop()
	b.options.Poll = true
	b.start()
	b.polls("--watch=poll")
	b.write("ada/memory/a.md", note("Tabs", memories.User, "one"))
	b.write("ada/sessions/"+sessionA+"/memory/s.md", note("Session", memories.User, "one"))
	b.arrives("ada", "Tabs", "one")
	b.arrives("ada", "Session", "one")
	b.goesOn("ada", "ada/memory")
	b.write("ada/CLAUDE.md", "# By hand\n")
	waittest.For(b, "CLAUDE.md to have its block again", func() bool { return strings.Contains(b.read("ada/CLAUDE.md"), "### Tabs") })
	b.remove("ada/memory/a.md")
	waittest.For(b, "the memory to be in the trash", func() bool { return len(b.list("ada", memories.Deleted)) == 1 })
	b.rename("ada", "bob")
	b.goes("ada")
	b.arrives("bob", "Session", "one")
}

func TestPoll_NoQueriesWithoutChanges(t *testing.T) {
	t.Parallel()
	b, s := limited(t, func(s *system) { s.full.Store(true) })
	for i := range 100 {
		b.write(fmt.Sprintf("ada/memory/%d.md", i), note(fmt.Sprint(i), memories.User, "one"))
	}
	waittest.For(b, "everything to be there", func() bool { return len(b.list("ada", "")) == 100 })
	b.stop()
	var requests atomic.Int64
	direct := b.url
	b.url = linetest.New(t, direct, func(string) linetest.Fate { requests.Add(1); return linetest.Answered }).URL
	b.start()
	t.Cleanup(func() { b.url = direct })
	polls := func(n int64) {
		until := s.asked.Load() + n // each begins with asking for a notifier once more
		waittest.For(b, "some more polls", func() bool { return s.asked.Load() >= until })
	}
	polls(4) // files changed in the last two seconds are scanned again
	before := requests.Load()
	polls(3)
	if asked := requests.Load() - before; asked > 0 {
		t.Errorf("three polls of what had not changed asked the database %d times", asked)
	}
}

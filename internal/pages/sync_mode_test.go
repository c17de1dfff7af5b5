package pages_test

import (
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"memoir/internal/memoirtest"
	engine "memoir/internal/sync"
	"memoir/internal/sync/watch"
	"memoir/internal/waittest"
)

// fewWatches is the system's notifier with watches for the agents' directories only, until enough
// is set.
type fewWatches struct {
	watch.Notifier
	enough *atomic.Bool
}

func (n fewWatches) Add(dir string) error {
	if !n.enough.Load() && filepath.Base(dir) == "memory" {
		return syscall.ENOSPC
	}
	return n.Notifier.Add(dir)
}

func TestSync_ShowsWatchMode(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change    func(*engine.Options)
		mode, why string
	}{
		"as usual": {func(*engine.Options) {}, "events", "reported by the system"},
		"--watch=poll": {func(o *engine.Options) { o.Poll = true },
			"polling", "set by --watch=poll; Memoir checks every 1s instead"},
		"no notifier": {func(o *engine.Options) {
			o.Notify = func() (watch.Notifier, error) { return nil, syscall.EMFILE }
		}, "polling", "no further file watcher is allowed (too many open files); raise fs.inotify.max_user_instances"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serveMemoir(t, memoirtest.StartWith(t, twoMemories(), c.change), setting{})
			if mode, why := s.watching(t); mode != c.mode || !strings.HasPrefix(why, c.why) {
				t.Errorf("the page says %q, %q, and not %q, %q", mode, why, c.mode, c.why)
			}
		})
	}
}

func TestSync_MissingWatches(t *testing.T) {
	t.Parallel()
	var enough atomic.Bool
	m := memoirtest.StartWith(t, twoMemories(), func(o *engine.Options) {
		o.Notify = func() (watch.Notifier, error) {
			n, err := watch.OpenNotifier()
			return fewWatches{n, &enough}, err
		}
	})
	s := serveMemoir(t, m, setting{})
	if mode, why := s.watching(t); mode != "polling" || !strings.HasPrefix(why, "only 2 of ") || !strings.Contains(why, "directories can be watched (no space left on device); raise fs.inotify.max_user_watches") {
		t.Errorf("without watches the page says %q, %q", mode, why)
	}
	enough.Store(true)
	waittest.For(m, "the page to say that everything is watched", func() bool {
		mode, why := s.watching(t)
		return mode == "events" && why == "reported by the system"
	})
}

// watching returns the watch mode on the sync page and its reason.
func (s *site) watching(t *testing.T) (mode, why string) {
	t.Helper()
	fact := s.get(t, "/sync").Find("dt:contains('Watching by') + dd")
	return fact.Find("strong").Text(), fact.Find("span").Text()
}

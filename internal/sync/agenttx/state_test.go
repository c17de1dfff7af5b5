package agenttx

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"memoir/internal/sync/watch"
)

// scanned is one scan for fileCounter.Update.
type scanned struct {
	paths         []string
	files, before int
	unseen        []string
}

func TestFileCounter(t *testing.T) {
	t.Parallel()
	full := func(files int) scanned { return scanned{paths: []string{"."}, files: files} }
	at := func(path string, files, before int, unseen ...string) scanned {
		return scanned{[]string{path}, files, before, unseen}
	}
	for _, tt := range []struct {
		name    string
		scans   []scanned
		removed string // by Memoir, after the scans
		after   []scanned
		want    int64
	}{
		{name: "full scan", scans: []scanned{full(3)}, want: 3},
		{name: "full scan replaces count", scans: []scanned{full(3), full(5)}, want: 5},
		{name: "new file", scans: []scanned{full(3), at("memory/new.md", 1, 0)}, want: 4},
		{name: "changed file", scans: []scanned{full(3), at("memory/a.md", 1, 1)}, want: 3},
		{name: "removed on disk", scans: []scanned{full(3), at("memory/a.md", 0, 1)}, want: 2},
		{name: "directory", scans: []scanned{full(3), at("memory/sub", 4, 2)}, want: 5},
		{name: "removed by Memoir", scans: []scanned{full(3)}, removed: "memory/a.md", after: []scanned{at("memory/a.md", 0, 0)}, want: 2},
		{name: "unseen file", scans: []scanned{full(3), at("memory", 0, 3, "memory/a.md", "memory/b.md", "memory/c.md")}, want: 0},
		{
			name:  "unseen file is back",
			scans: []scanned{full(2), at("memory", 0, 2, "memory/a.md", "memory/b.md"), at("memory/a.md", 1, 1)}, want: 1,
		},
		{
			name:  "still unseen",
			scans: []scanned{full(1), at("memory", 0, 1, "memory/a.md"), at("memory", 0, 1, "memory/a.md")}, want: 0,
		},
		{
			name:  "unseen elsewhere",
			scans: []scanned{full(2), at("memory/a.md", 0, 1, "memory/a.md"), at("memory/b.md", 1, 1)}, want: 1,
		},
		{
			name:  "unseen file removed by Memoir",
			scans: []scanned{full(1), at("memory", 0, 1, "memory/a.md")}, removed: "memory/a.md", want: 0,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var c fileCounter
			for _, s := range tt.scans {
				c.Update(s.paths, s.files, s.before, s.unseen)
			}
			if tt.removed != "" {
				c.Removed(tt.removed)
			}
			for _, s := range tt.after {
				c.Update(s.paths, s.files, s.before, s.unseen)
			}
			if got := c.Files.Load(); got != tt.want {
				t.Errorf("Files = %d, want %d", got, tt.want)
			}
		})
	}
}

func TestState_Begin(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name          string
		before, after uint64
		isKept        bool
	}{
		{"same term", 3, 3, true},
		{"next term", 3, 4, false},
		{"lease lost", 3, 0, false},
		{"still without lease", 0, 0, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := NewState(1)
			a.Begin(tt.before)
			a.FullyScanned, a.Recovered = true, true
			a.Links, a.Indexes = map[string]struct{}{"l": {}}, map[string]FileStamp{"i": {}}
			a.Facts = map[string]FileStamp{"f": {}}
			a.Begin(tt.after)
			isKept := a.FullyScanned && a.Recovered && a.Links != nil && a.Indexes != nil && a.Facts != nil
			isReset := !a.FullyScanned && !a.Recovered && a.Links == nil && a.Indexes == nil && a.Facts == nil
			if isKept != tt.isKept || isReset == tt.isKept {
				t.Errorf("scan state after Begin(%d) = %+v, want kept: %t", tt.after, a, tt.isKept)
			}
		})
	}
}

func TestState_LockOrSkip(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := NewManager(Options{Queue: watch.NewQueue(0)})
		a := m.Ensure("ada", 1)
		if !a.LockOrSkip(t.Context()) {
			t.Fatal("LockOrSkip() = false for a free lock")
		}
		start := time.Now()
		if a.LockOrSkip(t.Context()) || time.Since(start) != AgentTurn {
			t.Errorf("LockOrSkip() of a held lock took %v, want %v and false", time.Since(start), AgentTurn)
		}
		m.Unlock(a)
		if n := m.o.Queue.PendingOf(""); n != 1 {
			t.Errorf("%d discoveries are requested after Unlock, want 1", n)
		}
		if !a.LockOrSkip(t.Context()) {
			t.Error("LockOrSkip() = false after Unlock")
		}
	})
}

func TestState_LockWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := NewManager(Options{Queue: watch.NewQueue(0)})
		a := m.Ensure("ada", 1)
		if err := a.Lock(t.Context()); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := a.Lock(ctx); err != context.DeadlineExceeded {
			t.Errorf("Lock() error = %v, want DeadlineExceeded", err)
		}
		time.AfterFunc(time.Hour, func() { m.Unlock(a) })
		if err := a.Lock(t.Context()); err != nil {
			t.Errorf("Lock() error = %v, want nil after Unlock", err)
		}
		if n := m.o.Queue.PendingOf(""); n != 0 {
			t.Errorf("%d discoveries are requested, want 0", n)
		}
	})
}

package scan

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"memoir/internal/sync/agenttx"
)

func TestDeferredFiles_LongestPeriod(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		state, w := agenttx.NewState(1), NewDeferredFiles()
		w.add(state, "b.md", 300*time.Millisecond)
		w.add(state, "a.md", 700*time.Millisecond)
		w.add(state, "c.md", 100*time.Millisecond)
		start := time.Now()
		paths, err := w.Wait(t.Context())
		slices.Sort(paths)
		if want := []string{"a.md", "b.md", "c.md"}; err != nil || !slices.Equal(paths, want) {
			t.Errorf("Wait() = %q, %v, want %q", paths, err, want)
		}
		if took := time.Since(start); took != 700*time.Millisecond {
			t.Errorf("Wait() took %v, want 700ms", took)
		}
		if !w.IsEmpty() {
			t.Error("IsEmpty() = false after Wait")
		}
	})
}

func TestDeferredFiles_ContextEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := NewDeferredFiles()
		w.add(agenttx.NewState(1), "a.md", time.Hour)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := w.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Wait() error = %v, want DeadlineExceeded", err)
		}
	})
}

func TestDeferredFiles_End(t *testing.T) {
	t.Parallel()
	state, w, other := agenttx.NewState(1), NewDeferredFiles(), NewDeferredFiles()
	for path, holder := range map[string]*DeferredFiles{"a.md": w, "b.md": other} {
		w.add(state, path, 0)
		state.Awaited.Store(path, holder)
	}
	w.End()
	if _, ok := state.Awaited.Load("a.md"); ok {
		t.Error("a.md is still awaited after End")
	}
	if _, ok := state.Awaited.Load("b.md"); !ok {
		t.Error("End removed b.md, which another scan awaits")
	}
	NewDeferredFiles().End() // without a file it does nothing
}

package scan

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
)

// A panic in one of the goroutines must reach the goroutine of the caller, which recovers.
func TestInParallel_Panic(t *testing.T) {
	t.Parallel()
	var read atomic.Int64
	cause := func() (cause any) {
		defer func() { cause = recover() }()
		err := inParallel(t.Context(), 1000, func(i int) {
			if i == 500 {
				panic("a fault")
			}
			read.Add(1)
		})
		t.Errorf("it returned %v", err)
		return nil
	}()
	if said := fmt.Sprint(cause); !strings.Contains(said, "a fault") || !strings.Contains(said, "parallel_test.go") {
		t.Errorf("it panicked with %q, which does not say where", said)
	}
	if n := read.Load(); n < 900 {
		t.Errorf("%d files were read of those that there is nothing wrong with", n)
	}
}

func TestInParallel_ContextEnds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := inParallel(ctx, 1000, func(int) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("it returned %v", err)
	}
}

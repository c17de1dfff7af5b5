package sync

import (
	"context"
	"sync"
	"time"
)

// longestYield bounds how long the background waits each time: what keeps coming in large numbers is to be found by a search too.
const longestYield = 5 * time.Second

// foreground has what somebody waits for, the large looks, before what can wait: the search index and the concordances. On two
// cores a burst of 10,000 files is listed in two thirds of the time by that. The zero value is ready to use, by many at once.
type foreground struct {
	mu   sync.Mutex
	busy int
	free chan struct{} // closed when nothing is
}

func (f *foreground) begin() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.busy++; f.busy == 1 {
		f.free = make(chan struct{})
	}
}

func (f *foreground) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.busy--; f.busy == 0 {
		close(f.free)
	}
}

// yield waits until nothing large is looked at, but not for ever.
func (f *foreground) yield(ctx context.Context) {
	f.mu.Lock()
	free := f.free
	f.mu.Unlock()
	if free == nil {
		return
	}
	late := time.NewTimer(longestYield)
	defer late.Stop()
	select {
	case <-free:
	case <-late.C:
	case <-ctx.Done():
	}
}

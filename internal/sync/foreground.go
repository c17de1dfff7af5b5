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

// courtesy is how long CLAUDE.md waits for those who have been told of a change: they come at once to see it, and where it is compiled
// meanwhile on one of two cores, the middle one of them gets a list after 3.4 ms in place of 1.5, and every tenth after 8.4 in place
// of 2.6.
const courtesy = 10 * time.Millisecond

// letThemSee waits a moment where somebody listens, unless more is to be looked at than what is being looked at.
func (e *Engine) letThemSee(ctx context.Context) {
	if !e.hub.isHeard() || e.queue.pending() > 1 {
		return
	}
	select {
	case <-time.After(courtesy):
	case <-ctx.Done():
	}
}

package torture

import "sync"

// results are what this run has shown.
var results tally

type tally struct {
	mu             sync.Mutex
	Blows, Moments map[string]int
}

func (t *tally) struck(blow, moment string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.Blows == nil {
		t.Blows, t.Moments = map[string]int{}, map[string]int{}
	}
	t.Blows[blow]++
	t.Moments[moment]++
}

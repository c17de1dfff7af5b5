package postgres

import (
	"context"
	"fmt"
	"sync"
)

// mostTotals bounds how many totals are kept; somebody who types makes a handful.
const mostTotals = 1000

// totals are the numbers of hits that were counted in the newest snapshot. To count is most of a search that has many:
// as long as nothing is written, the same total goes for each further page, and for whoever searches the same again.
type totals struct {
	mu       sync.Mutex
	snapshot string
	hits     map[string]int
}

// total returns how many hits there are, counted now or in a transaction that saw the same.
func (on *searcher) total(ctx context.Context, c conditions) (total int, err error) {
	var seen string
	if err := on.conn.QueryRow(ctx, whatIsSeen).Scan(&seen); err != nil {
		return 0, err
	}
	asked := fmt.Sprintf("%s %q", c.count, c.args)
	if total, known := on.totals.read(seen, asked); known {
		return total, nil
	}
	if err = on.conn.QueryRow(ctx, c.count, c.args).Scan(&total); err == nil {
		on.totals.keep(seen, asked, total)
	}
	return total, err
}

func (t *totals) read(snapshot, asked string) (total int, known bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.snapshot == snapshot {
		total, known = t.hits[asked]
	}
	return total, known
}

func (t *totals) keep(snapshot, asked string, total int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.snapshot != snapshot || len(t.hits) >= mostTotals {
		t.snapshot, t.hits = snapshot, map[string]int{}
	}
	t.hits[asked] = total
}

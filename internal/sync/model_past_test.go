package sync_test

import (
	"context"
	"fmt"
	"time"

	"memoir/internal/memories"
	"memoir/internal/records"
)

// knownState is the state of the memories at a moment, by id.
type knownState struct {
	at   time.Time
	said map[string]string
}

// past returns the memories of one moment, those in the trash too.
func (w *world) past(at time.Time) map[string]string {
	ctx := context.Background()
	agent, err := w.b.store.Agent(ctx, w.slug)
	w.must(err)
	said := map[string]string{}
	for _, state := range []memories.State{"", memories.Deleted} {
		page, err := w.b.store.Memories(ctx, agent, memories.Filter{State: state, AsOf: memories.MomentOf(at)}, memories.PageRequest{Limit: records.MaxLimit})
		w.must(err)
		for _, m := range page.Memories {
			said[m.ID] = saidBy(m)
		}
	}
	return said
}

func saidBy(m memories.Memory) string {
	return fmt.Sprintf("%s %s %q: %q, %q", m.State, m.Type, m.Name, m.Description, m.Body)
}

// remember keeps what the memories are now, to be asked for when it is past.
func (w *world) remember() {
	if w.clockSet {
		return // the order of moments is unknown now
	}
	known := knownState{records.Now(), map[string]string{}}
	for _, state := range []memories.State{"", memories.Deleted} {
		for _, m := range w.memories(state) {
			known.said[m.ID] = saidBy(m)
		}
	}
	w.pasts = append(w.pasts, known)
}

// remembers compares each remembered moment with the present answer about it. A purged memory is in
// no past. A content that was found since in an old file is in the past of that file.
func (w *world) remembers() {
	present := map[string]bool{}
	for _, state := range []memories.State{"", memories.Deleted} {
		for _, m := range w.memories(state) {
			present[m.ID] = true
		}
	}
	for _, known := range w.pasts {
		told := w.past(known.at)
		for id, said := range known.said {
			if present[id] && told[id] != said {
				w.t.Fatalf("at %v it was %s, and is told to have been %s", known.at, said, told[id])
			}
		}
	}
}

package watch

import (
	"slices"
	"testing"
	"time"
)

func TestQueue_LaterPathDelaysNoOther(t *testing.T) {
	t.Parallel()
	for name, add := range map[string]func(q *Queue){
		"good file first": func(q *Queue) {
			q.Add("ada", "memory/good.md")
			q.AddNoSooner("ada", "memory/unfinished.md", time.Hour)
		},
		"good file last": func(q *Queue) {
			q.AddNoSooner("ada", "memory/unfinished.md", time.Hour)
			q.Add("ada", "memory/good.md")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := NewQueue(time.Millisecond)
			now := time.Now()
			add(q)
			q.takes(t, now.Add(time.Minute), "memory/good.md")
			q.takes(t, now.Add(2*time.Minute))
			if n := q.Pending(); n != 1 {
				t.Errorf("%d paths are pending", n)
			}
			q.takes(t, now.Add(2*time.Hour), "memory/unfinished.md")
			if n := q.Pending(); n != 0 {
				t.Errorf("in the end %d paths are pending", n)
			}
		})
	}
}

// takes checks that exactly these paths of one agent are due, and finishes their scan.
func (q *Queue) takes(t *testing.T, now time.Time, want ...string) {
	t.Helper()
	var got []string
	due, _ := q.Take(now)
	for _, w := range due {
		got = append(got, w.Paths...)
		q.Done(w.Slug)
	}
	if !slices.Equal(got, want) {
		t.Errorf("due are %q, not %q", got, want)
	}
}

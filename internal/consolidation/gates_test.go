package consolidation_test

import (
	"testing"
	"time"

	"memoir/internal/consolidation"
	engine "memoir/internal/sync"
)

func TestGates_Limits(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	open := consolidation.Facts{
		Now: now, Lock: engine.ConsolidationLock{Last: now.Add(-30 * time.Hour)}, Looked: now.Add(-time.Hour), Conversations: engine.Conversations{Known: true, Count: 9},
	}
	for name, test := range map[string]struct {
		change func(*consolidation.Facts)
		closed consolidation.GateName // empty if all are open
	}{
		"all is as it should be":        {func(*consolidation.Facts) {}, ""},
		"23:59 hours since the last":    {func(f *consolidation.Facts) { f.Lock.Last = now.Add(-24*time.Hour + time.Minute) }, "time"},
		"24:00 hours since the last":    {func(f *consolidation.Facts) { f.Lock.Last = now.Add(-24 * time.Hour) }, ""},
		"never":                         {func(f *consolidation.Facts) { f.Lock.Last = time.Time{} }, ""},
		"in the future":                 {func(f *consolidation.Facts) { f.Lock.Last = now.Add(time.Hour) }, "time"},
		"looked at 9:59 minutes ago":    {func(f *consolidation.Facts) { f.Looked = now.Add(-10*time.Minute + time.Second) }, "look"},
		"looked at 10:00 minutes ago":   {func(f *consolidation.Facts) { f.Looked = now.Add(-10 * time.Minute) }, ""},
		"never looked at":               {func(f *consolidation.Facts) { f.Looked = time.Time{} }, ""},
		"4 conversations":               {func(f *consolidation.Facts) { f.Conversations.Count = 4 }, "conversations"},
		"5 conversations":               {func(f *consolidation.Facts) { f.Conversations.Count = 5 }, ""},
		"conversations nobody knows of": {func(f *consolidation.Facts) { f.Conversations = engine.Conversations{} }, "conversations"},
		"the lock is somebody's":        {func(f *consolidation.Facts) { f.Lock.Held = true }, "lock"},
		"the lock is a directory":       {func(f *consolidation.Facts) { f.Lock.Problem = "It is a directory." }, "lock"},
	} {
		f := open
		test.change(&f)
		gates := consolidation.Gates(f)
		order := []consolidation.GateName{"time", "look", "conversations", "lock"}
		for i, gate := range gates {
			if gate.Name != order[i] || gate.Open == (gate.Name == test.closed) || gate.Why == "" {
				t.Errorf("%s: %+v", name, gate)
			}
		}
	}
}

package reviewcards_test

import (
	"testing"
	"time"

	"memoir/internal/memories"
	"memoir/internal/pages/reviewcards"
	"memoir/internal/records"
	"memoir/internal/review"
	"memoir/web/templates"
)

// decided returns decisions that were made so many seconds after each other, the last first.
func decided(gaps ...int) []records.ReviewDecision {
	at := time.Date(2026, 3, 9, 14, 0, 0, 0, time.UTC)
	all := []records.ReviewDecision{{At: at}}
	for _, gap := range gaps {
		at = at.Add(-time.Duration(gap) * time.Second)
		all = append(all, records.ReviewDecision{At: at})
	}
	return all
}

func TestPace_Median(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		last []records.ReviewDecision
		want time.Duration
	}{
		"none":           {nil, 10 * time.Second},
		"too few":        {decided(3, 4), 10 * time.Second},
		"median":         {decided(3, 20, 4), 4 * time.Second},
		"without pauses": {decided(3, 3600, 20, 4), 4 * time.Second},
	} {
		if got := reviewcards.Pace(c.last); got != c.want {
			t.Errorf("%s: Pace = %s, want %s", name, got, c.want)
		}
	}
	for items, want := range map[int]int{0: 0, 1: 1, 37: 6, 600: 100} {
		if got := reviewcards.Minutes(items, 10*time.Second); got != want {
			t.Errorf("Minutes(%d) = %d, want %d", items, got, want)
		}
	}
}

func TestEnd_AddsUp(t *testing.T) {
	t.Parallel()
	all := decided(30, 30, 30)
	undo := func(memories, chars string) []byte {
		return []byte(`{"item":{"reason":"x"},"changes":{"project":{"memories":` + memories + `,"chars":` + chars + `}}}`)
	}
	for i, d := range []records.ReviewDecision{
		{Agent: "ada", Kind: "expired", Decision: review.Delete, Undo: undo("-1", "-400")}, {Agent: "ada", Kind: "duplicate", Decision: "keep_2", Undo: undo("-2", "-800")},
		{Agent: "bob", Kind: "unchecked", Decision: review.StillTrue}, {Agent: "bob", Kind: "junk", Decision: review.Snooze},
	} {
		d.At = all[i].At
		all[i] = d
	}
	end := reviewcards.End(all, map[memories.Type]records.ReviewSize{memories.Project: {Memories: 7, Chars: 2000}}, 2400)
	if end.Decisions != 3 || end.Agents != 2 || end.Minutes != 2 || end.MemoriesBefore != 10 || end.MemoriesAfter != 7 || end.Before.Total != 900 || end.After.Total != 600 {
		t.Errorf("the end is %+v", end)
	}
	want := []templates.ReviewFact{{Label: "duplicate merged", Text: "1"}, {Label: "expired deleted", Text: "1"}, {Label: "confirmed", Text: "1"}}
	if len(end.Counts) != 3 || end.Counts[0] != want[0] || end.Counts[1] != want[1] || end.Counts[2] != want[2] {
		t.Errorf("the counts are %+v", end.Counts)
	}
	if got := reviewcards.End(all[3:], nil, 0); got != nil {
		t.Errorf("a snooze alone is a day's work: %+v", got)
	}
}

package bench

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

func TestReport_MarksMissedGoals(t *testing.T) {
	t.Parallel()
	// Every job takes as long as its floor, except one list.
	even := figure{Files: largest, Took: []time.Duration{time.Millisecond}, Floor: []time.Duration{time.Millisecond}}
	slow := even
	slow.Took = []time.Duration{6 * time.Millisecond}
	thousand := even
	thousand.Files = 1_000
	f := figures{
		Mirrors: map[int]figure{largest: even}, Searchable: map[int]figure{largest: even}, Restarts: []figure{even}, Saves: []figure{even},
		Deletions: []figure{thousand}, FirstDeletions: even, Bursts: []arrived{{Where: "one agent"}}, Lists: []named{{"a list", slow}},
		Search: even, Steady: even, Recall: even, LongRecall: even, Tab: even, BesideFlood: even, BesideSlow: even, BesideReview: even, SavedBesideReview: even,
		AtRest: []weighed{{50e6, 60e6}, {90e6, 90e6}}, AtWork: []weighed{{90e6, 95e6}}, Quality: []judged{{}},
		Paces: paces{Seen: []time.Duration{time.Millisecond}},
	}
	page := parseReport()
	var results, whole bytes.Buffer
	if err := page.ExecuteTemplate(&results, "results", f); err != nil {
		t.Fatal(err)
	}
	goals := 0
	for line := range strings.Lines(results.String()) {
		if columns := strings.Count(line, "|"); columns != 7 {
			t.Errorf("%d columns: %s", columns-1, line)
		}
		if strings.Contains(line, "| ≤ ") {
			goals++
		}
		missed := strings.HasPrefix(line, "| a list,") || strings.HasPrefix(line, "| server memory at rest")
		if strings.Contains(line, "**no**") != missed {
			t.Errorf("wrong verdict: %s", line)
		}
	}
	if goals != 17 {
		t.Errorf("%d goals, want 17", goals)
	}
	if err := page.Execute(&whole, f); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(whole.String(), results.String()) {
		t.Error("the page lacks the table that is printed")
	}
}

package bench

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

func TestTheReportSaysWhichGoalDoesNotHold(t *testing.T) {
	t.Parallel()
	// Everything takes as long as its floor, but for one list and what the server keeps in memory.
	even := figure{Files: largest, Took: []time.Duration{time.Millisecond}, Floor: []time.Duration{time.Millisecond}}
	even.All = even.All.with(even)
	slow := even
	slow.Took = []time.Duration{6 * time.Millisecond}
	thousand := even
	thousand.Files = 1_000
	f := figures{
		Mirrors: map[int]figure{largest: even}, Searchable: map[int]figure{largest: even}, Restarts: []figure{even}, Saves: []figure{even},
		Deletions: []figure{thousand}, Bursts: []arrived{{Where: "somewhere"}}, Lists: []named{{"a list", slow}}, Searches: []named{{"all of them", even}}, SearchesOfOne: even,
		Steady: even, Throughput: throughput{100, 100}, Recall: even, Tabs: []opened{{Figure: even}},
		Weights: []weighed{{"at rest", largest, 90e6, 90e6}}, Quality: []judged{{}},
		Growth: growth{{"a list", []point{{1_000, time.Millisecond}, {30_000, time.Millisecond}, {100_000, 2 * time.Millisecond}}}},
		Paces:  paces{Seen: []time.Duration{time.Millisecond}},
	}
	page := parseReport()
	var glance, whole bytes.Buffer
	if err := page.ExecuteTemplate(&glance, "glance", f); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(glance.String()) {
		missed := strings.HasPrefix(line, "| a list,") || strings.HasPrefix(line, "| the server's memory,")
		if strings.Contains(line, "**no**") != missed {
			t.Errorf("whether this goal holds: %s", line)
		}
	}
	if err := page.Execute(&whole, f); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(whole.String(), glance.String()) {
		t.Error("the page lacks what is printed")
	}
	if want := " | 0.58 |\n"; !strings.Contains(whole.String(), want) {
		t.Errorf("the page lacks %q", want)
	}
}

package timelineview_test

import (
	"testing"
	"time"

	"memoir/internal/memories"
	"memoir/internal/pages/timelineview"
	"memoir/internal/records"
)

var now = time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)

func TestSessionName(t *testing.T) {
	t.Parallel()
	const session = "U2K5-C02-1764000000.123456" // 24 November 2025
	for name, c := range map[string]struct {
		session string
		names   map[string]string
		want    string
	}{
		"no names":       {session, nil, "session of 24 Nov 2025"},
		"person":         {session, map[string]string{"U2K5": "Mira"}, "Mira, 24 Nov 2025"},
		"channel":        {session, map[string]string{"C02": "#ops"}, "#ops, 24 Nov 2025"},
		"both":           {session, map[string]string{"U2K5": "Mira", "C02": "#ops"}, "Mira in #ops, 24 Nov 2025"},
		"no ids":         {"3f2b", nil, "session of 20 Nov"},
		"same year":      {"U-C-1784000000", nil, "session of 14 Jul"},
		"another's name": {session, map[string]string{"U1": "Jo"}, "session of 24 Nov 2025"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := timelineview.SessionName(c.session, now.AddDate(0, 0, -5), c.names, now); got != c.want {
				t.Errorf("SessionName() = %q, want %q", got, c.want)
			}
		})
	}
}

func TestChart_AgentsTogether(t *testing.T) {
	t.Parallel()
	day := func(days int) time.Time { return now.Truncate(24*time.Hour).AddDate(0, 0, -days) }
	point := func(days, user, project int) records.GrowthPoint {
		return records.GrowthPoint{Day: day(days), Alive: records.Alive{memories.User: user, memories.Project: project}}
	}
	d := timelineview.Chart(map[int64][]records.GrowthPoint{
		1: {point(3, 0, 0), point(2, 1, 0), point(0, 2, 0)},
		2: {point(3, 0, 0), point(2, 0, 0), point(0, 1, 4)},
	}, []records.DayCount{{Day: day(2), N: 3}}, now)
	if len(d.Days) != 2 || !d.First.Equal(day(2)) || !d.Today.Equal(day(0)) {
		t.Errorf("days = %v, from %v to %v", d.Days, d.First, d.Today)
	}
	if d.Counts.Total(0) != 1 || d.Counts.Total(1) != 7 || d.Counts[memories.User][1] != 3 {
		t.Errorf("counts = %v", d.Counts)
	}
	if len(d.Deletions) != 1 || d.Deletions[0].N != 3 {
		t.Errorf("deletions = %v", d.Deletions)
	}
	if empty := timelineview.Chart(nil, nil, now); len(empty.Days) != 0 || !empty.First.Equal(empty.Today) {
		t.Errorf("without agents the chart is %+v", empty)
	}
}

package timelineview_test

import (
	"testing"
	"time"

	"memoir/internal/memories"
	"memoir/internal/pages/timelineview"
	"memoir/internal/records"
)

var now = time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)

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

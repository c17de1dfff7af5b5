package pages

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/web/templates"
)

const (
	// maxGrowthDays is the length of the growth chart, in days. In a longer one, single days could not
	// be seen.
	maxGrowthDays = 366
	// maxGrowthPoints is the maximum number of points of a line of the growth chart. A phone shows no
	// more.
	maxGrowthPoints = 61
	// trendDays is the length of the line on an agent's card, in days (arbitrary).
	trendDays = 30
)

// pictures returns the data of an agent's charts. Days are in the time zone of now.
func (s *site) pictures(ctx context.Context, agent records.Agent, now time.Time) (templates.Growth, templates.Ages, error) {
	var grown map[int64][]records.GrowthPoint
	var ages map[int64][]records.Alive
	reading, ctx := errgroup.WithContext(ctx)
	reading.Go(func() (err error) {
		grown, err = s.store.Growth(ctx, []int64{agent.ID}, now.AddDate(0, 0, -maxGrowthDays), now, maxGrowthDays+1)
		return err
	})
	reading.Go(func() (err error) {
		ages, err = s.store.Ages(ctx, []int64{agent.ID}, now)
		return err
	})
	err := reading.Wait()
	return growthOf(grown[agent.ID]), agesOf(ages[agent.ID]), err
}

// growthOf returns the data of the growth chart, from the day before the first memory, with at most
// maxGrowthPoints points.
func growthOf(points []records.GrowthPoint) templates.Growth {
	first := slices.IndexFunc(points, func(p records.GrowthPoint) bool { return total(p.Alive) > 0 })
	if first < 0 {
		return templates.Growth{}
	}
	points = thin(points[max(0, first-1):], maxGrowthPoints)
	g := templates.Growth{Counts: templates.CountsByType{}}
	for i, p := range points {
		g.Times = append(g.Times, p.Day)
		for t, n := range p.Alive {
			if g.Counts[t] == nil {
				g.Counts[t] = make([]int, len(points))
			}
			g.Counts[t][i] = n
		}
	}
	return g
}

// thin returns at most maxPoints of the points, evenly spread, including the first and the last.
func thin(points []records.GrowthPoint, maxPoints int) []records.GrowthPoint {
	if len(points) <= maxPoints {
		return points
	}
	kept := make([]records.GrowthPoint, maxPoints)
	for i := range kept {
		kept[i] = points[i*(len(points)-1)/(maxPoints-1)]
	}
	return kept
}

// agesOf returns the data of the age chart. buckets has one entry for each of records.AgeBounds.
func agesOf(buckets []records.Alive) templates.Ages {
	a := templates.Ages{Labels: ageLabels(), Counts: templates.CountsByType{}}
	for i, alive := range buckets {
		for t, n := range alive {
			if a.Counts[t] == nil {
				a.Counts[t] = make([]int, len(buckets))
			}
			a.Counts[t][i] = n
		}
	}
	return a
}

func ageLabels() []string {
	labels := make([]string, len(records.AgeBounds))
	for i, from := range records.AgeBounds {
		switch last := len(labels) - 1; {
		case i == last:
			labels[i] = "older"
		case records.AgeBounds[i+1] == from+1:
			labels[i] = memories.Age{Days: from}.String()
		default:
			labels[i] = fmt.Sprintf("%d–%d days", from, records.AgeBounds[i+1]-1)
		}
	}
	return labels
}

// trends returns the recent number of memories over time, by agent id.
func (s *site) trends(ctx context.Context, all []records.Agent, now time.Time) (map[int64]templates.Trend, error) {
	ids := make([]int64, len(all))
	for i, agent := range all {
		ids[i] = agent.ID
	}
	grown, err := s.store.Growth(ctx, ids, now.AddDate(0, 0, -trendDays), now, trendDays+1)
	trends := make(map[int64]templates.Trend, len(grown))
	for id, points := range grown {
		trends[id] = trendOf(points)
	}
	return trends, err
}

// trendOf returns the zero Trend, which is not drawn, if no point has a memory.
func trendOf(points []records.GrowthPoint) templates.Trend {
	t := templates.Trend{Days: trendDays}
	for _, p := range points {
		t.Totals = append(t.Totals, total(p.Alive))
	}
	if !slices.ContainsFunc(t.Totals, func(n int) bool { return n > 0 }) {
		return templates.Trend{}
	}
	return t
}

func total(alive records.Alive) int {
	n := 0
	for one := range maps.Values(alive) {
		n += one
	}
	return n
}

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
	// growthDays is how far back the picture of the growth goes: past a year, days are too thin to be seen.
	growthDays = 366
	// growthPoints is how many points its lines have at most: a page that is read on a phone shows no more.
	growthPoints = 61
	// trendDays is how far back the line on an agent's card goes.
	trendDays = 30
)

// pictures reads what the pictures of an agent show. The zone of now is that in which its days are named.
func (s *site) pictures(ctx context.Context, agent records.Agent, now time.Time) (templates.Growth, templates.Ages, error) {
	var grown map[int64][]records.GrowthPoint
	var ages map[int64][]records.Alive
	reading, ctx := errgroup.WithContext(ctx)
	reading.Go(func() (err error) {
		grown, err = s.store.Growth(ctx, []int64{agent.ID}, now.AddDate(0, 0, -growthDays), now, growthDays+1)
		return err
	})
	reading.Go(func() (err error) {
		ages, err = s.store.Ages(ctx, []int64{agent.ID}, now)
		return err
	})
	err := reading.Wait()
	return growthOf(grown[agent.ID]), agesOf(ages[agent.ID]), err
}

// growthOf turns points, one a day, into what the picture shows: from the day before the first memory on, and few of them.
func growthOf(points []records.GrowthPoint) templates.Growth {
	first := slices.IndexFunc(points, func(p records.GrowthPoint) bool { return total(p.Alive) > 0 })
	if first < 0 {
		return templates.Growth{}
	}
	points = thinned(points[max(0, first-1):], growthPoints)
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

// thinned returns at most so many of the points, evenly spread, with the first and the last.
func thinned(points []records.GrowthPoint, most int) []records.GrowthPoint {
	if len(points) <= most {
		return points
	}
	thin := make([]records.GrowthPoint, most)
	for i := range thin {
		thin[i] = points[i*(len(points)-1)/(most-1)]
	}
	return thin
}

// agesOf turns the counts of each bucket of records.AgeBounds into what the picture shows.
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

// ageLabels names the buckets.
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

// trends reads how the number of each agent's memories changed lately, by agent.
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

// trendOf is the zero Trend, which is not drawn, where there were no memories at all.
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

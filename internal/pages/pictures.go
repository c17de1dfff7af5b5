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
)

// pictures returns the data of an agent's charts of growth and ages. Growth covers the last
// maxGrowthDays days in UTC, up to the day of now. Ages leaves out memories of unknown age.
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
	return growthOf(grown[agent.ID]), templates.Ages{Labels: ageLabels(), Counts: countsByType(ages[agent.ID])}, err
}

// growthOf returns the number of memories by type, from the point before the first memory, in at
// most maxGrowthPoints points. It returns the zero Growth if no point has a memory.
func growthOf(points []records.GrowthPoint) templates.Growth {
	first := slices.IndexFunc(points, func(p records.GrowthPoint) bool { return total(p.Alive) > 0 })
	if first < 0 {
		return templates.Growth{}
	}
	points = thin(points[max(0, first-1):], maxGrowthPoints)
	var times []time.Time
	var alive []records.Alive
	for _, p := range points {
		times, alive = append(times, p.Day), append(alive, p.Alive)
	}
	return templates.Growth{Times: times, Counts: countsByType(alive)}
}

// countsByType returns, for each type, its number of memories in each element of all, in order. A
// type that no element has is absent.
func countsByType(all []records.Alive) templates.CountsByType {
	counts := templates.CountsByType{}
	for i, alive := range all {
		for t, n := range alive {
			if counts[t] == nil {
				counts[t] = make([]int, len(all))
			}
			counts[t][i] = n
		}
	}
	return counts
}

// thin returns at most maxPoints of the points, evenly spread, including the first and the last.
// maxPoints must be at least 2.
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

// ageLabels returns the label of each age range of records.AgeBounds, for example "2–6 days". The
// last one is "older".
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

func total(alive records.Alive) int {
	n := 0
	for one := range maps.Values(alive) {
		n += one
	}
	return n
}

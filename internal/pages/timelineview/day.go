package timelineview

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"

	"memoir/internal/chart"
	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/web/templates"
	"memoir/web/templates/address"
)

const (
	// maxPoints is the maximum number of points of a line of the chart. A screen shows no more.
	maxPoints = 181
	// recentDays is the number of days that are compared with now if no day is chosen (arbitrary).
	recentDays = 30
)

// Day returns the chart of the memories over time, and the comparison of the chosen day with now. If
// no day is chosen, it compares the last days. memoriesNow is the number of memories, or negative if
// the chart has it.
func (v View) Day(ctx context.Context, memoriesNow int) (templates.ChosenDay, templates.Since, error) {
	ids := v.ids()
	since := v.Address.AsOf
	if since.IsZero() {
		since = v.Now.AddDate(0, 0, -recentDays)
	}
	var grown map[int64][]records.GrowthPoint
	var deletions []records.DayCount
	var changes records.ChangesSince
	reading, ctx := errgroup.WithContext(ctx)
	reading.Go(func() (err error) {
		grown, err = v.Store.Growth(ctx, ids, time.Time{}, v.Now, maxPoints)
		return err
	})
	reading.Go(func() (err error) {
		deletions, err = v.Store.Deletions(ctx, ids)
		return err
	})
	reading.Go(func() (err error) {
		changes, err = v.Store.ChangesSince(ctx, ids, since)
		return err
	})
	if err := reading.Wait(); err != nil {
		return templates.ChosenDay{}, templates.Since{}, err
	}
	d := Chart(grown, deletions, v.Now)
	d.Now = memoriesNow
	if d.Now < 0 && len(d.Days) > 0 {
		d.Now = d.Counts.Total(len(d.Days) - 1)
	}
	d.Then, d.Day = d.Now, d.Today
	s := templates.Since{Title: templates.LastDays(recentDays), Learned: changes.Learned, Deleted: changes.Deleted, Changed: changes.Changed}
	if !v.Address.AsOf.IsZero() {
		d.Day = templates.Midnight(v.Address.AsOf)
		d.Then = d.Now - changes.Learned + changes.Deleted
		s.Title = templates.SinceTitle(d.Day, v.Now)
	}
	if a := v.Address.Agent; a != "" {
		s.CompareHref = address.AsOfHref(address.ContextPath(a), since)
	}
	return d, s, nil
}

// Chart returns the numbers of memories by type over time, of all agents together, with the
// deletions. It begins with the first day that has a memory. Days are counted in UTC. Each is
// returned as midnight in the time zone of now.
func Chart(grown map[int64][]records.GrowthPoint, deletions []records.DayCount, now time.Time) templates.ChosenDay {
	date := func(t time.Time) time.Time {
		return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, now.Location())
	}
	var days []time.Time
	var alive []records.Alive
	for _, points := range grown {
		for i, p := range points {
			if i == len(days) {
				days, alive = append(days, p.Day), append(alive, records.Alive{})
			}
			for t, n := range p.Alive {
				alive[i][t] += n
			}
		}
	}
	for len(days) > 1 && alive[0].Total() == 0 {
		days, alive = days[1:], alive[1:]
	}
	d := templates.ChosenDay{Counts: templates.CountsByType{}, Today: templates.Midnight(now), First: templates.Midnight(now)}
	for i, day := range days {
		d.Days = append(d.Days, date(day))
		for _, t := range append(memories.Types(), "") {
			if n := alive[i][t]; n > 0 {
				if d.Counts[t] == nil {
					d.Counts[t] = make([]int, len(days))
				}
				d.Counts[t][i] = n
			}
		}
	}
	if len(d.Days) > 0 && d.Days[0].Before(d.First) {
		d.First = d.Days[0]
	}
	for _, n := range deletions {
		d.Deletions = append(d.Deletions, chart.Event{At: date(n.Day), N: n.N})
	}
	return d
}

package bench

import (
	"cmp"
	"slices"
	"testing"
	"time"
)

// figure contains the times of one job in Memoir and, if the job has a floor, those of the floor.
type figure struct {
	Files       int // number of mirrored files meanwhile
	Took, Floor []time.Duration
}

// sorted sorts the samples, the shortest first, and returns f. All quantiles need sorted samples.
func (f figure) sorted() figure {
	slices.Sort(f.Took)
	slices.Sort(f.Floor)
	return f
}

func (f figure) Median() time.Duration      { return quantile(f.Took, 0.5) }
func (f figure) P95() time.Duration         { return quantile(f.Took, 0.95) }
func (f figure) P99() time.Duration         { return quantile(f.Took, 0.99) }
func (f figure) Slowest() time.Duration     { return quantile(f.Took, 1) }
func (f figure) FloorMedian() time.Duration { return quantile(f.Floor, 0.5) }
func (f figure) FloorP99() time.Duration    { return quantile(f.Floor, 0.99) }
func (f figure) Ratio() float64             { return f.Median().Seconds() / f.FloorMedian().Seconds() }

// rounds is the number of measurements of a figure that other load on the machine can spoil.
const rounds = 3

// mostRounds is the maximum number of measurements if none was calm enough.
const mostRounds = 9

// calmest measures a figure several times and returns the round with the least disturbance, judged
// by its floor alone. While the floor's p99 is above enough in all rounds, more rounds follow.
func calmest(enough time.Duration, take func(round int) figure) figure {
	calm := calmestOfFew(take)
	for round := rounds; round < mostRounds && calm.FloorP99() > enough; round++ {
		calm = calm.orCalmer(take(round))
	}
	return calm
}

// calmestOfFew is calmest with the first rounds only.
func calmestOfFew(take func(round int) figure) figure {
	calm := take(0).sorted()
	for round := 1; round < rounds; round++ {
		calm = calm.orCalmer(take(round))
	}
	return calm
}

func (f figure) orCalmer(other figure) figure {
	if other = other.sorted(); other.FloorP99() < f.FloorP99() {
		return other
	}
	return f
}

// quantile returns the sample at the given part (0 to 1) of sorted samples, or zero without
// samples.
func quantile(sorted []time.Duration, part float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(int(part*float64(len(sorted))), len(sorted)-1)]
}

// print adds a figure to the output of go test.
func (f figure) print(b *testing.B) {
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(milliseconds(f.Median()), "p50-ms")
	b.ReportMetric(milliseconds(f.P99()), "p99-ms")
	if len(f.Floor) > 0 {
		b.ReportMetric(milliseconds(f.FloorMedian()), "floor-ms")
		b.ReportMetric(f.Ratio(), "ratio")
	}
}

func milliseconds(d time.Duration) float64 { return d.Seconds() * 1e3 }

// point is the cost of one job at one number of files.
type point struct {
	Files int
	Cost  time.Duration
}

// line is the cost of one job at several numbers of files.
type line struct {
	Job    string
	Points []point
}

// Exponent returns the power of the number of files with which the cost grows: 1 is linear.
func (l line) Exponent() float64 { return exponent(l.Points) }

// growth contains the lines of this run, in the order of their first points.
type growth []line

func (g *growth) add(job string, files int, cost time.Duration) {
	at := slices.IndexFunc(*g, func(l line) bool { return l.Job == job })
	if at < 0 {
		*g = append(*g, line{Job: job})
		at = len(*g) - 1
	}
	l := &(*g)[at]
	l.Points = append(l.Points, point{files, cost})
	slices.SortFunc(l.Points, func(x, y point) int { return cmp.Compare(x.Files, y.Files) })
}

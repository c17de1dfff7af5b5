package bench

import (
	"cmp"
	"slices"
	"testing"
	"time"
)

// A figure is what one job cost Memoir and, if it has a floor, what the floor cost.
type figure struct {
	Files       int // that were mirrored meanwhile
	Took, Floor []time.Duration
}

// sorted orders the samples, the shortest first; every figure is read from sorted samples.
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

// rounds is how often a figure is taken that something else on the machine can spoil.
const rounds = 3

// mostRounds is how often it is taken at most, where none was calm enough.
const mostRounds = 9

// calmest takes a figure several times, and returns the round that the machine has disturbed the least. The floor alone says
// which one that is, whatever Memoir took in it, and whether it was calm enough: where the floor's p99 is above that in all rounds,
// further ones follow.
func calmest(enough time.Duration, take func(round int) figure) figure {
	calm := calmestOfFew(take)
	for round := rounds; round < mostRounds && calm.FloorP99() > enough; round++ {
		calm = calm.orCalmer(take(round))
	}
	return calm
}

// calmestOfFew is calmest without further rounds.
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

// quantile is the sample at that part of the sorted ones; zero where there are none.
func quantile(sorted []time.Duration, part float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(int(part*float64(len(sorted))), len(sorted)-1)]
}

// print shows a figure in the output of go test.
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

// point is what one job cost at one number of files.
type point struct {
	Files int
	Cost  time.Duration
}

// line is how the cost of one job grows with the number of files.
type line struct {
	Job    string
	Points []point
}

// Exponent is the power of the number of files with which the cost grows: 1 is linear.
func (l line) Exponent() float64 { return exponent(l.Points) }

// growth has the lines of this run in the order in which they were begun.
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

package chart

import (
	"slices"
	"time"
)

// Timeline is a chart of several kinds over time, one area on top of the other, with bars below the
// axis. It is stretched to its place on the page, so it has no texts.
type Timeline struct {
	Plot
	Areas []Area // from the bottom
	Bars  []Bar  // in the order of the events
}

// Area is the area of one kind.
type Area struct {
	Kind string
	Path string // path data of the filled area
}

// Bar is a bar below the axis.
type Bar struct{ X, Y, Width, Height Coordinate }

// Event is a number of events at a time.
type Event struct {
	At time.Time
	N  int
}

// Size of a Timeline, in units of the viewBox.
const (
	timelineWidth, timelineHeight = 1000, 178
	timelineFoot                  = 150 // the axis
	timelineHead                  = 6   // above the highest area
	barTop                        = 156 // the top edge of bars
	barWidth, minBar              = 5, 4
)

// NewTimeline returns the chart of the numbers at each time, one area for each series, the first at
// the bottom, and a bar for each of the events. times must be in order. A series without a positive
// number has no area. Without times it returns the zero Timeline; a single time becomes horizontal
// areas.
func NewTimeline(times []time.Time, series []Series, events []Event) Timeline {
	if len(times) == 0 {
		return Timeline{}
	}
	t := Timeline{Plot: Plot{
		Width: timelineWidth, Height: timelineHeight, Left: 0, Top: timelineHead, Right: timelineWidth, Bottom: timelineFoot,
	}}
	top := max(1, slices.Max(sums(series, len(times))))
	xs := t.over(times)
	heights := make([]float64, len(times))
	below := t.edge(xs, heights, top)
	for _, s := range series {
		if s.empty() {
			continue
		}
		for i := range heights {
			heights[i] += s.at(i)
		}
		edge := t.edge(xs, heights, top)
		t.Areas = append(t.Areas, Area{Kind: s.Kind, Path: between(edge, below)})
		below = edge
	}
	t.Bars = t.bars(times, events)
	return t
}

// bars returns the bars of the events, the largest over the whole height below the axis.
func (t Timeline) bars(times []time.Time, events []Event) []Bar {
	most := 0
	for _, e := range events {
		most = max(most, e.N)
	}
	var bars []Bar
	for _, e := range events {
		if e.N > 0 {
			height := max(minBar, Coordinate(float64(e.N)/float64(most))*(timelineHeight-barTop))
			x := t.X(times[0], times[len(times)-1], e.At)
			bars = append(bars, Bar{X: max(0, min(x-barWidth/2., timelineWidth-barWidth)), Y: barTop, Width: barWidth, Height: height})
		}
	}
	return bars
}

// X returns the x of a time on a chart from first to last. A time outside is at the nearer edge; if
// first is not before last, every time is at the right edge.
func (t Timeline) X(first, last, at time.Time) Coordinate {
	total := last.Sub(first)
	if total <= 0 {
		return t.Right
	}
	return t.Left + Coordinate(max(0, min(1, float64(at.Sub(first))/float64(total))))*(t.Right-t.Left)
}

// over returns the x of each time, in proportion between the left and the right edge. times must be
// in order and not empty. If all are equal, they are at the left edge.
func (p Plot) over(times []time.Time) []Coordinate {
	first, last := times[0], times[len(times)-1]
	total := last.Sub(first)
	xs := make([]Coordinate, len(times))
	for i, at := range times {
		xs[i] = p.Left
		if total > 0 {
			fraction := max(0, min(1, float64(at.Sub(first))/float64(total)))
			xs[i] += Coordinate(fraction) * (p.Right - p.Left)
		}
	}
	return xs
}

// edge returns the line over values, extended horizontally to the right edge. top is the value at
// the top edge. values must not be empty and have as many elements as xs.
func (p Plot) edge(xs []Coordinate, values []float64, top float64) []point {
	points := make([]point, 0, len(values)+1)
	for i, value := range values {
		points = append(points, point{xs[i], p.height(value, top)})
	}
	if last := points[len(points)-1]; last.x < p.Right {
		points = append(points, point{p.Right, last.y})
	}
	return points
}

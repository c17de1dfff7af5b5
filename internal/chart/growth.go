package chart

import (
	"slices"
	"time"
)

// Growth is a chart of several kinds over time, one band on top of the other.
type Growth struct {
	Plot
	Bands []Band // from the bottom
}

// Band is the band of one kind.
type Band struct {
	Kind string
	Area string // path data of the filled area
	Edge string // path data of the upper edge
}

// NewGrowth returns the chart of the numbers at each time, one band for each series, the first at
// the bottom. times must be in order. A series without a positive number has no band. Without times
// it returns the zero Growth; a single time becomes a horizontal band.
func NewGrowth(times []time.Time, series []Series) Growth {
	if len(times) == 0 {
		return Growth{}
	}
	g := Growth{Plot: newPlot()}
	top := g.upTo(slices.Max(sums(series, len(times))))
	xs := g.over(times)
	g.Across = g.dates(times, xs)

	heights := make([]float64, len(times))
	below := g.edge(xs, heights, top)
	for _, s := range series {
		if s.empty() {
			continue
		}
		for i := range heights {
			heights[i] += s.at(i)
		}
		edge := g.edge(xs, heights, top)
		g.Bands = append(g.Bands, Band{Kind: s.Kind, Area: between(edge, below), Edge: line(edge)})
		below = edge
	}
	return g
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

// dates returns labels for at most four of the times, evenly spread, including the first and the
// last. It omits a label whose text equals the one before. times must not be empty.
func (p Plot) dates(times []time.Time, xs []Coordinate) []Tick {
	const names = 4
	format := dateFormat(times[len(times)-1].Sub(times[0]))
	var ticks []Tick
	last := len(times) - 1
	for n := range min(names, len(times)) {
		i := 0
		if n > 0 {
			i = n * last / (min(names, len(times)) - 1)
		}
		tick := Tick{At: xs[i], Text: times[i].Format(format), Anchor: "middle"}
		switch {
		case i == 0:
			tick.Anchor = "start"
		case i == last:
			tick.Anchor = "end"
		}
		if len(ticks) == 0 || ticks[len(ticks)-1].Text != tick.Text {
			ticks = append(ticks, tick)
		}
	}
	return ticks
}

// dateFormat returns the format for dates within a span: day and time below three days, day and
// month below 330 days, else month and year.
func dateFormat(span time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case span < 3*day:
		return "2 Jan 15:04"
	case span < 330*day:
		return "2 Jan"
	default:
		return "Jan 2006"
	}
}

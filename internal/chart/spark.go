package chart

import "slices"

// Spark is a sparkline: a chart of the size of a word.
type Spark struct {
	Width, Height Coordinate
	Line          string // path data; empty without values
	Area          string // path data of the area below the line
	EndX, EndY    Coordinate
}

const (
	sparkWidth, sparkHeight = 160, 32
	sparkMargin             = 3 // for the dot at the end
)

// NewSpark returns the sparkline of values at equal intervals, with 0 at the bottom. Negative
// values count as 0. Without values it returns the zero Spark.
func NewSpark(values []int) Spark {
	if len(values) == 0 {
		return Spark{}
	}
	s := Spark{Width: sparkWidth, Height: sparkHeight}
	ground := Plot{Left: sparkMargin, Top: sparkMargin, Right: sparkWidth - sparkMargin, Bottom: sparkHeight - sparkMargin}
	series := Series{Values: values}
	heights := make([]float64, len(values))
	xs := make([]Coordinate, len(values))
	for i := range values {
		heights[i] = series.at(i)
		xs[i] = ground.Left
		if last := len(values) - 1; last > 0 {
			xs[i] += Coordinate(i) / Coordinate(last) * (ground.Right - ground.Left)
		}
	}
	top := max(1, slices.Max(heights))
	edge := ground.edge(xs, heights, top)
	s.Line = line(edge)
	s.Area = between(edge, ground.edge(xs, make([]float64, len(values)), top))
	end := edge[len(edge)-1]
	s.EndX, s.EndY = end.x, end.y
	return s
}

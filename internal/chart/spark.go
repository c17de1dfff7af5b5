package chart

// Spark is how one number changed, drawn as large as a word.
type Spark struct {
	Width, Height Coordinate
	Line          string // path data; empty: there is nothing to draw
	Area          string // path data of what is below the line
	EndX, EndY    Coordinate
}

const (
	sparkWidth, sparkHeight = 160, 32
	sparkMargin             = 3 // room for the dot at the end
)

// NewSpark draws values that are as far from each other in time. It stands on 0, so that its height is comparable: a
// number that did not change is a level line. Without values the zero Spark is returned.
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
	top := max(1, most(heights))
	edge := ground.edge(xs, heights, top)
	s.Line = line(edge)
	s.Area = between(edge, ground.edge(xs, make([]float64, len(values)), top))
	end := edge[len(edge)-1]
	s.EndX, s.EndY = end.x, end.y
	return s
}

// Package chart lays out the pictures of Memoir: how a stock of memories grew, how old it is, and a line the size of a
// word. It is a pure function from numbers to the shapes of an SVG, in the units of its viewBox with y downwards; it
// knows neither memories nor HTML, reads no clock and draws nothing. The pages fill it and package templates draws it.
//
// Whatever the numbers are, every shape lies inside the viewBox and every coordinate is a number.
package chart

import (
	"math"
	"strconv"
	"strings"
)

// Series is how many there are of one kind, point after point. Negative numbers count as none, and so do missing ones.
type Series struct {
	Kind   string // what a page tells it apart by
	Values []int
}

// at returns a value as what is drawn: sums of large integers stay numbers.
func (s Series) at(i int) float64 {
	if i >= len(s.Values) {
		return 0
	}
	return max(0, float64(s.Values[i]))
}

func (s Series) empty() bool {
	for i := range s.Values {
		if s.at(i) > 0 {
			return false
		}
	}
	return true
}

// Coordinate is a length or a place in units of the viewBox.
type Coordinate float64

// String writes it as SVG reads it, to a tenth of a unit: finer than a pixel at any size that is used.
func (c Coordinate) String() string {
	tenths := math.Round(float64(c) * 10)
	if tenths == 0 {
		return "0" // and never -0
	}
	return strconv.FormatFloat(tenths/10, 'f', -1, 64)
}

// Plot is the ground that shapes stand on.
type Plot struct {
	Width, Height            Coordinate // of the viewBox, which begins at 0 0
	Left, Top, Right, Bottom Coordinate // the edges of the part that is drawn into
	Across                   []Tick     // along the bottom edge, from the left; At is x
	Up                       []Tick     // along the left edge, from the bottom; At is y
}

// Tick is a mark on an axis.
type Tick struct {
	At     Coordinate
	Text   string
	Anchor string // as in SVG's text-anchor: start, middle or end
}

// The two large pictures have one size, at which their words are readable on a phone as wide as they are.
const (
	plotWidth, plotHeight = 360, 190
	gutter                = 36 // for the numbers at the left
	headroom              = 18 // for the words above the highest shape
	footroom              = 22 // for the words below
	margin                = 6  // at the right
)

func newPlot() Plot {
	return Plot{
		Width: plotWidth, Height: plotHeight,
		Left: gutter, Top: headroom, Right: plotWidth - margin, Bottom: plotHeight - footroom,
	}
}

// upTo puts numbers up to at least most at the left edge, and returns the one at the top edge.
func (p *Plot) upTo(most float64) (top float64) {
	const steps = 4
	step := roundStep(most / steps)
	top = max(step, math.Ceil(most/step)*step)
	for i := 0; float64(i)*step <= top; i++ {
		p.Up = append(p.Up, Tick{At: p.height(float64(i)*step, top), Text: short(float64(i) * step), Anchor: "end"})
	}
	return top
}

// height returns where a value stands between the bottom edge, which is 0, and the top edge.
func (p Plot) height(value, top float64) Coordinate {
	return p.Bottom - Coordinate(min(1, value/top))*(p.Bottom-p.Top)
}

// roundStep returns the smallest of 1, 2, 5, 10, 20, 50… that is no smaller than the given one.
func roundStep(atLeast float64) float64 {
	if atLeast <= 1 {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(atLeast)))
	for _, factor := range []float64{1, 2, 5} {
		if factor*power >= atLeast {
			return factor * power
		}
	}
	return 10 * power
}

// short writes a number so that it fits into the gutter.
func short(value float64) string {
	write := func(value float64) string { return strconv.FormatFloat(value, 'f', -1, 64) }
	switch {
	case value < 10_000:
		return write(value)
	case value < 1_000_000:
		return write(math.Round(value/100)/10) + "k"
	case value < 1_000_000_000_000:
		return write(math.Round(value/100_000)/10) + "M"
	default:
		return strconv.FormatFloat(value, 'e', 0, 64)
	}
}

// point is a place in a picture.
type point struct{ x, y Coordinate }

// line is the path through points. Those in the middle of a level stretch add nothing to it and are left out.
func line(points []point) string {
	var path strings.Builder
	for i, at := range points {
		if i > 0 && i < len(points)-1 && points[i-1].y == at.y && at.y == points[i+1].y {
			continue
		}
		if i == 0 {
			path.WriteString("M")
		} else {
			path.WriteString("L")
		}
		path.WriteString(at.x.String() + " " + at.y.String())
	}
	return path.String()
}

// between is the outline of what lies between two lines of the same points.
func between(upper, lower []point) string {
	back := make([]point, len(lower))
	for i, at := range lower {
		back[len(lower)-1-i] = at
	}
	return line(upper) + "L" + strings.TrimPrefix(line(back), "M") + "Z"
}

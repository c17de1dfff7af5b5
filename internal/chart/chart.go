// Package chart lays out Memoir's charts: timelines, columns and sparklines. It is a pure function
// from numbers to SVG shapes in units of the viewBox, y downwards. It knows no memories and no
// HTML, reads no clock and renders nothing. The pages call it, and package templates renders the
// result. Every shape lies inside the viewBox, for any numbers.
package chart

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// Series is a series of numbers of one kind. Negative and missing values count as 0.
type Series struct {
	Kind   string // identifies the series on the page
	Values []int
}

// at returns the value at index i as a float64, because sums of large integers could overflow. A
// missing or negative value is 0.
func (s Series) at(i int) float64 {
	if i >= len(s.Values) {
		return 0
	}
	return max(0, float64(s.Values[i]))
}

func (s Series) empty() bool {
	return !slices.ContainsFunc(s.Values, func(n int) bool { return n > 0 })
}

// Coordinate is a length or position in units of the viewBox.
type Coordinate float64

// String formats a coordinate for SVG, rounded to a tenth of a unit, which is less than a pixel. It
// omits a decimal of 0.
func (c Coordinate) String() string {
	tenths := math.Round(float64(c) * 10)
	if tenths == 0 {
		return "0" // never -0
	}
	return strconv.FormatFloat(tenths/10, 'f', -1, 64)
}

// Plot is the area and the axes of a chart.
type Plot struct {
	Width, Height            Coordinate // of the viewBox, which starts at 0 0
	Left, Top, Right, Bottom Coordinate // edges of the plot area
	Across                   []Tick     // along the bottom edge, from left to right; At is x
	Up                       []Tick     // along the left edge, from bottom to top; At is y
}

// Tick is a label on an axis.
type Tick struct {
	At     Coordinate
	Text   string
	Anchor string // SVG's text-anchor: start, middle or end
}

// Size of the large charts, in units of the viewBox. It is chosen so that the text is readable on a
// phone.
const (
	plotWidth, plotHeight = 360, 190
	gutter                = 36 // for the numbers on the left
	headroom              = 18 // for the text above the highest shape
	footroom              = 22 // for the text below
	margin                = 6  // on the right
)

func newPlot() Plot {
	return Plot{
		Width: plotWidth, Height: plotHeight,
		Left: gutter, Top: headroom, Right: plotWidth - margin, Bottom: plotHeight - footroom,
	}
}

// upTo adds ticks with labels to the left edge for values from 0 to at least limit, at round
// numbers. It returns the value at the top edge, which is at least limit and 1.
func (p *Plot) upTo(limit float64) (top float64) {
	const steps = 4
	step := roundStep(limit / steps)
	top = max(step, math.Ceil(limit/step)*step)
	for i := 0; float64(i)*step <= top; i++ {
		p.Up = append(p.Up, Tick{At: p.height(float64(i)*step, top), Text: short(float64(i) * step), Anchor: "end"})
	}
	return top
}

// height returns the y of a value. 0 is at the bottom edge; top and larger values are at the top
// edge. top must be positive.
func (p Plot) height(value, top float64) Coordinate {
	return p.Bottom - Coordinate(min(1, value/top))*(p.Bottom-p.Top)
}

// roundStep returns the smallest of 1, 2, 5, 10, 20, 50… that is at least atLeast.
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

// short formats a number so that it fits into the gutter: 1234, 12.3k, 1.2M or 1e+12. From 10,000
// it rounds to a tenth of the unit.
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

// point is a position in a chart.
type point struct{ x, y Coordinate }

// line returns the SVG path data of the line through points. It omits points inside a horizontal
// stretch. Without points it returns "".
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

// between returns the SVG path data of the closed outline of the area between two lines with the
// same x.
func between(upper, lower []point) string {
	reversed := slices.Clone(lower)
	slices.Reverse(reversed)
	return line(upper) + "L" + strings.TrimPrefix(line(reversed), "M") + "Z"
}

// sums returns the sum of the series at each of the first n points. A missing or negative value
// counts as 0.
func sums(series []Series, n int) []float64 {
	totals := make([]float64, n)
	for _, s := range series {
		for i := range totals {
			totals[i] += s.at(i)
		}
	}
	return totals
}

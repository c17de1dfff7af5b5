// Package chart lays out Memoir's charts: timelines and sparklines. It is a pure function
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

// Plot is the area of a chart.
type Plot struct {
	Width, Height            Coordinate // of the viewBox, which starts at 0 0
	Left, Top, Right, Bottom Coordinate // edges of the plot area
}

// height returns the y of a value. 0 is at the bottom edge; top and larger values are at the top
// edge. top must be positive.
func (p Plot) height(value, top float64) Coordinate {
	return p.Bottom - Coordinate(min(1, value/top))*(p.Bottom-p.Top)
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

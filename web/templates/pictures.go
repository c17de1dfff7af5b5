package templates

import (
	"slices"
	"strings"
	"time"

	"memoir/internal/chart"
	"memoir/internal/memories"
	"memoir/web/templates/wording"
)

// CountsByType is the number of memories of each type at each point of a chart. The empty type
// means memories without a type.
type CountsByType map[memories.Type][]int

// drawnTypes returns the types in the stacking order of charts, from the bottom. The empty type,
// for memories without a type, is last.
func drawnTypes() []memories.Type { return append(memories.Types(), "") }

// at returns the number of memories of a type at point i. It is 0 if there is no such point.
func (c CountsByType) at(t memories.Type, i int) int {
	if i < 0 || i >= len(c[t]) {
		return 0
	}
	return c[t][i]
}

// Total returns the number of all memories at point i.
func (c CountsByType) Total(i int) int {
	n := 0
	for _, t := range drawnTypes() {
		n += c.at(t, i)
	}
	return n
}

func (c CountsByType) types() []memories.Type {
	return slices.DeleteFunc(drawnTypes(), func(t memories.Type) bool {
		return !slices.ContainsFunc(c[t], func(n int) bool { return n > 0 })
	})
}

func (c CountsByType) series() []chart.Series {
	var all []chart.Series
	for _, t := range drawnTypes() {
		all = append(all, chart.Series{Kind: string(t), Values: c[t]})
	}
	return all
}

// summary returns the numbers at point i in words: "2 feedback, 1 project". It omits types with 0,
// and is empty if all are 0.
func (c CountsByType) summary(i int) string {
	var parts []string
	for _, t := range drawnTypes() {
		if n := c.at(t, i); n > 0 {
			parts = append(parts, wording.Number(n)+" "+strings.ToLower(wording.TypeName(t)))
		}
	}
	return strings.Join(parts, ", ")
}

func day(t time.Time) string { return t.Format("2 January 2006") }

// viewBox returns the SVG view box of a chart, with its origin at 0,0.
func viewBox(width, height chart.Coordinate) string {
	return "0 0 " + width.String() + " " + height.String()
}

package templates

import (
	"slices"
	"strings"
	"time"

	"memoir/internal/chart"
	"memoir/internal/memories"
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

func (c CountsByType) totalAt(i int) int {
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
			parts = append(parts, number(n)+" "+strings.ToLower(typeName(t)))
		}
	}
	return strings.Join(parts, ", ")
}

// Growth is the data of the chart of the number of memories over time.
type Growth struct {
	Times  []time.Time // in order, in the time zone of the page
	Counts CountsByType
}

func (g Growth) worthDrawing() bool { return len(g.Times) > 0 && len(g.Counts.types()) > 0 }

func (g Growth) chart() chart.Growth { return chart.NewGrowth(g.Times, g.Counts.series()) }

// summary returns the chart's first and last numbers in a sentence, for screen readers. There must
// be at least one point.
func (g Growth) summary() string {
	last := len(g.Times) - 1
	return "From " + counted(g.Counts.totalAt(0), "memory", "memories") + " on " + day(g.Times[0]) + " to " +
		number(g.Counts.totalAt(last)) + " on " + day(g.Times[last]) + ": " + g.Counts.summary(last) + "."
}

// changes returns the indexes of the points where the number of any type differs from the point
// before, newest first. The first point is always included.
func (g Growth) changes() []int {
	var points []int
	for i := range g.Times {
		if i == 0 || slices.ContainsFunc(drawnTypes(), func(t memories.Type) bool { return g.Counts.at(t, i) != g.Counts.at(t, i-1) }) {
			points = append(points, i)
		}
	}
	slices.Reverse(points)
	return points
}

// Ages is the data of the chart of the ages of memories.
type Ages struct {
	Labels []string // of the age ranges, youngest first
	Counts CountsByType
}

func (a Ages) worthDrawing() bool { return len(a.Labels) > 0 && len(a.Counts.types()) > 0 }

func (a Ages) chart() chart.Columns {
	short := make([]string, len(a.Labels))
	for i, label := range a.Labels {
		short[i] = strings.Replace(label, " days", " d", 1)
	}
	return chart.NewColumns(short, a.Counts.series())
}

// summary returns the number of memories of each age in a sentence, for screen readers.
func (a Ages) summary() string {
	parts := make([]string, len(a.Labels))
	for i, label := range a.Labels {
		parts[i] = label + ": " + number(a.Counts.totalAt(i))
	}
	return "Memories by age: " + strings.Join(parts, ", ") + "."
}

func day(t time.Time) string { return t.Format("2 January 2006") }

func patternOf(kind string) string { return "pattern-" + iconOf(memories.Type(kind)) }

func filledWith(kind string) string { return "url(#" + patternOf(kind) + ")" }

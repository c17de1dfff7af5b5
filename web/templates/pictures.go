package templates

import (
	"slices"
	"strings"
	"time"

	"memoir/internal/chart"
	"memoir/internal/memories"
)

// CountsByType is how many memories of each type there were, point after point. The empty type is of those that have
// none.
type CountsByType map[memories.Type][]int

// drawnTypes are the types in the order in which they are drawn, from the bottom.
func drawnTypes() []memories.Type { return append(memories.Types(), "") }

// at returns how many there were of a type at a point.
func (c CountsByType) at(t memories.Type, i int) int {
	if i < 0 || i >= len(c[t]) {
		return 0
	}
	return c[t][i]
}

// totalAt returns how many there were of all types at a point.
func (c CountsByType) totalAt(i int) int {
	n := 0
	for _, t := range drawnTypes() {
		n += c.at(t, i)
	}
	return n
}

// types returns those of which there ever were any, from the bottom of the picture.
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

// says counts the memories of each type at a point: "2 feedback, 1 project".
func (c CountsByType) says(i int) string {
	var parts []string
	for _, t := range drawnTypes() {
		if n := c.at(t, i); n > 0 {
			parts = append(parts, number(n)+" "+strings.ToLower(typeName(t)))
		}
	}
	return strings.Join(parts, ", ")
}

// Growth is the picture of how many memories an agent had over time, and the numbers that it shows.
type Growth struct {
	Times  []time.Time // in order, in the zone that people see
	Counts CountsByType
}

// worthDrawing says that there is more to see than an empty plane.
func (g Growth) worthDrawing() bool { return len(g.Times) > 0 && len(g.Counts.types()) > 0 }

func (g Growth) chart() chart.Growth { return chart.NewGrowth(g.Times, g.Counts.series()) }

// says tells what the picture shows.
func (g Growth) says() string {
	last := len(g.Times) - 1
	return "From " + counted(g.Counts.totalAt(0), "memory", "memories") + " on " + day(g.Times[0]) + " to " +
		number(g.Counts.totalAt(last)) + " on " + day(g.Times[last]) + ": " + g.Counts.says(last) + "."
}

// changes returns the points at which the numbers are others than before, newest first.
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

// Ages is the picture of how old an agent's memories are, and the numbers that it shows.
type Ages struct {
	Labels []string // of the ages, youngest first
	Counts CountsByType
}

func (a Ages) worthDrawing() bool { return len(a.Labels) > 0 && len(a.Counts.types()) > 0 }

// chart has short labels: six of them stand side by side.
func (a Ages) chart() chart.Columns {
	short := make([]string, len(a.Labels))
	for i, label := range a.Labels {
		short[i] = strings.Replace(label, " days", " d", 1)
	}
	return chart.NewColumns(short, a.Counts.series())
}

// says tells what the picture shows.
func (a Ages) says() string {
	parts := make([]string, len(a.Labels))
	for i, label := range a.Labels {
		parts[i] = label + ": " + number(a.Counts.totalAt(i))
	}
	return "Memories by age: " + strings.Join(parts, ", ") + "."
}

// Trend is how the number of an agent's memories changed lately, drawn as large as a word.
type Trend struct {
	Totals []int // as far from each other in time
	Days   int   // from the first to the last
}

func (t Trend) chart() chart.Spark { return chart.NewSpark(t.Totals) }

// change is how many more there are than there were; less than 0: fewer.
func (t Trend) change() int {
	if len(t.Totals) == 0 {
		return 0
	}
	return t.Totals[len(t.Totals)-1] - t.Totals[0]
}

// words say how many more or fewer there are.
func (t Trend) words() string {
	span := " in " + counted(t.Days, "day", "days")
	switch n := t.change(); {
	case n > 0:
		return "+" + number(n) + span
	case n < 0:
		return "−" + number(-n) + span
	default:
		return "as many as " + counted(t.Days, "day", "days") + " ago"
	}
}

// says tells those who do not see the line what it shows.
func (t Trend) says() string {
	return "Memories over the last " + counted(t.Days, "day", "days") + ": " + number(t.Totals[0]) + " at first, " +
		number(slices.Max(t.Totals)) + " at most, " + number(t.Totals[len(t.Totals)-1]) + " now"
}

// day writes a date for people, in the zone that it carries.
func day(t time.Time) string { return t.Format("2 January 2006") }

func patternOf(kind string) string { return "pattern-" + iconOf(memories.Type(kind)) }

// filledWith is the fill of what stands for a type.
func filledWith(kind string) string { return "url(#" + patternOf(kind) + ")" }

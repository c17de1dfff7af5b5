package chart_test

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"memoir/internal/chart"
)

var noon = time.Date(2026, 3, 9, 12, 0, 0, 0, time.UTC)

// days returns n times, one day apart.
func days(n int) []time.Time {
	times := make([]time.Time, n)
	for i := range times {
		times[i] = noon.AddDate(0, 0, i)
	}
	return times
}

// extremes are numbers beyond those of real agents, and those of new agents.
var extremes = map[string][]int{
	"none":      {},
	"one":       {7},
	"one zero":  {0},
	"all zero":  {0, 0, 0, 0},
	"all equal": {5, 5, 5, 5, 5},
	"rising":    {0, 1, 2, 4, 8, 16, 1000},
	"huge":      {math.MaxInt, 1, math.MaxInt, math.MaxInt},
	"negative":  {-4, 3, -1},
	"wavering":  {0, 100_000, 0, 100_000, 1},
}

var number = regexp.MustCompile(`-?[0-9.]+`)

// inside checks that all numbers of path data are inside the chart.
func inside(t *testing.T, path string, width, height chart.Coordinate) {
	t.Helper()
	if strings.Contains(path, "NaN") || strings.Contains(path, "Inf") {
		t.Fatalf("the path has what is no number: %s", path)
	}
	for i, text := range number.FindAllString(path, -1) {
		value, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatalf("%q in the path: %v", text, err)
		}
		within(t, chart.Coordinate(value), []chart.Coordinate{width, height}[i%2])
	}
}

func within(t *testing.T, at, size chart.Coordinate) {
	t.Helper()
	if !(at >= 0 && at <= size) { // also fails for NaN
		t.Errorf("%v is not between 0 and %v", at, size)
	}
}

func TestCharts_InsideViewBox(t *testing.T) {
	t.Parallel()
	for name, values := range extremes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			series := []chart.Series{{Kind: "a", Values: values}, {Kind: "b", Values: values}, {Kind: "c"}}

			var events []chart.Event
			for i, n := range values {
				events = append(events, chart.Event{At: noon.AddDate(0, 0, i-1), N: n}) // the first is too early
			}
			timeline := chart.NewTimeline(days(len(values)), series, events)
			for _, area := range timeline.Areas {
				inside(t, area.Path, timeline.Width, timeline.Height)
			}
			for _, bar := range timeline.Bars {
				within(t, bar.X, timeline.Width-bar.Width)
				within(t, bar.Y, timeline.Height-bar.Height)
			}

			spark := chart.NewSpark(values)
			inside(t, spark.Line, spark.Width, spark.Height)
			inside(t, spark.Area, spark.Width, spark.Height)
			within(t, spark.EndX, spark.Width)
			within(t, spark.EndY, spark.Height)
		})
	}
}

func TestTimeline_TimesInOrder(t *testing.T) {
	t.Parallel()
	for name, times := range map[string][]time.Time{
		"one moment":   {noon, noon, noon},
		"one day":      {noon, noon.Add(time.Hour), noon.Add(24 * time.Hour)},
		"a century":    {noon, noon.AddDate(100, 0, 0)},
		"ten thousand": days(10_000),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			values := make([]int, len(times))
			for i := range values {
				values[i] = i
			}
			timeline := chart.NewTimeline(times, []chart.Series{{Kind: "a", Values: values}}, nil)
			for _, area := range timeline.Areas {
				inside(t, area.Path, timeline.Width, timeline.Height)
			}
		})
	}
}

func TestCharts_Empty(t *testing.T) {
	t.Parallel()
	if g := chart.NewTimeline(nil, []chart.Series{{Kind: "a"}}, []chart.Event{{At: noon, N: 1}}); len(g.Areas) != 0 || g.Width != 0 {
		t.Errorf("the timeline is %+v", g)
	}
	if s := chart.NewSpark(nil); s.Line != "" {
		t.Errorf("spark is %+v", s)
	}
}

func TestTimeline_StackedAreas(t *testing.T) {
	t.Parallel()
	series := []chart.Series{{Kind: "low", Values: []int{0, 4}}, {Kind: "none", Values: []int{0, 0}}, {Kind: "high", Values: []int{0, 4}}}
	got := chart.NewTimeline(days(2), series, []chart.Event{{At: noon.Add(12 * time.Hour), N: 2}, {At: noon.AddDate(0, 0, 1), N: 1}})
	areas := []chart.Area{{Kind: "low", Path: "M0 150L1000 78L1000 150L0 150Z"}, {Kind: "high", Path: "M0 150L1000 6L1000 78L0 150Z"}}
	if !slices.Equal(got.Areas, areas) {
		t.Errorf("areas = %+v, want %+v", got.Areas, areas)
	}
	bars := []chart.Bar{{X: 497.5, Y: 156, Width: 5, Height: 22}, {X: 995, Y: 156, Width: 5, Height: 11}}
	if !slices.Equal(got.Bars, bars) {
		t.Errorf("bars = %+v, want %+v", got.Bars, bars)
	}
}

func TestTimeline_X(t *testing.T) {
	t.Parallel()
	timeline := chart.NewTimeline(days(3), nil, nil)
	first, last := noon, noon.AddDate(0, 0, 2)
	for name, c := range map[string]struct {
		last, at time.Time
		want     chart.Coordinate
	}{
		"the middle":  {last, noon.AddDate(0, 0, 1), 500},
		"before":      {last, noon.AddDate(-1, 0, 0), 0},
		"after":       {last, noon.AddDate(1, 0, 0), 1000},
		"no duration": {first, noon, 1000},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := timeline.X(first, c.last, c.at); got != c.want {
				t.Errorf("X() = %v, want %v", got, c.want)
			}
		})
	}
}

func TestLine_LevelStretch(t *testing.T) {
	t.Parallel()
	if got, want := chart.NewSpark([]int{5, 5, 5, 5, 5}).Line, "M3 3L157 3"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

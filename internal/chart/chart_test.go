package chart_test

import (
	"math"
	"regexp"
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

func ground(t *testing.T, p chart.Plot) {
	t.Helper()
	for _, tick := range p.Across {
		within(t, tick.At, p.Width)
	}
	for _, tick := range p.Up {
		within(t, tick.At, p.Height)
		if len(tick.Text) > 6 {
			t.Errorf("%q does not fit at the side", tick.Text)
		}
	}
}

func TestCharts_InsideViewBox(t *testing.T) {
	t.Parallel()
	for name, values := range extremes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			series := []chart.Series{{Kind: "a", Values: values}, {Kind: "b", Values: values}, {Kind: "c"}}

			growth := chart.NewGrowth(days(len(values)), series)
			ground(t, growth.Plot)
			for _, band := range growth.Bands {
				inside(t, band.Area, growth.Width, growth.Height)
				inside(t, band.Edge, growth.Width, growth.Height)
			}

			for _, columns := range []chart.Columns{chart.NewColumns(make([]string, len(values)), series), chart.NewDaily(days(len(values)), series)} {
				ground(t, columns.Plot)
				for _, column := range columns.Columns {
					within(t, column.TotalY, columns.Height)
					for _, part := range column.Parts {
						within(t, part.X, columns.Width)
						within(t, part.X+part.Width, columns.Width)
						within(t, part.Y, columns.Height)
						within(t, part.Y+part.Height, columns.Height)
						within(t, part.Height, columns.Height)
					}
				}
			}

			spark := chart.NewSpark(values)
			inside(t, spark.Line, spark.Width, spark.Height)
			inside(t, spark.Area, spark.Width, spark.Height)
			within(t, spark.EndX, spark.Width)
			within(t, spark.EndY, spark.Height)
		})
	}
}

func TestGrowth_TimesInOrder(t *testing.T) {
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
			growth := chart.NewGrowth(times, []chart.Series{{Kind: "a", Values: values}})
			ground(t, growth.Plot)
			for _, band := range growth.Bands {
				inside(t, band.Area, growth.Width, growth.Height)
			}
			if n := len(growth.Across); n == 0 || n > 4 {
				t.Errorf("there are %d dates", n)
			}
			for i := 1; i < len(growth.Across); i++ {
				if growth.Across[i].Text == growth.Across[i-1].Text {
					t.Errorf("%q is written twice", growth.Across[i].Text)
				}
			}
		})
	}
}

func TestCharts_Empty(t *testing.T) {
	t.Parallel()
	if g := chart.NewGrowth(nil, []chart.Series{{Kind: "a"}}); len(g.Bands) != 0 || g.Width != 0 {
		t.Errorf("growth is %+v", g)
	}
	if c := chart.NewColumns(nil, nil); len(c.Columns) != 0 || c.Width != 0 {
		t.Errorf("columns are %+v", c)
	}
	if s := chart.NewSpark(nil); s.Line != "" {
		t.Errorf("spark is %+v", s)
	}
}

func TestGrowth_StackedBands(t *testing.T) {
	t.Parallel()
	g := chart.NewGrowth(days(2), []chart.Series{{Kind: "low", Values: []int{0, 4}}, {Kind: "none", Values: []int{0, 0}}, {Kind: "high", Values: []int{0, 4}}})
	want := []chart.Band{
		{Kind: "low", Area: "M36 168L354 93L354 168L36 168Z", Edge: "M36 168L354 93"},
		{Kind: "high", Area: "M36 168L354 18L354 93L36 168Z", Edge: "M36 168L354 18"},
	}
	if len(g.Bands) != 2 || g.Bands[0] != want[0] || g.Bands[1] != want[1] {
		t.Errorf("the bands are %+v, want %+v", g.Bands, want)
	}
	if first, last := g.Up[0].Text, g.Up[len(g.Up)-1].Text; first != "0" || last != "8" {
		t.Errorf("the numbers at the side go from %s to %s", first, last)
	}
	if g.Across[0].Text != "9 Mar 12:00" || g.Across[1].Text != "10 Mar 12:00" {
		t.Errorf("the dates are %+v", g.Across)
	}
}

func TestColumns_Height(t *testing.T) {
	t.Parallel()
	c := chart.NewColumns([]string{"new", "old"}, []chart.Series{{Kind: "a", Values: []int{1, 0}}, {Kind: "b", Values: []int{3, 2}}})
	parts := c.Columns[0].Parts
	if len(parts) != 2 || parts[0].Height*3 != parts[1].Height || parts[1].Y != c.Top {
		t.Errorf("the first column is %+v", parts)
	}
	if old := c.Columns[1]; len(old.Parts) != 1 || old.Parts[0].Kind != "b" || old.Total.Text != "2" || old.Label.Text != "old" {
		t.Errorf("the second column is %+v", old)
	}
}

func TestDaily_FourLabels(t *testing.T) {
	t.Parallel()
	c := chart.NewDaily(days(30), []chart.Series{{Kind: "a", Values: []int{3, 0, 1}}})
	if len(c.Columns) != 30 || len(c.Columns[0].Parts) != 1 || len(c.Columns[1].Parts) != 0 || c.Columns[0].Total.Text != "" {
		t.Errorf("the columns are %+v", c.Columns[:3])
	}
	var named []string
	for _, tick := range c.Across {
		named = append(named, tick.Text)
	}
	if got := strings.Join(named, ", "); got != "9 Mar, 18 Mar, 28 Mar, 7 Apr" {
		t.Errorf("named are %s", got)
	}
	if c := chart.NewDaily(nil, nil); len(c.Columns) != 0 || c.Width != 0 {
		t.Errorf("without days they are %+v", c)
	}
}

func TestLine_LevelStretch(t *testing.T) {
	t.Parallel()
	if got, want := chart.NewSpark([]int{5, 5, 5, 5, 5}).Line, "M3 3L157 3"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestShort_LargeNumbers(t *testing.T) {
	t.Parallel()
	for most, want := range map[int]string{3: "3", 4_000: "4000", 40_000: "40k", 4_000_000: "4M"} {
		up := chart.NewColumns([]string{""}, []chart.Series{{Values: []int{most}}}).Up
		if got := up[len(up)-1].Text; got != want {
			t.Errorf("%d is written as %s, want %s", most, got, want)
		}
	}
}

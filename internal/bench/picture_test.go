package bench

import (
	"bytes"
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strings"
	"text/template"
	"time"
)

//go:embed growth.svg.tmpl
var pictureText string

// The size of the picture and of its plot area, in units of the viewBox.
const (
	pictureWidth, pictureHeight       = 900, 520
	plotLeft, plotTop                 = 70, 20
	plotRight, plotBottom             = 620, 470
	labelHeight                       = 17
	cheapest, dearest           int64 = int64(100 * time.Microsecond), int64(100 * time.Second)
)

// colours are the colours of the lines, visible on white and on black.
var colours = []string{"#3b7dd8", "#d9822b", "#2f9e6e", "#c2486a", "#8a63d2", "#1c9fb0", "#9a7b2d", "#6b7280"}

type drawn struct {
	Job, Exponent, Colour, Path string
	Dots                        []dot
	LabelY                      float64
}

type dot struct{ X, Y float64 }

type tick struct {
	At   float64
	Text string
}

// picture draws the lines on two logarithmic scales.
func (g growth) picture() []byte {
	picture := struct {
		Width, Height, Left, Top, Right, Bottom, LabelX int
		Across, Up                                      []tick
		Linear                                          [2]dot
		Lines                                           []drawn
	}{Width: pictureWidth, Height: pictureHeight, Left: plotLeft, Top: plotTop, Right: plotRight, Bottom: plotBottom, LabelX: plotRight + 14}
	for _, n := range []int{1_000, 10_000, 100_000} {
		picture.Across = append(picture.Across, tick{across(n), grouped(n)})
	}
	for d := time.Duration(cheapest); d <= time.Duration(dearest); d *= 10 {
		picture.Up = append(picture.Up, tick{up(d), d.String()})
	}
	picture.Linear = [2]dot{{across(1_000), up(300 * time.Microsecond)}, {across(100_000), up(30 * time.Millisecond)}}
	for i, l := range g {
		line := drawn{Job: l.Job, Exponent: fmt.Sprintf("%.2f", l.Exponent()), Colour: colours[i%len(colours)]}
		var path []string
		for _, p := range l.Points {
			at := dot{across(p.Files), up(p.Cost)}
			line.Dots = append(line.Dots, at)
			path = append(path, fmt.Sprintf("%.1f,%.1f", at.X, at.Y))
		}
		line.Path = strings.Join(path, " ")
		line.LabelY = line.Dots[len(line.Dots)-1].Y + 4
		picture.Lines = append(picture.Lines, line)
	}
	spread(picture.Lines)
	var out bytes.Buffer
	if err := template.Must(template.New("growth").Parse(pictureText)).Execute(&out, picture); err != nil {
		panic(err) // the template is fixed
	}
	return out.Bytes()
}

// spread moves overlapping labels apart, from the top down.
func spread(lines []drawn) {
	order := make([]*drawn, len(lines))
	for i := range lines {
		order[i] = &lines[i]
	}
	slices.SortFunc(order, func(a, b *drawn) int { return int(1000 * (a.LabelY - b.LabelY)) })
	for i := 1; i < len(order); i++ {
		order[i].LabelY = max(order[i].LabelY, order[i-1].LabelY+labelHeight)
	}
}

func across(files int) float64 {
	return plotLeft + (plotRight-plotLeft)*math.Log10(float64(files)/1_000)/2
}

func up(cost time.Duration) float64 {
	bounded := float64(min(max(int64(cost), cheapest), dearest))
	part := math.Log10(bounded/float64(cheapest)) / math.Log10(float64(dearest)/float64(cheapest))
	return plotBottom - (plotBottom-plotTop)*part
}

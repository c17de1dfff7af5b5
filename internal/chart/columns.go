package chart

import (
	"slices"
	"time"
)

// Columns is a chart of stacked columns.
type Columns struct {
	Plot
	Columns []Column
}

// Column is one column, with a label below it and its total above it.
type Column struct {
	Label  Tick // below the column
	Total  Tick // above the column; At is x
	TotalY Coordinate
	Parts  []Part // from the bottom; kinds with value 0 are omitted
}

// Part is the part of a column for one kind.
type Part struct {
	Kind                string
	X, Y, Width, Height Coordinate
}

const (
	maxWidth   = 48 // of a column, in units of the viewBox
	fillFactor = .7 // of a column's share of the width
	textAbove  = 5  // between a column and its total, in units of the viewBox
)

// NewColumns returns a column for each label, with the values of the series stacked in it, the
// first at the bottom. Missing and negative values count as 0; values beyond the labels are
// ignored. Without labels it returns the zero Columns.
func NewColumns(labels []string, series []Series) Columns {
	if len(labels) == 0 {
		return Columns{}
	}
	c := Columns{Plot: newPlot()}
	totals := sums(series, len(labels))
	top := c.upTo(slices.Max(totals))
	room := (c.Right - c.Left) / Coordinate(len(labels))
	width := min(maxWidth, fillFactor*room)
	for i, label := range labels {
		middle := c.Left + (Coordinate(i)+.5)*room
		column := Column{Label: Tick{At: middle, Text: label, Anchor: "middle"}}
		height := 0.0
		for _, s := range series {
			if s.at(i) == 0 {
				continue
			}
			foot := c.height(height, top)
			height += s.at(i)
			y := c.height(height, top)
			column.Parts = append(column.Parts, Part{Kind: s.Kind, X: middle - width/2, Y: y, Width: width, Height: foot - y})
		}
		column.Total = Tick{At: middle, Text: short(totals[i]), Anchor: "middle"}
		column.TotalY = c.height(height, top) - textAbove
		c.Columns = append(c.Columns, column)
	}
	return c
}

// NewDaily returns a column for each day, without a label and a total of its own. At most four
// days, evenly spread, are labelled on the axis. Without days it returns the zero Columns.
func NewDaily(days []time.Time, series []Series) Columns {
	c := NewColumns(make([]string, len(days)), series)
	if len(days) == 0 {
		return c
	}
	middles := make([]Coordinate, len(days))
	for i := range c.Columns {
		middles[i] = c.Columns[i].Label.At
		c.Columns[i].Total.Text = ""
	}
	c.Across = c.dates(days, middles)
	return c
}

package chart

import "time"

// NewDaily draws a column for each day. There are many, so that nothing is written at them: the numbers go into a table beside the
// picture, and at most four of the days are named below it. Without a day there is nothing to draw, and the zero Columns is returned.
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

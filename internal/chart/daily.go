package chart

import "time"

// NewDaily returns a column for each day, without texts at the columns. At most four days are
// labelled. Without days it returns the zero Columns.
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

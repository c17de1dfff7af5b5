package chart

// Columns are numbers side by side, each made up of several kinds.
type Columns struct {
	Plot
	Columns []Column
}

// Column is one of them.
type Column struct {
	Label  Tick // below it
	Total  Tick // right above it; At is x
	TotalY Coordinate
	Parts  []Part // from the bottom; kinds of which there are none are left out
}

// Part is what one kind adds to a column.
type Part struct {
	Kind                string
	X, Y, Width, Height Coordinate
}

const (
	widest    = 48 // of a column
	filled    = .7 // of the room that a column has
	textAbove = 5  // from a column to its total
)

// NewColumns draws a column for each label. Without one there is nothing to draw, and the zero Columns is returned.
func NewColumns(labels []string, series []Series) Columns {
	if len(labels) == 0 {
		return Columns{}
	}
	c := Columns{Plot: newPlot()}
	sums := make([]float64, len(labels))
	for _, s := range series {
		for i := range labels {
			sums[i] += s.at(i)
		}
	}
	top := c.upTo(most(sums))
	room := (c.Right - c.Left) / Coordinate(len(labels))
	width := min(widest, filled*room)
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
		column.Total = Tick{At: middle, Text: short(sums[i]), Anchor: "middle"}
		column.TotalY = c.height(height, top) - textAbove
		c.Columns = append(c.Columns, column)
	}
	return c
}

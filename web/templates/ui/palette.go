package ui

import (
	"memoir/internal/memories"
	"memoir/internal/words"
	"memoir/web/templates/wording"
)

// The ids of the forms of the palette's actions.
const (
	PaletteScan  = "palette-scan"
	PaletteTheme = "theme" // in the sidebar
)

// Palette is the view of the results of the palette, the dialog that opens anything by its name.
type Palette struct {
	Query  string
	Groups []PaletteGroup // none is empty
	// IsEmpty reports whether the query found nothing. Groups may still have actions.
	IsEmpty bool
}

// PaletteGroup are the results of a kind.
type PaletteGroup struct {
	Label string
	Items []PaletteItem
}

// PaletteItem is a result. It has either an address or a form.
type PaletteItem struct {
	Icon string
	Type memories.Type // colours the icon; may be empty
	Name []words.Part  // with the query marked
	Note string        // in one line
	Keys string        // shortcut, such as "g r"; empty for none
	Href string
	// Form is the id of the form of an action. Field and Value are sent with it.
	Form, Field, Value string
}

// status returns the number of results in words, for screen readers.
func (p Palette) status() string {
	n := 0
	for _, g := range p.Groups {
		n += len(g.Items)
	}
	if p.IsEmpty {
		return "No results for “" + p.Query + "”"
	}
	return wording.Count(n, "result", "results")
}

// PlainParts returns a text without marks.
func PlainParts(text string) []words.Part { return []words.Part{{Text: text}} }

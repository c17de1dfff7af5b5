package ui

import (
	"context"
	"io"
	"regexp"
	"strings"

	"github.com/a-h/templ"

	"memoir/internal/memories"
	"memoir/internal/words"
	"memoir/web/templates/wording"
)

// Quick are the attributes that make the forms within an element load by htmx. The response
// replaces the main region, the notices and the sidebar, and its address becomes the page's. A form
// waits for a running refresh of the page, and its buttons are disabled until then. The attributes
// are on a parent element because a list can have two thousand forms.
var Quick = templ.OrderedAttributes{
	{Key: "hx-target:inherited", Value: "#main"},
	{Key: "hx-select:inherited", Value: "#main"},
	{Key: "hx-swap:inherited", Value: "outerMorph"},
	{Key: "hx-select-oob:inherited", Value: "#notices:innerHTML, #side:outerMorph"},
	{Key: "hx-replace-url:inherited", Value: "true"},
	{Key: "hx-sync:inherited", Value: "#main:queue all"},
	{Key: "hx-disable:inherited", Value: "findAll button"},
}

// nearlyFull is the percentage of a limit from which a meter warns (arbitrary).
const nearlyFull = 90

func fullness(value, limit int) Tone {
	switch {
	case limit <= 0:
		return Quiet
	case value > limit:
		return Danger
	case value*100 >= limit*nearlyFull:
		return Warning
	default:
		return Good
	}
}

// IconOf returns the name of the icon of a type.
func IconOf(t memories.Type) string {
	if t == "" {
		return "attention"
	}
	return string(t)
}

// Anchor returns an HTML id made of kind and about. In about, each run of characters other than
// ASCII letters and digits becomes a hyphen. Hyphens at the ends of about are removed.
func Anchor(kind, about string) string {
	return kind + "-" + strings.Trim(outsideIDs.ReplaceAllString(about, "-"), "-")
}

var outsideIDs = regexp.MustCompile(`[^A-Za-z0-9]+`)

func them(n int) string {
	if n == 1 {
		return "it"
	}
	return "all " + wording.Number(n)
}

// MarkedText returns a component that writes a text with its hits marked and invisible characters
// made visible. A template would add spaces.
func MarkedText(all []words.Part) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		for _, p := range all {
			text := templ.EscapeString(wording.Visible(p.Text))
			if p.Hit {
				text = "<mark>" + text + "</mark>"
			}
			if _, err := io.WriteString(w, text); err != nil {
				return err
			}
		}
		return nil
	})
}

package templates

import (
	"context"
	"io"
	"regexp"
	"strings"

	"github.com/a-h/templ"

	"memoir/internal/diff"
	"memoir/internal/memories"
	"memoir/web/templates/wording"
)

// quick are the attributes that make the forms within an element load by htmx. The response
// replaces the main region, the notices and the sidebar, and its address becomes the page's. A form waits for a
// running refresh of the page, and its buttons are disabled until then. The attributes are on a
// parent element because a list can have two thousand forms.
var quick = templ.OrderedAttributes{
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

func iconOf(t memories.Type) string {
	if t == "" {
		return "attention"
	}
	return string(t)
}

// anchor returns an HTML id made of kind and about. In about, each run of characters other than
// ASCII letters and digits becomes a hyphen. Hyphens at the ends of about are removed.
func anchor(kind, about string) string {
	return kind + "-" + strings.Trim(outsideIDs.ReplaceAllString(about, "-"), "-")
}

var outsideIDs = regexp.MustCompile(`[^A-Za-z0-9]+`)

func them(n int) string {
	if n == 1 {
		return "it"
	}
	return "all " + wording.Number(n)
}

// kindName returns the attribute data-kind of a line of a diff, which is also its spoken name:
// "removed", "added", or "" for an unchanged line.
func kindName(k diff.Kind) string {
	switch k {
	case diff.Removed:
		return "removed"
	case diff.Added:
		return "added"
	default:
		return ""
	}
}

// linePieces returns a component that writes a line of a diff, with its changed pieces marked. A
// template would add spaces.
func linePieces(line diff.Line) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		for _, p := range line.Pieces {
			if _, err := io.WriteString(w, pieceHTML(p)); err != nil {
				return err
			}
		}
		return nil
	})
}

func pieceHTML(p diff.Piece) string {
	switch {
	case p.LeftOut > 0:
		return `<span class="left-out">… ` + wording.Count(p.LeftOut, "character", "characters") + ` …</span>`
	case p.Changed:
		return `<mark>` + templ.EscapeString(p.Text) + `</mark>`
	default:
		return templ.EscapeString(p.Text)
	}
}

package ui

import (
	"context"
	"io"

	"github.com/a-h/templ"

	"memoir/internal/diff"
	"memoir/web/templates/wording"
)

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

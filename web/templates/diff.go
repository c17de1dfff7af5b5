package templates

import (
	"context"
	"io"

	"github.com/a-h/templ"

	"memoir/internal/diff"
)

// kindName returns the CSS class and the spoken name of a kind of line.
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

// linePieces writes a line without the spaces that a template would add.
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
		return `<span class="left-out">… ` + counted(p.LeftOut, "character", "characters") + ` …</span>`
	case p.Changed:
		return `<mark>` + templ.EscapeString(p.Text) + `</mark>`
	default:
		return templ.EscapeString(p.Text)
	}
}

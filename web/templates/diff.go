package templates

import (
	"context"
	"io"

	"github.com/a-h/templ"

	"memoir/internal/diff"
)

// kindName is what a kind of line is called in the style sheet, and by those who hear the page.
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

// linePieces writes a line as it is: a space that a template would add between two pieces would be one in the text.
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

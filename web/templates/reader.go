package templates

import "context"

// Theme is how light the pages are.
type Theme string

// The themes. The zero Theme follows the reader's system.
const (
	AutoTheme  Theme = ""
	LightTheme Theme = "light"
	DarkTheme  Theme = "dark"
)

// ParseTheme returns the theme of that name; any other name is AutoTheme.
func ParseTheme(name string) Theme {
	switch t := Theme(name); t {
	case LightTheme, DarkTheme:
		return t
	default:
		return AutoTheme
	}
}

// scheme is the theme as the page tells it to the browser before any stylesheet is there.
func (t Theme) scheme() string {
	if t == AutoTheme {
		return "light dark"
	}
	return string(t)
}

// Reader is what every page takes from who reads it, whatever it is about.
type Reader struct {
	Theme Theme
	// Here is the path and query to come back to; empty: the page has no address of its own.
	Here string
}

type readerKey struct{}

// ForReader returns the context to render a page in. The layout alone asks for it: what holds for each page, that which
// says that something failed too, would else have to be filled in by every handler.
func ForReader(ctx context.Context, r Reader) context.Context {
	return context.WithValue(ctx, readerKey{}, r)
}

func readerOf(ctx context.Context) Reader {
	r, _ := ctx.Value(readerKey{}).(Reader)
	return r
}

// themeStep is a press of the theme's button: from one theme to the next.
type themeStep struct {
	At, Next   Theme
	Icon, Name string
}

// themeSteps are the presses that lead round. One of them is shown: that of the theme that is.
func themeSteps() []themeStep {
	return []themeStep{
		{At: AutoTheme, Next: LightTheme, Icon: "theme-auto", Name: "Theme: as the system has it. Change to light"},
		{At: LightTheme, Next: DarkTheme, Icon: "theme-light", Name: "Theme: light. Change to dark"},
		{At: DarkTheme, Next: AutoTheme, Icon: "theme-dark", Name: "Theme: dark. Change to what the system has"},
	}
}

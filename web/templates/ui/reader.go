package ui

import (
	"context"

	"memoir/internal/memories"
)

// Theme is the colour theme of the pages.
type Theme string

// The themes. The zero Theme follows the reader's system.
const (
	AutoTheme  Theme = ""
	LightTheme Theme = "light"
	DarkTheme  Theme = "dark"
)

// ParseTheme returns the theme with that name, or AutoTheme if the name is unknown.
func ParseTheme(name string) Theme {
	switch t := Theme(name); t {
	case LightTheme, DarkTheme:
		return t
	default:
		return AutoTheme
	}
}

func (t Theme) scheme() string {
	if t == AutoTheme {
		return "light dark"
	}
	return string(t)
}

// Reader holds what every page needs to know of its reader.
type Reader struct {
	Theme Theme
	// Here is the path and query of the page, to return to. It is empty if the page has no address.
	Here string
	// Account is the name of the reader, such as the system's user. It is empty without a sign-in.
	Account string
	// CanWrite reports whether the reader may change something. Without it, pages have no forms but
	// those for filters, the theme and signing out; handlers refuse in any case.
	CanWrite   bool
	CanSignOut bool // a token is needed to read
	IsAdmin    bool // the reader may manage tokens
	// Browser is the random id of the reader's browser. It is empty for a browser that has changed
	// nothing yet.
	Browser string
	// Person is the name of the reader's token; empty for the owner.
	Person  string
	Sidebar Sidebar
}

// account returns the reader's name and what they may do.
func (r Reader) account() string {
	if r.CanWrite {
		return r.Account + " · can edit"
	}
	return r.Account + " · can view"
}

// DeletedWords returns words for the deletion of a memory, such as "deleted by you".
func (r Reader) DeletedWords(m memories.Memory) string {
	return m.DeletedActor.Deleted(m.DeletedPerson, memories.IsReader(m.DeletedBrowser, r.Browser) && m.DeletedPerson == r.Person)
}

type readerKey struct{}

// ForReader returns a copy of ctx for rendering a page for the reader r. Only the layout reads it,
// so handlers need not pass these values in every view.
func ForReader(ctx context.Context, r Reader) context.Context {
	return context.WithValue(ctx, readerKey{}, r)
}

// ReaderOf returns the reader of ForReader. Without one it returns a reader who may write.
func ReaderOf(ctx context.Context) Reader {
	if r, ok := ctx.Value(readerKey{}).(Reader); ok {
		return r
	}
	return Reader{CanWrite: true}
}

type themeStep struct {
	At, Next   Theme
	Icon, Name string
}

// themeSteps returns the buttons that change the theme. The page shows the one whose At is the
// current theme.
func themeSteps() []themeStep {
	return []themeStep{
		{At: AutoTheme, Next: LightTheme, Icon: "theme-auto", Name: "Theme: system. Change to light"},
		{At: LightTheme, Next: DarkTheme, Icon: "theme-light", Name: "Theme: light. Change to dark"},
		{At: DarkTheme, Next: AutoTheme, Icon: "theme-dark", Name: "Theme: dark. Change to system"},
	}
}

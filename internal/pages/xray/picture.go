package xray

import (
	"encoding/xml"
	"fmt"
	"strings"

	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// fills are the colours of a picture, on white. A picture stands alone, so it has no stylesheet.
var fills = map[Kind]string{
	"feedback": "#c27512", "user": "#8b6bd0", "project": "#35905f", "reference": "#3a83bd",
	Hand: "#5f5a52", System: "#8b857a", OneLine: "#6a655c", Index: "#b06a8f", Recalled: "#4a6fc0",
}

var english = message.NewPrinter(language.English)

// Picture returns the X-ray of an agent as an SVG file: the number, the bar and its parts.
func Picture(agent string, x Xray) []byte {
	const margin, width, columns = 32, Width + 64, 5
	rows := (len(x.Rows) + columns - 1) / columns
	var out strings.Builder
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="Inter, system-ui, sans-serif" font-size="14" fill="#1c1a17">`, width, 196+44*rows)
	out.WriteString(`<rect width="100%" height="100%" fill="#ffffff"/>`)
	text := func(x, y float64, attributes, s string) {
		fmt.Fprintf(&out, `<text x="%s" y="%s" %s>%s</text>`, unit(x), unit(y), attributes, escaped(s))
	}
	text(margin, 44, `font-weight="600"`, agent)
	text(margin, 82, `font-size="28" font-weight="600"`, english.Sprintf("%d tokens enter every conversation", x.Tokens))
	fmt.Fprintf(&out, `<g transform="translate(%d 104)">`, margin)
	x.Bar.draw(&out)
	out.WriteString(`</g>`)
	const small = `font-size="12" fill="#6a655c"`
	if x.Published && x.Limit > 0 {
		text(margin, 172, small, english.Sprintf("CLAUDE.md %d of %d, %d %%", x.ClaudeMD, x.Limit, x.Percent))
		if x.Times > 0 {
			text(margin+Width, 172, `font-size="12" fill="#a8301c" text-anchor="end"`, english.Sprintf("%d × the limit", x.Times))
		}
	}
	for i, r := range x.Rows {
		left, top := float64(margin+i%columns*Width/columns), float64(204+44*(i/columns))
		fmt.Fprintf(&out, `<rect x="%s" y="%s" width="10" height="10" rx="2" fill="%s" %s/>`, unit(left), unit(top-9), fills[r.Kind], opacity(r.WouldBe, false, false))
		label := r.Kind.Name()
		if r.WouldBe {
			label += ", would be"
		}
		text(left+16, top, small, label)
		text(left+16, top+18, `font-weight="600"`, english.Sprintf("%d", r.Tokens))
	}
	out.WriteString(`</svg>`)
	return []byte(out.String())
}

// draw writes the bar, at its own size.
func (b Bar) draw(out *strings.Builder) {
	fmt.Fprintf(out, `<rect width="%d" height="%d" fill="#f1efe9"/>`, Width, Height)
	for _, s := range b.Segments {
		fmt.Fprintf(out, `<path d="%s" fill="%s" %s/>`, s.Span.Path(), fills[s.Kind], opacity(s.WouldBe || s.OneLine, s.More > 0, s.Alternate))
	}
	if b.Limit > 0 {
		fmt.Fprintf(out, `<path d="M%s 0V%d" stroke="#a8301c" stroke-width="2"/>`, unit(b.Limit), Height)
	}
}

// opacity returns the attribute of a pale, a merged or a tinted part.
func opacity(pale, more, alternate bool) string {
	switch {
	case pale:
		return `opacity=".35"`
	case more:
		return `opacity=".55"`
	case alternate:
		return `opacity=".9"`
	default:
		return ""
	}
}

func escaped(text string) string {
	var out strings.Builder
	_ = xml.EscapeText(&out, []byte(text)) // a builder does not fail
	return out.String()
}

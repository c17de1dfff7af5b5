package xray

import (
	"cmp"
	"slices"
	"strconv"

	"memoir/internal/memories"
	"memoir/internal/memories/claudemd"
)

// Width and Height are the size of a bar in units. Its view box is stretched to the page's width,
// which is some 1,000 pixels, so a unit is about a pixel.
const Width, Height = 1000, 44

const (
	// gap is the space between two wide parts. A page of 1,680 pixels shows it as one pixel.
	gap = 0.6
	// minGap is the width from which a part has a gap. Gaps between thin parts would hide them.
	minGap = 6
	// minWidth is the width below which memories of a type are one part.
	minWidth = 1.5
	// maxLinks is the maximum number of memories with a part of their own. More would make the page
	// too large.
	maxLinks = 80
	// headroom is the length of the bar as a share of the limit, so that the limit can be seen.
	headroom = 1.1
)

// Bar is the chart of an X-ray, in units.
type Bar struct {
	Segments []Segment
	// End is where that ends which enters conversations.
	End float64
	// Limit is the position of the limit: of CLAUDE.md, or of MEMORY.md for an agent without a
	// CLAUDE.md. It is 0 without a limit.
	Limit float64
	// ClaudeMD, Index and Recalled are the spans of the three. An absent one has no width.
	ClaudeMD, Index, Recalled Span
}

// Span is a part of the length of a bar.
type Span struct{ From, To float64 }

// Segment is a part of a bar: a memory, several small ones, or a text that is none.
type Segment struct {
	Kind   Kind // its colour
	Span   Span
	Tokens int
	// ID, Owner and Name are the memory's id, the slug of its agent, and its name. They are empty for
	// other parts.
	ID, Owner, Name string
	More            int  // number of memories that are too small for a part of their own; else 0
	OneLine         bool // only one line of the memory is in the file
	Alternate       bool // tinted, to tell it from the touching part before it
	WouldBe         bool // as in Row
}

// barOf lays out the groups one after the other. The length of the bar is the limit with some
// headroom, or all parts if that is more. published reports whether CLAUDE.md enters conversations;
// if not, the types of its memories are one part each.
func barOf(groups []group, published bool, limit int) Bar {
	whole := 0
	for _, g := range groups {
		whole += g.chars
	}
	s := scale(max(headroom*float64(limit), float64(whole), 1))
	var b Bar
	if limit > 0 {
		b.Limit = s.at(limit)
	}
	threshold := s.threshold(groups)
	at := 0
	for _, g := range groups {
		from := at
		isFile := g.kind != Index && g.kind != Recalled
		for _, seg := range s.segments(g, threshold, isFile && !published) {
			end := at + seg.chars
			seg.Span, seg.WouldBe = Span{s.at(at), s.at(end)}, isFile && !published
			b.append(seg.Segment)
			at = end
		}
		span := Span{s.at(from), s.at(at)}
		switch {
		case g.kind == Index:
			b.Index = span
		case g.kind == Recalled:
			b.Recalled = span
		case g.chars > 0:
			if b.ClaudeMD == (Span{}) {
				b.ClaudeMD.From = span.From
			}
			b.ClaudeMD.To = span.To
		}
		if g.chars > 0 && (published || !isFile) {
			b.End = span.To
		}
	}
	return b
}

// append adds a part. It has a gap before it if both it and the part before are wide. Thin ones of
// one kind alternate.
func (b *Bar) append(s Segment) {
	if n := len(b.Segments); n > 0 {
		last := b.Segments[n-1]
		switch wide := s.width() >= minGap; {
		case wide && last.width() >= minGap, s.WouldBe != last.WouldBe:
			s.Span.From += gap
		case s.Kind == last.Kind && s.OneLine == last.OneLine:
			s.Alternate = !last.Alternate
		}
	}
	b.Segments = append(b.Segments, s)
}

func (s Segment) width() float64 { return s.Span.To - s.Span.From }

// scale is the number of characters of a whole bar.
type scale float64

// at returns the position of a character.
func (s scale) at(chars int) float64 { return float64(chars) * Width / float64(s) }

// threshold returns the width that a memory needs for a part of its own, so that there are at most
// maxLinks.
func (s scale) threshold(groups []group) float64 {
	var widths []float64
	for _, g := range groups {
		for _, p := range g.pieces {
			if p.id != "" {
				widths = append(widths, s.at(p.chars))
			}
		}
	}
	if len(widths) <= maxLinks {
		return minWidth
	}
	slices.SortFunc(widths, func(a, b float64) int { return cmp.Compare(b, a) })
	return max(minWidth, widths[maxLinks]+0.001)
}

// sized is a segment with its number of characters, before it is laid out.
type sized struct {
	Segment
	chars int
}

// segments returns the parts of a group, by type and the largest first. Memories below the
// threshold are the last part of their type. If asOne is set, each type is one part.
func (s scale) segments(g group, threshold float64, asOne bool) []sized {
	var all []sized
	for _, t := range append(memories.Types(), "") {
		var pieces []piece
		for _, p := range g.pieces {
			if Kind(t) == p.kind {
				pieces = append(pieces, p)
			}
		}
		slices.SortStableFunc(pieces, func(a, b piece) int { return cmp.Compare(b.chars, a.chars) })
		own := slices.IndexFunc(pieces, func(p piece) bool { return asOne || p.id != "" && s.at(p.chars) < threshold })
		if own < 0 || own == len(pieces)-1 && !asOne {
			own = len(pieces)
		}
		rest := sized{Segment: Segment{Kind: kindOf(g, t), OneLine: g.kind == OneLine}}
		for _, p := range pieces[:own] {
			all = append(all, sized{Segment{
				Kind: rest.Kind, OneLine: rest.OneLine, Tokens: claudemd.ApproximateTokens(p.chars), ID: p.id, Owner: p.owner, Name: p.name,
			}, p.chars})
		}
		for _, p := range pieces[own:] {
			rest.chars += p.chars
			if p.id != "" {
				rest.More++
			}
		}
		if rest.chars > 0 {
			rest.Tokens = claudemd.ApproximateTokens(rest.chars)
			all = append(all, rest)
		}
	}
	return all
}

func kindOf(g group, t memories.Type) Kind {
	if t == "" {
		return g.kind
	}
	return Kind(t)
}

// Path returns the outline of a rectangle of the bar's height, as an SVG path.
func (s Span) Path() string {
	return "M" + unit(s.From) + " 0H" + unit(s.To) + "V" + strconv.Itoa(Height) + "H" + unit(s.From) + "z"
}

// Bracket returns a bracket below the span, as an SVG path of height 6.
func (s Span) Bracket() string {
	return "M" + unit(s.From+0.5) + " 0V5.5H" + unit(s.To-0.5) + "V0"
}

// unit returns a position with at most two decimals.
func unit(at float64) string {
	text := strconv.FormatFloat(at, 'f', 2, 64)
	for text[len(text)-1] == '0' {
		text = text[:len(text)-1]
	}
	if text[len(text)-1] == '.' {
		text = text[:len(text)-1]
	}
	return text
}

// At returns a position on the bar as an SVG attribute.
func At(at float64) string { return unit(at) }

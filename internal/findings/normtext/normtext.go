// Package normtext brings texts into the form that detectors examine, and maps offsets in that form
// back to the source. In it, HTML entities are decoded, Markdown escapes and invisible characters
// are removed, and characters have their NFKC form, so full-width letters are ASCII.
package normtext

import (
	"html"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Text is a normalised text. Lower is Plain in lower case; both have the same offsets.
type Text struct {
	Plain, Lower string

	source string
	pieces []piece // nil if Plain is the source
}

// piece maps a range of the normalised text, up to the next piece, to its source. Within a copied
// piece, each byte has its own source.
type piece struct {
	plain, source int
	copied        bool
}

// New normalises a text. The text need not be valid UTF-8.
func New(source string) Text {
	if isPlain(source) {
		return Text{Plain: source, Lower: lower(source), source: source}
	}
	b := builder{source: source}
	b.build()
	plain := b.out.String()
	return Text{Plain: plain, Lower: lower(plain), source: source, pieces: b.pieces}
}

// Source returns the range of the source that the range [start, end) of Plain comes from. Removed
// characters within the range belong to it.
func (t *Text) Source(start, end int) (from, to int) {
	if t.pieces == nil {
		return start, end
	}
	if start >= end {
		from := t.at(start)
		return from, from
	}
	from = t.at(start)
	last := t.pieceOf(end - 1)
	p := t.pieces[last]
	switch {
	case p.copied:
		to = p.source + end - p.plain
	default:
		to = t.sourceEnd(last)
	}
	return from, to
}

// at returns the offset of the source that the byte at offset of Plain comes from.
func (t *Text) at(offset int) int {
	if offset >= len(t.Plain) {
		return len(t.source)
	}
	p := t.pieces[t.pieceOf(offset)]
	if p.copied {
		return p.source + offset - p.plain
	}
	return p.source
}

// pieceOf returns the index of the last piece that starts at or before an offset of Plain. Pieces
// without text are followed by one with the same offset.
func (t *Text) pieceOf(offset int) int {
	return sort.Search(len(t.pieces), func(i int) bool { return t.pieces[i].plain > offset }) - 1
}

func (t *Text) sourceEnd(i int) int {
	if i+1 < len(t.pieces) {
		return t.pieces[i+1].source
	}
	return len(t.source)
}

// isPlain reports whether a text is ASCII without escapes or entities.
func isPlain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c >= utf8.RuneSelf || c == '\\' || c == '&' {
			return false
		}
	}
	return true
}

type builder struct {
	source string
	out    strings.Builder
	pieces []piece
}

func (b *builder) build() {
	b.out.Grow(len(b.source))
	b.start(0, true)
	normal := norm.NFKC.QuickSpanString(b.source) // everything before this offset is in NFKC form
	for i := 0; i < len(b.source); {
		rest := b.source[i:]
		var n int
		switch c := rest[0]; {
		case i >= normal:
			n = max(1, norm.NFKC.NextBoundaryInString(rest, true))
			b.replace(i, n, strings.Map(visible, norm.NFKC.String(rest[:n])))
			normal = i + n + norm.NFKC.QuickSpanString(rest[n:])
		case c == '&':
			var decoded string
			if decoded, n = entity(rest); n > 1 {
				b.replace(i, n, norm.NFKC.String(strings.Map(visible, decoded)))
			} else {
				b.out.WriteByte(c)
			}
		case c == '\\' && len(rest) > 1 && isPunct(rest[1]):
			n = 2
			b.replace(i, n, rest[1:2])
		case c < utf8.RuneSelf:
			n = 1
			b.out.WriteByte(c)
		default:
			var r rune
			if r, n = utf8.DecodeRuneInString(rest); IsInvisible(r) {
				b.replace(i, n, "")
			} else {
				b.out.WriteString(rest[:n])
			}
		}
		i += n
	}
}

// replace writes text for the n bytes of the source at an offset.
func (b *builder) replace(at, n int, text string) {
	if text != "" {
		b.start(at, false)
		b.out.WriteString(text)
	}
	b.start(at+n, true)
}

// start begins a piece. It takes the place of one without text.
func (b *builder) start(source int, copied bool) {
	p := piece{b.out.Len(), source, copied}
	if last := len(b.pieces) - 1; last >= 0 && b.pieces[last].plain == p.plain {
		b.pieces[last] = p
		return
	}
	b.pieces = append(b.pieces, p)
}

// entity decodes the HTML entity at the start of a text. n is its length, or 1 without one.
func entity(text string) (decoded string, n int) {
	end := strings.IndexByte(text[:min(len(text), 32)], ';')
	if end < 2 {
		return "", 1
	}
	decoded = html.UnescapeString(text[:end+1])
	if decoded == text[:end+1] || strings.HasSuffix(decoded, ";") && len(decoded) > 1 {
		return "", 1
	}
	return decoded, end + 1
}

func isPunct(c byte) bool {
	return c >= '!' && c <= '/' || c >= ':' && c <= '@' || c >= '[' && c <= '`' || c >= '{' && c <= '~'
}

// IsInvisible reports whether a character is not displayed: format characters, such as zero-width
// ones, tags and changes of the direction, and variation selectors.
func IsInvisible(r rune) bool {
	switch {
	case r < 0xad:
		return false
	case r == 0xad, r == 0x34f, r == 0x115f, r == 0x1160, r == 0x3164, r == 0xffa0:
		return true
	case r >= 0xfe00 && r <= 0xfe0f, r >= 0xe0100 && r <= 0xe01ef:
		return true
	case r < 0x600 || r > 0x6dd && r < 0x180b || r > 0x180f && r < 0x200b || r > 0x206f && r < 0xfeff:
		return false
	}
	return unicode.Is(unicode.Cf, r) || r == 0x180b || r == 0x180c || r == 0x180d
}

// visible maps invisible characters to none, for strings.Map.
func visible(r rune) rune {
	if IsInvisible(r) {
		return -1
	}
	return r
}

// lower returns a text in lower case with the same offsets. It leaves characters whose other form
// has another length.
func lower(text string) string {
	for i := range len(text) {
		if c := text[i]; c >= utf8.RuneSelf || c >= 'A' && c <= 'Z' {
			return lowerFrom(text, i)
		}
	}
	return text
}

func lowerFrom(text string, from int) string {
	out := make([]byte, len(text))
	copy(out, text[:from])
	for i := from; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			if c >= 'A' && c <= 'Z' {
				c += 'a' - 'A'
			}
			out[i] = c
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		if to := unicode.ToLower(r); to != r && r != utf8.RuneError && utf8.RuneLen(to) == n {
			utf8.EncodeRune(out[i:], to)
		} else {
			copy(out[i:], text[i:i+n])
		}
		i += n
	}
	return string(out)
}

// Package memtext cleans text and cuts it into lines and characters. It knows nothing of memories.
// The packages below memories and most others call it.
package memtext

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sanitise replaces NUL and each byte that is not UTF-8 by U+FFFD, because Postgres and JSON
// refuse them. nul reports whether there was a NUL, and invalid whether there was a byte that is
// not UTF-8.
func Sanitise(s string) (text string, nul, invalid bool) {
	nul = strings.IndexByte(s, 0) >= 0
	invalid = !utf8.ValidString(s)
	if !nul && !invalid {
		return s, false, false
	}
	return strings.Map(func(r rune) rune {
		if r == 0 {
			return utf8.RuneError
		}
		return r
	}, s), nul, invalid
}

// LineEnds replaces CRLF and CR by LF.
var LineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// Canonical returns s with NUL removed, with LF as line ends, and with each byte that is not UTF-8
// replaced by U+FFFD.
func Canonical(s string) string {
	s, _, _ = Sanitise(strings.ReplaceAll(s, "\x00", ""))
	return LineEnds.Replace(s)
}

// CanonicalDescription returns Canonical(s) without white space around it.
func CanonicalDescription(s string) string {
	return strings.TrimSpace(Canonical(s))
}

// CanonicalBody returns Canonical(s) without blank lines at the start and white space at the end.
// The first line keeps its indent, because it may be an indented code block.
func CanonicalBody(s string) string {
	s = strings.TrimRightFunc(Canonical(s), unicode.IsSpace)
	for {
		line, rest, found := strings.Cut(s, "\n")
		if !found || strings.TrimSpace(line) != "" {
			return s
		}
		s = rest
	}
}

// invisibleLetters have no glyph, although Unicode classifies them as letters or symbols.
const invisibleLetters = "\u115f\u1160\u3164\uffa0\u2800"

// IsVisible reports whether a name has a visible character. White space, control, format and
// combining characters, and letters without a glyph are not visible.
func IsVisible(name string) bool {
	return strings.ContainsFunc(name, func(r rune) bool {
		return !unicode.In(r, unicode.Cc, unicode.Cf, unicode.M, unicode.Z) && !strings.ContainsRune(invisibleLetters, r)
	})
}

// OneLine returns s on one line. It removes control characters, and white space around s. It
// replaces each run of white space that has a line end or a tab by one space; other runs stay.
func OneLine(s string) string {
	var out, space strings.Builder
	breaks := false
	for _, r := range s {
		switch {
		case unicode.IsSpace(r):
			breaks = breaks || unicode.IsControl(r) || r == '\u2028' || r == '\u2029'
			space.WriteRune(r)
		case unicode.IsControl(r):
		default:
			if breaks {
				out.WriteByte(' ')
			} else {
				out.WriteString(space.String())
			}
			space.Reset()
			breaks = false
			out.WriteRune(r)
		}
	}
	return strings.TrimSpace(out.String())
}

// ShortHash returns the first 8 hexadecimal digits of the SHA-256 of s. They distinguish the names
// of one agent.
func ShortHash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:4])
}

// CutRunes returns the first n characters of s, or all of a shorter s.
func CutRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// Counted returns a number with the word that fits: one for 1, and many for others.
func Counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

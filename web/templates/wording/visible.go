package wording

import (
	"fmt"
	"strings"
	"unicode"
)

// Visible returns text with each deceptive character replaced by its code point, such as [U+202E].
// Such characters could reverse the text next to them or make two names look alike.
func Visible(text string) string {
	var out strings.Builder
	for _, r := range text {
		if deceptive(r) {
			fmt.Fprintf(&out, "[%U]", r)
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}

// deceptive reports whether r changes the direction of text, has no width and no use in any script,
// or is a control character. Tabs and line ends are not deceptive.
func deceptive(r rune) bool {
	switch {
	case r == '\n', r == '\t', r == '\r':
		return false
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069: // embeddings, overrides and isolates
		return true
	case r == 0x200b, r == 0x2060, r == 0xfeff: // no width, and no script needs them
		return true
	default:
		return unicode.IsControl(r)
	}
}

// Package shown prepares stored values for pages: times in the server's time zone, diffs without
// secrets, and the bytes of broken files as text.
package shown

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"memoir/internal/diff"
	"memoir/internal/findings/quarantine"
)

// Local returns t in the server's time zone. The zero time stays zero.
func Local(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return t.Local()
}

// Diff is diff.Texts of two texts without their secrets.
func Diff(before, after string, lines int) diff.Diff {
	return diff.Texts(quarantine.MaskSecrets(before), quarantine.MaskSecrets(after), lines)
}

// Printable returns raw as text. It writes each byte that is not valid UTF-8, and each NUL, as its
// hexadecimal number in ‹›.
func Printable(raw []byte) string {
	var out strings.Builder
	for len(raw) > 0 {
		r, size := utf8.DecodeRune(raw)
		if r == 0 || r == utf8.RuneError && size == 1 {
			fmt.Fprintf(&out, "‹%02X›", raw[0])
		} else {
			out.WriteRune(r)
		}
		raw = raw[size:]
	}
	return out.String()
}

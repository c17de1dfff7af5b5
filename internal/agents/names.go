package agents

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

func validName(name string) bool { return utf8.ValidString(name) }

// escapeName writes each byte of a path that is not UTF-8 as \xNN, so that the path can be shown and stored.
func escapeName(relPath string) string {
	if utf8.ValidString(relPath) {
		return relPath
	}
	var escaped strings.Builder
	for len(relPath) > 0 {
		r, size := utf8.DecodeRuneInString(relPath)
		if r == utf8.RuneError && size == 1 {
			fmt.Fprintf(&escaped, `\x%02x`, relPath[0])
		} else {
			escaped.WriteString(relPath[:size])
		}
		relPath = relPath[size:]
	}
	return escaped.String()
}

package mcp

import (
	"encoding/json"
	"unicode/utf8"
)

// mostBytes is how much one part of a result takes as JSON, in bytes. A result has two, for programs and as text, and agents cut
// what is longer than 25,000 tokens: that is three bytes a token, which is what Chinese takes, and some room.
const mostBytes = 30_000

// cut returns the beginning of a text that takes that many bytes as JSON at most, whole lines where it can, and whether that is all.
func cut(text string, most int) (kept string, whole bool) {
	taken, line := 0, 0
	for i, r := range text {
		if taken += asJSON(r); taken > most {
			if line > i/2 {
				i = line
			}
			return text[:i], false
		}
		if r == '\n' {
			line = i + 1
		}
	}
	return text, true
}

// asJSON is how many bytes a character takes in a string of JSON.
func asJSON(r rune) int {
	switch {
	case r == '"', r == '\\', r == '\n', r == '\r', r == '\t':
		return 2
	case r < ' ', r == '<', r == '>', r == '&', r == '\u2028', r == '\u2029':
		return 6
	case r == utf8.RuneError:
		return 6 // a byte that is no text is written as an escape
	}
	return utf8.RuneLen(r)
}

// tooMuch says whether a result takes more than it may, as JSON or as text.
func tooMuch(r readable) bool {
	raw, err := json.Marshal(r)
	return err != nil || len(raw) > mostBytes || len(r.text()) > mostBytes
}

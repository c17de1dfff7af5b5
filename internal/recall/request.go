package recall

import (
	"strings"
	"unicode/utf8"

	"memoir/internal/memories"
)

// check says what cannot be taken, and fills in what was left out. A query may be anything: what is no text in it is left out, and
// of a long one the two ends are read.
func (r *Request) check() error {
	r.Query = clean(ends(r.Query))
	switch {
	case r.Limit == 0:
		r.Limit = MostChosen
	case r.Limit < 0:
		return &memories.InvalidError{Field: "limit", Reason: "is a number of memories, 1 to 5"}
	}
	r.Limit = min(r.Limit, MostChosen)
	switch {
	case len(r.Session) > mostSession:
		return &memories.InvalidError{Field: "session", Reason: "is longer than 256 bytes"}
	case strings.ContainsRune(r.Session, 0) || !utf8.ValidString(r.Session):
		return &memories.InvalidError{Field: "session", Reason: "is no text: it contains NUL, or is not valid UTF-8"}
	}
	return nil
}

// clean makes text that Postgres takes of what somebody sent.
func clean(text string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "")
}

// beginningOf returns the first bytes of a text, whole characters.
func beginningOf(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

package recall

import (
	"strings"
	"unicode/utf8"

	"memoir/internal/memories"
)

// check returns an *InvalidError for an invalid request and sets defaults. Any query is valid:
// invalid bytes are removed, and only the ends of a long one are kept.
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

// clean returns text without bytes that Postgres refuses.
func clean(text string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "")
}

// beginningOf returns the first limit bytes of a text, cut between characters.
func beginningOf(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

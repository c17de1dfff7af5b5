package memories

import (
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"memoir/internal/memories/memtext"
)

// MaxNameLength is the length of the longest name, in Unicode characters. It keeps a name a heading and a key: room
// for a sentence, not for a text.
const MaxNameLength = 256

// MaxFileSize is the size of the largest memory file that is read, in bytes.
const MaxFileSize = 1 << 20

// Content is what a memory says, free of how its file spells it.
type Content struct {
	Name        string
	Type        Type // empty: none
	Description string
	Body        string
}

// Canonical returns the content as it is read back from a file: valid UTF-8 without NUL, line ends as LF, the name on
// one line, description and body trimmed. Encode and Rewrite write the canonical content of what they are given.
func (c Content) Canonical() Content {
	return Content{
		Name:        CanonicalName(c.Name),
		Type:        c.Type,
		Description: memtext.CanonicalDescription(c.Description),
		Body:        memtext.CanonicalBody(c.Body),
	}
}

// NormalizeName returns a name as it is compared, in Unicode's normalisation form C: the same name
// written on a Mac and on Linux can have different bytes.
func NormalizeName(name string) string { return norm.NFC.String(name) }

func CanonicalName(s string) string {
	s = NormalizeName(memtext.OneLine(memtext.Canonical(s)))
	if utf8.RuneCountInString(s) <= MaxNameLength {
		return s
	}
	ending := "-" + memtext.ShortHash(s)
	return memtext.CutRunes(s, MaxNameLength-len(ending)) + ending
}

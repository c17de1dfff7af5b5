package memories

import (
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"memoir/internal/memories/memtext"
)

// MaxNameLength is how long a name may be, in Unicode characters. It is arbitrary: a sentence fits.
const MaxNameLength = 256

// MaxFileSize is the size in bytes above which a memory file is not read. It is arbitrary.
const MaxFileSize = 1 << 20

// Content is the content of a memory, independent of its spelling in the file.
type Content struct {
	Name        string
	Type        Type // empty if it has none
	Description string
	Body        string
}

// Canonical returns the content in the same form as Parse: valid UTF-8 without NUL, LF line ends,
// the name on one line, description and body trimmed. Encode and Rewrite write this form.
func (c Content) Canonical() Content {
	return Content{
		Name:        CanonicalName(c.Name),
		Type:        c.Type,
		Description: memtext.CanonicalDescription(c.Description),
		Body:        memtext.CanonicalBody(c.Body),
	}
}

// NormalizeName returns a name in Unicode normalisation form C, for comparisons. The
// same name can have different bytes on macOS and Linux.
func NormalizeName(name string) string { return norm.NFC.String(name) }

// CanonicalName returns a name on one line, normalised and without control characters. A name of
// more than MaxNameLength characters is cut and ends in a hash.
func CanonicalName(s string) string {
	s = NormalizeName(memtext.OneLine(memtext.Canonical(s)))
	if utf8.RuneCountInString(s) <= MaxNameLength {
		return s
	}
	ending := "-" + memtext.ShortHash(s)
	return memtext.CutRunes(s, MaxNameLength-len(ending)) + ending
}

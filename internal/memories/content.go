package memories

import (
	"crypto/sha256"
	"encoding/binary"
	"strings"
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

// Canonical returns the content in the form that Parse returns and Encode and Rewrite write. It has
// valid UTF-8 without NUL, LF line ends, the name on one line, and description and body trimmed.
// The type stays.
func (c Content) Canonical() Content {
	return Content{
		Name:        CanonicalName(c.Name),
		Type:        c.Type,
		Description: memtext.CanonicalDescription(c.Description),
		Body:        memtext.CanonicalBody(c.Body),
	}
}

// NormalizeName returns a name in Unicode normalisation form C. The same name can have different
// bytes on macOS and Linux, so names are compared in this form.
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

// Check returns an *InvalidError for the first field that cannot be saved, or nil. It rejects text
// with NUL or invalid UTF-8. It rejects a name that is empty, invisible, longer than MaxNameLength,
// on several lines, or with control characters. It also rejects an empty or unknown type and a body
// larger than MaxFileSize.
func (c Content) Check() error {
	for _, field := range []struct{ name, value string }{{"name", c.Name}, {"description", c.Description}, {"body", c.Body}} {
		if strings.ContainsRune(field.value, 0) {
			return &InvalidError{Field: field.name, Reason: "contains a NUL character; remove it"}
		}
		if !utf8.ValidString(field.value) {
			return &InvalidError{Field: field.name, Reason: "is not valid UTF-8"}
		}
	}
	switch cleaned := c.Canonical().Name; {
	case cleaned == "":
		return &InvalidError{Field: "name", Reason: "is empty; every memory needs a name"}
	case !memtext.IsVisible(cleaned):
		return &InvalidError{Field: "name", Reason: "has no visible character; every memory needs a name that can be seen"}
	case cleaned != NormalizeName(strings.TrimSpace(c.Name)):
		return &InvalidError{Field: "name", Reason: "must be one line of at most 256 characters without control characters"}
	}
	if _, ok := ParseType(string(c.Type)); !ok {
		return &InvalidError{Field: "type", Reason: "must be one of feedback, user, project, reference"}
	}
	if len(c.Body) > MaxFileSize { // leaves room for the frontmatter in the file
		return &InvalidError{Field: "body", Reason: "is longer than 1 MiB; move details into a separate file"}
	}
	return nil
}

// Fingerprint identifies a content: the SHA-256 of type, description and body. The name is not part
// of it.
type Fingerprint [sha256.Size]byte

// FingerprintOf returns the fingerprint of a content, which should be canonical. Each part is
// hashed after its length, so that different contents never have the same hashed bytes.
func FingerprintOf(t Type, description, body string) Fingerprint {
	h := sha256.New()
	for _, part := range []string{string(t), description, body} {
		var length [8]byte
		binary.BigEndian.PutUint64(length[:], uint64(len(part)))
		h.Write(length[:])
		h.Write([]byte(part))
	}
	var sum Fingerprint
	h.Sum(sum[:0])
	return sum
}

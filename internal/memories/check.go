package memories

import (
	"strings"
	"unicode/utf8"

	"memoir/internal/memories/memtext"
)

// Check returns an *InvalidError for the first field that cannot be saved, because it would not be
// read back from the file as given.
func (c Content) Check() error {
	for _, field := range []struct{ name, value string }{{"name", c.Name}, {"description", c.Description}, {"body", c.Body}} {
		if strings.ContainsRune(field.value, 0) {
			return &InvalidError{Field: field.name, Reason: "contains a NUL character, which no text may; remove it"}
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
		return &InvalidError{Field: "body", Reason: "is longer than 1 MiB; a memory is a note, move the detail into a file of its own"}
	}
	return nil
}

package memories

import (
	"slices"
	"strings"
	"unicode"
)

// Type says what kind of knowledge a memory holds. The empty Type means that it has none.
type Type string

// The closed list of types.
const (
	Feedback  Type = "feedback"
	User      Type = "user"
	Project   Type = "project"
	Reference Type = "reference"
)

// Types returns every type in the order in which they are always shown and compiled.
func Types() []Type { return []Type{Feedback, User, Project, Reference} }

// place returns where the type is among Types; -1 for what is none.
func (t Type) Order() int {
	switch t {
	case Feedback:
		return 0
	case User:
		return 1
	case Project:
		return 2
	case Reference:
		return 3
	}
	return -1
}

// Title returns the type with a capital letter. The type must not be empty.
func (t Type) Title() string { return strings.ToUpper(string(t[:1])) + string(t[1:]) }

// ParseType reads a type as people write it: letter case, surrounding quotes and space are forgiven. ok is false, and
// the type empty, for anything that is not in the list.
func ParseType(s string) (t Type, ok bool) {
	word := Type(strings.ToLower(strings.TrimFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("\"'`“”‘’", r)
	})))
	if slices.Contains(Types(), word) {
		return word, true
	}
	return "", false
}

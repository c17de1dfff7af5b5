package memories

import (
	"slices"
	"strings"
	"unicode"
)

// Type is the kind of knowledge in a memory. The empty Type means that it has none.
type Type string

const (
	Feedback  Type = "feedback"
	User      Type = "user"
	Project   Type = "project"
	Reference Type = "reference"
)

// Types returns every type in the order of pages and of CLAUDE.md.
func Types() []Type { return []Type{Feedback, User, Project, Reference} }

// Order returns the index of the type in Types, or -1 for other values.
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

// Title returns the type with a capital first letter. The type must not be empty.
func (t Type) Title() string { return strings.ToUpper(string(t[:1])) + string(t[1:]) }

// ParseType parses a type as people write it: in any letter case, with quotes and white space
// around it. For other text it returns "" and false.
func ParseType(s string) (t Type, ok bool) {
	word := Type(strings.ToLower(strings.TrimFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("\"'`“”‘’", r)
	})))
	if slices.Contains(Types(), word) {
		return word, true
	}
	return "", false
}

// Package terms reads the filters that people type into a search: "type:project is:team freeze".
package terms

import (
	"slices"
	"strings"

	"memoir/internal/memories"
)

// Field is the part of a filter before its colon.
type Field string

// The fields of filters.
const (
	Type  Field = "type"  // a memories.Type
	Is    Field = "is"    // one of the values below
	Agent Field = "agent" // a slug
)

// Values of Is.
const (
	IsStale     = "stale"     // two days old: the API's word
	IsUnchecked = "unchecked" // not changed or confirmed for long
	IsTeam      = "team"
	IsMissing   = "missing"
	IsTrash     = "trash"
)

// IsValues returns the values of Is.
func IsValues() []string { return []string{IsStale, IsUnchecked, IsTeam, IsMissing, IsTrash} }

// Filter is one filter, such as type:project.
type Filter struct {
	Field Field
	Value string
}

func (f Filter) String() string { return string(f.Field) + ":" + f.Value }

// Terms is a typed search without its filters, and the filters.
type Terms struct {
	Words   string   // the text without the filters
	Filters []Filter // distinct, in the order of the text
}

// Parse returns the terms of a typed search. A word with a colon is a filter if its field and its
// value are known. All others, and words in quotes, are words. Letter case of filters does not
// matter. The last filter of a field wins, except those of Is.
func Parse(typed string) Terms {
	var t Terms
	var words []string
	for _, word := range split(typed) {
		f, ok := parseFilter(word)
		if !ok {
			words = append(words, word)
			continue
		}
		t.Filters = slices.DeleteFunc(t.Filters, func(old Filter) bool { return old == f || old.Field == f.Field && f.Field != Is })
		t.Filters = append(t.Filters, f)
	}
	t.Words = strings.Join(words, " ")
	return t
}

// split returns the words of a text. Text in double quotes belongs to one word.
func split(text string) []string {
	quoted := false
	return strings.FieldsFunc(text, func(r rune) bool {
		if r == '"' || r == '“' || r == '”' {
			quoted = !quoted
		}
		return !quoted && (r == ' ' || r == '\t' || r == '\n' || r == '\u00a0')
	})
}

func parseFilter(word string) (Filter, bool) {
	field, value, found := strings.Cut(word, ":")
	f := Filter{Field(strings.ToLower(field)), value}
	if !found || value == "" || strings.ContainsAny(value, `"“”`) {
		return f, false
	}
	switch f.Field {
	case Type:
		f.Value = strings.ToLower(value)
		return f, slices.Contains(memories.Types(), memories.Type(f.Value))
	case Is:
		f.Value = strings.ToLower(value)
		return f, slices.Contains(IsValues(), f.Value)
	case Agent:
		return f, true
	default:
		return f, false
	}
}

// Value returns the value of the last filter of a field, or "".
func (t Terms) Value(of Field) string {
	for _, f := range slices.Backward(t.Filters) {
		if f.Field == of {
			return f.Value
		}
	}
	return ""
}

// Is reports whether the terms have the filter is:value.
func (t Terms) Is(value string) bool { return slices.Contains(t.Filters, Filter{Is, value}) }

// Without returns the terms without a filter.
func (t Terms) Without(f Filter) Terms {
	t.Filters = slices.DeleteFunc(slices.Clone(t.Filters), func(other Filter) bool { return other == f })
	return t
}

// With returns the terms with a filter in place of others of its field.
func (t Terms) With(f Filter) Terms {
	return Parse(t.String() + " " + f.String())
}

// String returns the text of the terms, the filters first.
func (t Terms) String() string {
	var all []string
	for _, f := range t.Filters {
		all = append(all, f.String())
	}
	if t.Words != "" {
		all = append(all, t.Words)
	}
	return strings.Join(all, " ")
}

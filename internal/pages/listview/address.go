// Package listview turns addresses of the Memory tab into lists of memories, and lists into the rows
// of the page. It is pure: package pages reads the database.
package listview

import (
	"net/url"
	"slices"
	"strings"

	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/web/templates/address"
)

// Parse returns the list in the query of an address: as the page shows it, and as the database
// selects it. It returns memories.ErrNotFound for an unknown or repeated value, and for filters of
// other lists: ignoring one would widen the selection of a bulk action. It ignores other
// parameters.
func Parse(slug string, query url.Values) (v address.View, list records.MemoryList, err error) {
	for _, field := range memories.FilterFields() {
		switch field.Name {
		case address.FieldType, address.FieldState, address.FieldSession, address.FieldQuery, address.FieldSort, address.FieldAsOf:
		default:
			if query.Get(field.Name) != "" {
				return v, list, memories.ErrNotFound
			}
		}
	}
	v.Agent = slug
	var kind, state string
	for field, value := range map[string]*string{
		address.FieldView: &v.Name, address.FieldType: &kind, address.FieldState: &state, address.FieldSession: &v.Session,
		address.FieldQuery: &v.Query, address.FieldSort: &v.Sort, address.FieldAfter: &v.After, address.FieldBefore: &v.Before,
	} {
		if len(query[field]) > 1 {
			return v, list, memories.ErrNotFound
		}
		*value = CleanText(query.Get(field))
	}
	if v.Sort == "type" {
		v.Sort = ""
	}
	v.Type, v.State = memories.Type(strings.ToLower(kind)), memories.State(state)
	switch {
	case !slices.Contains(records.MemoryViews(), records.MemoryView(v.Name)), !slices.Contains(records.MemoryOrders(), records.MemoryOrder(v.Sort)),
		v.Type != "" && v.Type.Order() < 0, v.Type != "" && v.State != "",
		v.State != "" && v.State != memories.NeedsAttention && v.State != memories.Missing:
		return v, list, memories.ErrNotFound
	}
	list = records.MemoryList{
		View: records.MemoryView(v.Name), Session: v.Session, Order: records.MemoryOrder(v.Sort), State: v.State,
	}
	switch {
	case v.Type != "":
		list.Part = records.PartOf(v.Type)
	case v.Attention():
		list.Part, list.State = records.AttentionPart, ""
	}
	return v, withWords(list, slug, v.Query), nil
}

// isWords are the words after "is:" that name a state of memories.
var isWords = map[string]memories.State{"missing": memories.Missing, "broken": memories.NeedsAttention}

// withWords returns the list narrowed by what a person has typed: type:project, is:unchecked and
// agent:slug are filters, and the rest is searched for.
func withWords(list records.MemoryList, slug, typed string) records.MemoryList {
	var rest []string
	for _, word := range strings.Fields(typed) {
		field, value, found := strings.Cut(word, ":")
		value = strings.ToLower(value)
		switch {
		case found && field == "agent" && value == strings.ToLower(slug):
		case found && field == "type" && memories.Type(value).Order() >= 0:
			list.Part = records.PartOf(memories.Type(value))
		case found && field == "is" && value != "" && slices.Contains(records.MemoryViews(), records.MemoryView(value)):
			list.View = records.MemoryView(value)
		case found && field == "is" && isWords[value] != "":
			list.State = isWords[value]
		default:
			rest = append(rest, word)
		}
	}
	list.Query = strings.Join(rest, " ")
	return list
}

// CleanText returns raw as text that Postgres can store: without surrounding space and NULs, and
// with U+FFFD for invalid UTF-8.
func CleanText(raw string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(strings.TrimSpace(raw), "�"), "\x00", "")
}

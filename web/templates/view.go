package templates

import (
	"slices"

	"memoir/internal/memories"
)

// View is the filter and order of the Memory tab, as in its address. A memory's page has it too,
// for the list next to the memory.
type View struct {
	Agent string // the slug
	memories.Filter
	Cursor string // start of the page; empty on the first page
}

// List returns the address of the list with this filter and cursor.
func (v View) List() string { return v.at(MemoriesPath(v.Agent)) }

// Memory returns the address of the page of one memory, which keeps this filter and cursor for the
// list next to it.
func (v View) Memory(id string) string { return v.at(MemoryPath(v.Agent, id)) }

// From returns a copy of the view whose list begins at a cursor.
func (v View) From(cursor string) View {
	v.Cursor = cursor
	return v
}

// Narrowed reports whether the view has a search or a filter. The order does not count.
func (v View) Narrowed() bool {
	return v.Query != "" || v.Filtered()
}

// Filtered reports whether the view has a filter. The search and the order do not count.
func (v View) Filtered() bool { return v.Narrows() }

// Attention reports whether the view shows only the memories that need attention.
func (v View) Attention() bool { return v.State == memories.NeedsAttention }

// otherFilters returns the filters of the view except those with a link of their own: type, state,
// scope, session, stale. The search and the order are no filters.
func (v View) otherFilters() []memories.FilterField {
	f := v.Filter
	f.Query, f.Type, f.State, f.Stale, f.Session, f.Scope, f.Sort = "", "", "", false, "", "", ""
	values := f.Values()
	return slices.DeleteFunc(slices.Clone(memories.FilterFields()), func(field memories.FilterField) bool { return !values.Has(field.Name) })
}

// countsMislead reports whether the list can have fewer memories than the agent's counts, because
// of a search or filter. Type, state and scope do not count.
func (v View) countsMislead() bool {
	return v.Query != "" || v.Stale || v.Session != "" || len(v.otherFilters()) > 0
}

func (v View) without(field memories.FilterField) View {
	values := v.Values()
	values.Del(field.Name)
	v.Filter, _ = memories.ParseFilter(values) // valid, because v is
	v.Cursor = ""
	return v
}

func (v View) oneGroup() bool { return v.Type != "" || v.Attention() || v.Scope == memories.TeamScope }

// Of returns the view of one type only, from the beginning of the list. It keeps the search, the
// order and other filters, but removes the scope. An empty type means the memories that need
// attention.
func (v View) Of(t memories.Type) View {
	v = v.whole()
	if v.Type = t; t == "" {
		v.State = memories.NeedsAttention
	}
	return v
}

func (v View) whole() View {
	v.Type, v.State, v.Scope, v.Cursor = "", "", "", ""
	return v
}

// OfTeam returns the view of team memory of all types, from the beginning of the list. It keeps the
// search, the order and the other filters.
func (v View) OfTeam() View {
	v = v.whole()
	v.Scope = memories.TeamScope
	return v
}

// Private returns the view limited to private memory, from the beginning of the list. It keeps the
// type, the search, the order and the other filters.
func (v View) Private() View {
	v.Scope, v.Cursor = memories.PrivateScope, ""
	return v
}

func (v View) stale(only bool) View {
	v.Stale, v.Cursor = only, ""
	return v
}

func (v View) from(session string) View {
	v.Session, v.Cursor = session, ""
	return v
}

func (v View) searched(query string) View {
	v.Query, v.Cursor = query, ""
	return v
}

func (v View) at(path string) string {
	query := v.Values()
	if v.Cursor != "" {
		query.Set(FieldCursor, v.Cursor)
	}
	if len(query) == 0 {
		return path
	}
	return path + "?" + query.Encode()
}

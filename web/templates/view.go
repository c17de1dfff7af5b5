package templates

import (
	"net/url"

	"memoir/internal/memories"
)

// View is the filter and order of the Memory tab, as in its address. A memory's page has it too,
// for the list next to the memory. Zero values filter nothing.
type View struct {
	Agent     string // the slug
	Query     string // the search
	Type      memories.Type
	Attention bool           // only memories that need attention
	Stale     bool           // only those two days old or older
	Session   string         // only memories that this session wrote or has
	Scope     memories.Scope // only private or only team memories
	Sort      string         // one of the orders below; empty means newest or best first
	Cursor    string         // start of the page; empty on the first page
}

// The orders of the list.
const (
	SortByName   = "name"
	SortByUpdate = "updated"
	SortByAge    = "age"
)

// List returns the address of the list.
func (v View) List() string { return v.at(MemoriesPath(v.Agent)) }

// Memory returns the page of one memory with this view.
func (v View) Memory(id string) string { return v.at(MemoryPath(v.Agent, id)) }

// From returns the view from a cursor on.
func (v View) From(cursor string) View {
	v.Cursor = cursor
	return v
}

// Narrowed reports whether the view has a search or a filter.
func (v View) Narrowed() bool {
	return v.Query != "" || v.Filtered()
}

// Filtered reports whether the view has a filter other than a search.
func (v View) Filtered() bool {
	return v.Type != "" || v.Attention || v.Stale || v.Session != "" || v.Scope != ""
}

// oneGroup reports whether the view has one group only, which is then shown in pages.
func (v View) oneGroup() bool { return v.Type != "" || v.Attention || v.Scope == memories.TeamScope }

// Of returns the view of one type. An empty type means the memories that need attention.
func (v View) Of(t memories.Type) View {
	v.Type, v.Attention, v.Scope, v.Cursor = t, t == "", "", ""
	return v
}

// whole returns the view of all groups.
func (v View) whole() View {
	v.Type, v.Attention, v.Scope, v.Cursor = "", false, "", ""
	return v
}

// OfTeam returns the view of team memory.
func (v View) OfTeam() View {
	v = v.whole()
	v.Scope = memories.TeamScope
	return v
}

// Private returns the view of private memory.
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
	query := url.Values{}
	set := func(field, value string) {
		if value != "" {
			query.Set(field, value)
		}
	}
	set(FieldQuery, v.Query)
	set(FieldType, string(v.Type))
	if v.Attention {
		set(FieldState, string(memories.NeedsAttention))
	}
	if v.Stale {
		set(FieldStale, "true")
	}
	set(FieldSession, v.Session)
	set(FieldScope, string(v.Scope))
	set(FieldSort, v.Sort)
	set(FieldCursor, v.Cursor)
	if len(query) == 0 {
		return path
	}
	return path + "?" + query.Encode()
}

package templates

import (
	"net/url"

	"memoir/internal/memories"
)

// View is which of an agent's memories are wanted, and in which order: what the address of the Memory tab holds. The
// page of a memory holds it too, because the list stands beside the memory there. The zero values narrow nothing.
type View struct {
	Agent     string // slug
	Query     string // what is searched for
	Type      memories.Type
	Attention bool           // only what needs attention
	Stale     bool           // only what is two days old or more
	Session   string         // only what this session wrote or carries
	Scope     memories.Scope // only private memories, or only the team's
	Sort      string         // one of the orders below; empty: newest first, and a search best first
	Cursor    string         // where the shown part of a long list begins; empty: at its start
}

// The orders of the list.
const (
	SortByName   = "name"
	SortByUpdate = "updated"
	SortByAge    = "age"
)

// List returns the address of the tab.
func (v View) List() string { return v.at(MemoriesPath(v.Agent)) }

// Memory returns the page of one memory, with the list of this view beside it.
func (v View) Memory(id string) string { return v.at(MemoryPath(v.Agent, id)) }

// From returns the same view from a cursor on.
func (v View) From(cursor string) View {
	v.Cursor = cursor
	return v
}

// Narrowed reports whether not all memories are wanted.
func (v View) Narrowed() bool {
	return v.Query != "" || v.Filtered()
}

// Filtered reports whether anything besides a search narrows the view.
func (v View) Filtered() bool {
	return v.Type != "" || v.Attention || v.Stale || v.Session != "" || v.Scope != ""
}

// oneGroup reports whether one group alone is wanted, which is then shown page after page.
func (v View) oneGroup() bool { return v.Type != "" || v.Attention || v.Scope == memories.TeamScope }

// Of returns the view of one group: a type, or with none what needs attention.
func (v View) Of(t memories.Type) View {
	v.Type, v.Attention, v.Scope, v.Cursor = t, t == "", "", ""
	return v
}

// whole returns the view of all groups.
func (v View) whole() View {
	v.Type, v.Attention, v.Scope, v.Cursor = "", false, "", ""
	return v
}

// OfTeam returns the view of the team's memories.
func (v View) OfTeam() View {
	v = v.whole()
	v.Scope = memories.TeamScope
	return v
}

// Private returns the view without the team's memories.
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

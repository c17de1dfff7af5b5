package templates

import (
	"net/url"
	"slices"

	"memoir/internal/memories"
)

// Memories is an agent's Memory tab.
type Memories struct {
	Frame
	Agent     Agent
	Selection Selection
	Query     string        // what was searched for; empty: nothing
	Type      memories.Type // the only type shown; empty: all
	// Attention: only what needs attention is shown.
	Attention bool
	// Cursor is where the shown part of a long list begins; empty: at its start.
	Cursor string
	// Rows are the memories to show, in the order wanted within each group. The page groups them.
	Rows []MemoryRow
	// Found is how many memories match the search and the type; more than the rows where not all are shown.
	Found int
	// Cut names the groups of which only the first rows are shown, with how many memories each has; the empty type is
	// what needs attention.
	Cut map[memories.Type]int
	// MoreHref is the address of the rows after these; empty: there are none.
	MoreHref string
}

// MemoryRow is one memory in a list.
type MemoryRow struct {
	Agent       string // slug
	ID          string
	ETag        string
	Name        string
	Type        memories.Type // empty: it has none
	Description string
	State       memories.State
	Problems    []memories.Problem
	Age         Age
	Session     string // which session wrote it; empty: the agent itself
}

// NewMemoryRow returns the row of a memory.
func NewMemoryRow(m memories.Memory, etag string, age Age) MemoryRow {
	return MemoryRow{
		Agent:       m.Agent,
		ID:          m.ID,
		ETag:        etag,
		Name:        m.Name,
		Type:        m.Type,
		Description: m.Description,
		State:       m.State,
		Problems:    m.Problems,
		Age:         age,
		Session:     m.Session,
	}
}

// Path returns the page of the memory.
func (r MemoryRow) Path() string { return MemoryPath(r.Agent, r.ID) }

// Delete returns the action that deletes the memory and comes back to the page at back.
func (r MemoryRow) Delete(back string) Action {
	return Action{
		Label: "Delete", About: r.Name, Path: MemoryPath(r.Agent, r.ID, "delete"), ETag: r.ETag, Back: back,
		Does: "delete", Icon: "delete", Style: Subtle,
	}
}

// Deleted returns the notice after a deletion, with the way back.
func Deleted(agent, id, name, back string) Notice {
	return Notice{
		Text: "Deleted “" + name + "”.",
		Actions: []Action{{
			Label: "Undo", About: "the deletion of " + name, Path: MemoryPath(agent, id, "restore"), Back: back,
			Does: "undo", Focus: RowID(id), Style: Primary,
		}},
	}
}

// Path returns the address of the tab as it is shown.
func (v Memories) Path() string { return v.at(v.Type, v.Attention, v.Cursor) }

// From returns the address of the same list from a cursor on.
func (v Memories) From(cursor string) string { return v.at(v.Type, v.Attention, cursor) }

// narrowed reports whether not all memories are wanted.
func (v Memories) narrowed() bool { return v.Query != "" || v.Type != "" || v.Attention }

func (v Memories) filtered(t memories.Type) string { return v.at(t, false, "") }

// whole returns the address that shows all of a group, and nothing else.
func (v Memories) whole(g group) string { return v.at(g.Type, g.Type == "", "") }

func (v Memories) at(t memories.Type, attention bool, cursor string) string {
	query := url.Values{}
	if v.Query != "" {
		query.Set(FieldQuery, v.Query)
	}
	if t != "" {
		query.Set(FieldType, string(t))
	}
	if attention {
		query.Set(FieldState, string(memories.NeedsAttention))
	}
	if cursor != "" {
		query.Set(FieldCursor, cursor)
	}
	if len(query) == 0 {
		return MemoriesPath(v.Agent.Slug)
	}
	return MemoriesPath(v.Agent.Slug) + "?" + query.Encode()
}

// group is the rows that stand under one heading.
type group struct {
	Type  memories.Type // empty: needs attention
	Title string
	Rows  []MemoryRow
}

// groups puts rows under their types in the order that is always kept, and what needs attention last. Groups without
// a row are left out.
func groups(rows []MemoryRow) []group {
	byType := map[memories.Type][]MemoryRow{}
	var attention []MemoryRow
	for _, row := range rows {
		if row.State == memories.NeedsAttention || !slices.Contains(memories.Types(), row.Type) {
			attention = append(attention, row)
		} else {
			byType[row.Type] = append(byType[row.Type], row)
		}
	}
	var found []group
	for _, t := range memories.Types() {
		if len(byType[t]) > 0 {
			found = append(found, group{Type: t, Title: typeName(t), Rows: byType[t]})
		}
	}
	if len(attention) > 0 {
		found = append(found, group{Title: "Needs attention", Rows: attention})
	}
	return found
}

package templates

import (
	"strings"

	"memoir/internal/memories"
	"memoir/web/templates/address"
	"memoir/web/templates/ui"
	"memoir/web/templates/wording"
)

// Memories is the view of an agent's Memory tab: groups of memories, and the open memory.
type Memories struct {
	ui.Frame
	Agent     Agent
	Selection Selection
	View      address.View
	Views     []ViewCount
	Groups    []Group // those with rows, in the order of the types
	Found     int     // number of memories in the view, hidden ones included
	Near      bool    // the search has only close matches
	Open      *Memory // nil if there is nothing to open
	// Arrived means that the address names no memory: Open is the first one, for a wide screen.
	Arrived bool
	// Form is the form in the pane, instead of a memory. It is nil without one.
	Form   *MemoryForm
	Shared []SharedGroup
	// Facts are the first of FactsFound facts of the agent's indexes that match the search.
	Facts      []SearchResult
	FactsFound int
}

// ViewCount is a view with the number of its memories.
type ViewCount struct {
	Name  string
	Count int
}

// SharedGroup is the view of the memories that an agent receives from a shared agent.
type SharedGroup struct {
	Slug  string // of the shared agent
	Rows  []MemoryRow
	Total int
}

func (g SharedGroup) all() string { return address.MemoriesPath(g.Slug) }

// Group is the rows of one type, of the memories that need attention, or of a list without groups.
type Group struct {
	Type  memories.Type // empty for memories that need attention
	Flat  bool          // all types
	Rows  []MemoryRow
	First int // place of the first row in the group, counted from 1
	Total int // number of memories in the group
}

// RowsHeader is the request header with the places of the rows of each group on an open page, as in
// "project=1-130, reference=1-30". A reload returns as many, so that no row that the user scrolled to
// disappears.
const RowsHeader = "Memoir-Rows"

// pageRows is the number of rows that a page adds to a list.
const pageRows = 100

// maxLoaded is the number of rows after which scrolling loads no more.
const maxLoaded = 1000

func (g Group) title() string {
	if g.Type == "" {
		return "Needs attention"
	}
	return wording.TypeName(g.Type)
}

// key returns the group's key in the header RowsHeader: its type, "attention", or "all".
func (g Group) key() string {
	if g.Flat {
		return "all"
	}
	return ui.IconOf(g.Type)
}

func (g Group) id(part string) string { return part + "-" + g.key() }

func (g Group) last() int { return g.First + len(g.Rows) - 1 }

// isLong reports whether scrolling loads no further rows.
func (g Group) isLong() bool { return g.last() >= maxLoaded }

// next returns the address of the rows after these.
func (g Group) next(v address.View) string {
	return g.list(v).PageAfter(g.Rows[len(g.Rows)-1].ID).List()
}

// earlier returns the address of the rows before these.
func (g Group) earlier(v address.View) string { return g.list(v).PageBefore(g.Rows[0].ID).List() }

// list returns the list of the group alone.
func (g Group) list(v address.View) address.View {
	if g.Flat {
		return v
	}
	return v.OfGroup(g.Type)
}

// empty reports whether the agent has no memories outside the trash and receives no shared ones. It
// is false for a filtered list, a search, and an open memory.
func (v Memories) empty() bool {
	return v.Agent.Counts.Total == 0 && v.View.Name == "" && !v.View.Narrowed() && v.Open == nil && len(v.Shared) == 0
}

func (v Memories) title() string {
	if v.opened() {
		return v.Open.Name
	}
	return "Memory"
}

// opened reports whether the address names the open memory.
func (v Memories) opened() bool { return v.Open != nil && !v.Arrived }

// isOpen reports whether the row's memory is in the pane, to be read or edited.
func (v Memories) isOpen(r MemoryRow) bool {
	return v.Open != nil && v.Open.ID == r.ID || v.Form != nil && v.Form.ID == r.ID
}

// shown returns the number of memories that a filter has found, in words.
func (v Memories) shown() string {
	words := wording.Count(v.Found, "memory", "memories")
	if v.View.Session != "" {
		words += " from " + wording.SessionOf(v.View.Session)
	}
	if v.Near {
		words = "No exact match. " + words + " close"
	}
	return words
}

// nothing returns the heading of an empty list.
func (v Memories) nothing() string {
	switch {
	case v.View.Query != "":
		return "No results for “" + v.View.Query + "”"
	case v.View.Narrowed() || v.View.Name == "":
		return "No memories"
	case v.View.Trash():
		return "Trash is empty"
	default:
		return "Nothing " + strings.ToLower(address.ViewLabel(v.View.Name)) + "."
	}
}

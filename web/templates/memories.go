package templates

import (
	"slices"
	"strconv"

	"memoir/internal/memories"
)

// Memories is the view of an agent's Memory tab: groups of memories, and the open memory.
type Memories struct {
	Frame
	Agent     Agent
	Selection Selection
	View      View
	Groups    []Group // those with rows, in the order of the types
	Found     int     // number of memories in the view, hidden ones included
	Near      bool    // the search has only close matches
	Open      *Memory // nil if no memory is open
	Shared    []SharedGroup
	// Facts are the first of FactsFound facts of the agent's indexes that match the search.
	Facts      []SearchResult
	FactsFound int
}

// SharedGroup is the view of the memories that an agent receives from a shared agent.
type SharedGroup struct {
	Slug  string // of the shared agent
	Rows  []MemoryRow
	Total int
}

func (g SharedGroup) all() string { return MemoriesPath(g.Slug) }

// Group is the view of the memories of one type, of memories that need attention, or of team
// memory.
type Group struct {
	Type  memories.Type // empty for memories that need attention
	Team  bool          // team memory of all types
	Rows  []MemoryRow
	Total int    // number of memories in the group
	More  string // address of the next rows; empty at the end
	// Above is the number of rows that an open page has above these, which it loads into the group.
	// 0 means that these are a page's own.
	Above int
	// Endless reports whether scrolling loads the next rows. It does until the page is long.
	Endless bool
}

// RowsHeader is the request header with the number of rows of each group on an open page, as in
// "project=130, reference=30". A reload returns as many, so that no row that the user scrolled to
// disappears.
const RowsHeader = "Memoir-Rows"

func (g Group) title() string {
	switch {
	case g.Team:
		return "Team"
	case g.Type == "":
		return "Needs attention"
	}
	return typeName(g.Type)
}

// kind returns the style sheet's name for the group's colour: its type, "team", or "" for memories
// that need attention.
func (g Group) kind() string {
	if g.Team {
		return teamGroup
	}
	return string(g.Type)
}

func (g Group) icon() string {
	if g.Team {
		return teamGroup
	}
	return iconOf(g.Type)
}

// teamGroup is the key of the team memory's group.
const teamGroup = "team"

// GroupKey returns the key in the header RowsHeader of the group with that type and scope: "team"
// for team memory, else the type. For an empty type, which means the memories that need attention,
// it is "attention".
func GroupKey(t memories.Type, scope memories.Scope) string {
	if scope == memories.TeamScope {
		return teamGroup
	}
	return iconOf(t)
}

func (g Group) meaning() string {
	if g.Team {
		return "shared by everybody who has this team memory"
	}
	return typeMeaning(g.Type)
}

func (g Group) id(part string) string { return part + "-" + g.icon() }

// next returns the address of the rows after these, for a page that appends them to the group.
// g.More must not be empty.
func (g Group) next() string {
	return g.More + "&" + FieldAbove + "=" + strconv.Itoa(g.Above+len(g.Rows))
}

func (g Group) left() int { return g.Total - g.Above - len(g.Rows) }

// empty reports whether the agent has no memories outside the trash and receives no shared ones. It
// is false for a filtered list, a search, and an open memory.
func (v Memories) empty() bool {
	return v.Agent.Counts.Total == 0 && !v.View.Narrowed() && v.Open == nil && len(v.Shared) == 0
}

func (v Memories) title() string {
	if v.Open != nil {
		return v.Open.Name
	}
	return "Memory"
}

// address returns the address of the page as it is shown: the open memory's with the filter of the
// list, else the list's.
func (v Memories) address() string {
	if v.Open != nil {
		return v.View.Memory(v.Open.ID)
	}
	return v.View.List()
}

func (v Memories) afterDeleting(r MemoryRow) string {
	if v.isOpen(r) {
		return v.View.List()
	}
	return v.address()
}

func (v Memories) isOpen(r MemoryRow) bool { return v.Open != nil && v.Open.ID == r.ID }

// neighbours returns the rows before and after the open memory in the list, across groups. Each is
// nil if it does not exist. Both are nil if no memory is open or the list does not have it.
func (v Memories) neighbours() (before, after *MemoryRow) {
	if v.Open == nil {
		return nil, nil
	}
	var rows []MemoryRow
	for _, g := range v.Groups {
		rows = append(rows, g.Rows...)
	}
	at := slices.IndexFunc(rows, v.isOpen)
	if at > 0 {
		before = &rows[at-1]
	}
	if at >= 0 && at+1 < len(rows) {
		after = &rows[at+1]
	}
	return before, after
}

// shown returns the number of memories and the filter in words: "12 stale project memories from U1
// in C1". For a search it adds the query, and whether the memories only come close to it.
func (v Memories) shown() string {
	kind := ""
	if v.View.Stale {
		kind = "stale "
	}
	if v.View.Scope != "" {
		kind += string(v.View.Scope) + " "
	}
	if v.View.Type != "" {
		kind += string(v.View.Type) + " "
	}
	words := counted(v.Found, kind+"memory", kind+"memories")
	if v.View.Session != "" {
		words += " from " + sessionWords(v.View.Session)
	}
	if v.View.Attention() {
		words += " in need of attention"
	}
	switch {
	case v.View.Query == "":
		return words
	case v.Near && v.Found == 1:
		return "No memory has “" + v.View.Query + "”. " + words + " comes close"
	case v.Near:
		return "No memory has “" + v.View.Query + "”. " + words + " come close"
	default:
		return words + " found for “" + v.View.Query + "”"
	}
}

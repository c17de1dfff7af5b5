package templates

import (
	"slices"
	"strconv"

	"memoir/internal/memories"
)

// Memories is an agent's Memory tab: its memories in groups, and the one that is open beside them.
type Memories struct {
	Frame
	Agent     Agent
	Selection Selection
	View      View
	Groups    []Group // those that have a row, in the order of the types
	Found     int     // how many memories the view has, shown or not
	Near      bool    // none of the agent's holds what is searched for; these come close
	Open      *Memory // nil: none is open
	Shared    []SharedGroup
	// Facts are the first of FactsFound facts of the agent's indexes that the search finds.
	Facts      []SearchResult
	FactsFound int
}

// SharedGroup is what the agent is given of what all agents share. It is read there, and changed with the agent whose it is.
type SharedGroup struct {
	Slug  string // of that agent
	Rows  []MemoryRow
	Total int
}

// all is the address of all of them.
func (g SharedGroup) all() string { return MemoriesPath(g.Slug) }

// Group is the memories of one type, or what needs attention.
type Group struct {
	Type  memories.Type // empty: needs attention
	Team  bool          // the team's memories, of all types
	Rows  []MemoryRow
	Total int    // how many the group has
	More  string // the address of the rows after these; empty: there are none
	// Above is how many rows an open page has above these, which are loaded into it; 0: these are the page's own.
	Above int
	// Endless: the rows after these come by themselves when they are scrolled to. They do so until the page is long.
	Endless bool
}

// RowsHeader names the request header in which an open page says how many rows of each group it shows, as in
// "project=130, reference=30". A page that fetches itself gets as many again, so that nothing that a reader has scrolled
// to goes away.
const RowsHeader = "Memoir-Rows"

// Grouped puts rows under their types in the order that is always kept, and what needs attention last. Groups without
// a row are left out.
func Grouped(rows []MemoryRow) []Group {
	byType := map[memories.Type][]MemoryRow{}
	for _, row := range rows {
		t := row.Type
		if row.State == memories.NeedsAttention || !slices.Contains(memories.Types(), t) {
			t = ""
		}
		byType[t] = append(byType[t], row)
	}
	var found []Group
	for _, t := range append(memories.Types(), "") {
		if rows := byType[t]; len(rows) > 0 {
			found = append(found, Group{Type: t, Rows: rows, Total: len(rows)})
		}
	}
	return found
}

func (g Group) title() string {
	switch {
	case g.Team:
		return "Team"
	case g.Type == "":
		return "Needs attention"
	}
	return typeName(g.Type)
}

// kind colours the group: its type, or that it is the team's.
func (g Group) kind() string {
	if g.Team {
		return teamGroup
	}
	return string(g.Type)
}

// icon is that of the group.
func (g Group) icon() string {
	if g.Team {
		return teamGroup
	}
	return iconOf(g.Type)
}

// teamGroup is what the group of the team's memories is called where groups are told apart by a word.
const teamGroup = "team"

// GroupKey is that word for a list of one group; none of the types is the one for what needs attention.
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

// id is an id of the group's own for a part of it.
func (g Group) id(part string) string { return part + "-" + g.icon() }

// next is the address of the rows after these, for a page that puts them below these.
func (g Group) next() string {
	return g.More + "&" + FieldAbove + "=" + strconv.Itoa(g.Above+len(g.Rows))
}

// left is how many rows come after these.
func (g Group) left() int { return g.Total - g.Above - len(g.Rows) }

// empty reports whether the agent has no memories at all.
func (v Memories) empty() bool {
	return v.Agent.Counts.Total() == 0 && !v.View.Narrowed() && v.Open == nil && len(v.Shared) == 0
}

func (v Memories) title() string {
	if v.Open != nil {
		return v.Open.Name
	}
	return "Memory"
}

// address is that of the page as it is shown.
func (v Memories) address() string {
	if v.Open != nil {
		return v.View.Memory(v.Open.ID)
	}
	return v.View.List()
}

// afterDeleting is where the deletion of a row leads: to the page as it is, unless it is the deleted memory's own.
func (v Memories) afterDeleting(r MemoryRow) string {
	if v.isOpen(r) {
		return v.View.List()
	}
	return v.address()
}

func (v Memories) isOpen(r MemoryRow) bool { return v.Open != nil && v.Open.ID == r.ID }

// neighbours returns the pages of the memories before and after the open one, as far as they are among the rows.
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

// shown says in words which memories the list holds: "12 stale project memories from U1 in C1".
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
	if v.View.Attention {
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

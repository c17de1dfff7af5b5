package records

import (
	"slices"
	"time"

	"memoir/internal/findings"
	"memoir/internal/memories"
)

// MemoryView is one of the lists of the Memory tab.
type MemoryView string

// The views. AllMemoryView leaves out the trash, as all but TrashView do.
const (
	AllMemoryView     MemoryView = ""
	NewView           MemoryView = "new"            // first seen or changed within NewDays
	UncheckedView     MemoryView = "unchecked"      // as memories.Age.IsUnchecked
	NeverRecalledView MemoryView = "never-recalled" // RecallableDays old and never recalled
	TeamView          MemoryView = "team"
	TrashView         MemoryView = "trash"
)

const (
	// NewDays is how long a memory is in NewView (arbitrary).
	NewDays = 7
	// RecallableDays is the age from which a memory without a recall is in NeverRecalledView
	// (arbitrary).
	RecallableDays = 14
)

// MemoryViews returns all views in the order of the page.
func MemoryViews() []MemoryView {
	return []MemoryView{AllMemoryView, NewView, UncheckedView, NeverRecalledView, TeamView, TrashView}
}

// MemoryOrder is the order of the Memory tab. Equal rows follow by age, newest first, then by name.
type MemoryOrder string

// The orders. Only ByTypeOrder has groups; each is sorted by age, newest first.
const (
	ByTypeOrder MemoryOrder = ""
	NewestOrder MemoryOrder = "newest"
	OldestOrder MemoryOrder = "oldest"
	NameOrder   MemoryOrder = "name" // in any letter case
	CostOrder   MemoryOrder = "cost" // largest in CLAUDE.md first
)

// MemoryOrders returns all orders in the order of the menu.
func MemoryOrders() []MemoryOrder {
	return []MemoryOrder{ByTypeOrder, NewestOrder, OldestOrder, NameOrder, CostOrder}
}

// MemoryPart is a group of the Memory tab: the place of a type in memories.Types, counted from 1, or
// one of these.
type MemoryPart int

// The zero MemoryPart means all groups. FlatPart is the only group of a list that is not sorted by
// type.
const (
	AttentionPart MemoryPart = 5 // without a type, or unreadable
	FlatPart      MemoryPart = 6
)

// PartOf returns the group of a type.
func PartOf(t memories.Type) MemoryPart {
	if n := t.Order(); n >= 0 {
		return MemoryPart(n + 1)
	}
	return AttentionPart
}

// Type returns the type of the group's memories. It is empty for AttentionPart and FlatPart.
func (p MemoryPart) Type() memories.Type {
	if types := memories.Types(); p >= 1 && int(p) <= len(types) {
		return types[p-1]
	}
	return ""
}

// MemoryList selects and orders memories of one agent. A zero field selects all.
type MemoryList struct {
	View    MemoryView
	Part    MemoryPart
	State   memories.State
	Session string // a file of it has the memory, or the content came from it
	Query   string // all words, each as a prefix
	Order   MemoryOrder
}

// MemoryWindow selects the rows to return.
type MemoryWindow struct {
	// Rows has the places of the first and last row of groups, counted from 1. Others show the first
	// Default rows.
	Rows    map[MemoryPart][2]int
	Default int
	// Anchor is the id of a memory. If it is beyond the rows of its group, the group shows the places
	// from Before to After instead, counted from the anchor's. IsPage means always.
	Anchor        string
	Before, After int
	IsPage        bool
}

// ListedMemory is one row. Files, Index and Use of the memory are empty, and Body is without a query.
type ListedMemory struct {
	memories.Memory
	Part     MemoryPart
	Place    int // in the group, counted from 1
	Conflict memories.Conflict
	Findings []findings.Kind // contradiction and expired, if they wait for a decision
	// NotRemoved means that the memory is in the trash and a file of it is still on disk.
	NotRemoved bool
}

// Found reports whether the review has a finding of that kind.
func (m ListedMemory) Found(kind findings.Kind) bool { return slices.Contains(m.Findings, kind) }

// MemoryListPage is the selected rows of a list, by group and place.
type MemoryListPage struct {
	Rows      []ListedMemory
	Totals    map[MemoryPart]int // of each group with rows
	ChangedAt time.Time          // newest change of all memories of the list; zero without rows
	Near      bool               // no memory has all words of the query; these come close
}

// MemoryViewCounts is the number of memories of each view.
type MemoryViewCounts map[MemoryView]int

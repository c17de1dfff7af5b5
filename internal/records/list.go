package records

import "memoir/internal/memories"

// MemoryList selects memories of an agent. The zero value selects all but the deleted ones, newest
// first.
type MemoryList struct {
	Type    memories.Type
	State   memories.State
	Stale   bool   // those alone that are
	Flagged bool   // those alone that are in use although something about their files is odd
	Session string // a file of this session carries them now, or their content came from it; for a list of one agent
	Name    string // exact
	Scope   memories.Scope
	// NotRemoved wants those alone of which a file, or an entry in an index, is still there although
	// they were deleted, because it could not be removed: of the State Deleted, for a list of one
	// agent.
	NotRemoved bool
	Search     string // all words, each as a prefix
	Near       bool   // where no memory holds all words of the Search, those that come close are wanted
	Sort       Sort
	Limit      int    // 1 to MaxLimit
	Cursor     string // the NextCursor of the page before, for the same list
}

// Sort is the order of a list.
type Sort string

// The orders of a list; ties go by id. A search without an order is ranked, best first.
const (
	ByUpdate Sort = "updated" // newest first
	ByName   Sort = "name"    // by UTF-8 bytes
	ByAge    Sort = "age"     // oldest first
)

// MaxLimit is the longest page of a list.
const MaxLimit = 500

// ErrSearch means that the query has too many words, or none.
var ErrSearch = &memories.InvalidError{Field: "q", Reason: "is longer than 1,000 characters; search for the words that matter"}

// ErrCursor means that the cursor is not of this list.
var ErrCursor = &memories.InvalidError{Field: "cursor", Reason: "is not one that this list gave; leave it out to start from the first page"}

// MemoryPage is one page of a list.
type MemoryPage struct {
	Memories   []memories.Memory
	Total      int    // of the whole list
	Near       bool   // no memory of the agent holds all the words of the search; these come close
	NextCursor string // empty at the end
}

// AsOfList selects memories of a past moment, by name. The zero value selects all but the deleted
// ones.
type AsOfList struct {
	Type    memories.Type
	State   memories.State
	Stale   bool   // those alone that were
	Session string // their content came from this session
	Name    string // exact
	Scope   memories.Scope
	Limit   int    // 1 to MaxLimit
	Cursor  string // the NextCursor of the page before, for the same list at the same moment
}

// RevisionList selects revisions of a memory.
type RevisionList struct {
	From  string // the id or hash of the first; empty for the newest
	Limit int    // 1 to MaxLimit
}

// RevisionPage is one part of a memory's history, newest first.
type RevisionPage struct {
	Revisions []memories.Revision
	Skipped   int    // newer ones
	Total     int    // of the whole history
	Next      string // the id of the next one; empty at the end
}

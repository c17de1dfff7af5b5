package records

import "memoir/internal/memories"

// MaxLimit is the longest page of a list.
const MaxLimit = 500

// ErrCursor means that the cursor is not of this list.
var ErrCursor = &memories.InvalidError{Field: "cursor", Reason: "is not one that this list gave; leave it out to start from the first page"}

// MemoryPage is one page of a list.
type MemoryPage struct {
	Memories   []memories.Memory
	Total      int    // of the whole list
	Near       bool   // no memory of the agent holds all the words of the search; these come close
	NextCursor string // empty at the end
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

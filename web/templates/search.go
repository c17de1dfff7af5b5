package templates

import (
	"slices"

	"memoir/internal/memories"
	"memoir/internal/words"
)

// Search is the view of the search over all agents.
type Search struct {
	Frame
	Query   string        // empty if there is no search yet
	Type    memories.Type // the only type shown; empty for all
	Deleted bool          // search only the trash
	Partial bool          // the search index is not complete yet
	// Near reports whether no memory has all the words, so that these are close matches.
	Near    bool
	Results []SearchResult
	Total   int // number of hits on all pages
	// Cursor is the start of this page. It is empty on the first page.
	Cursor string
	// Next is the cursor of the next page. It is empty on the last page.
	Next string
}

// SearchResult is the view of one hit, with the matching parts of its texts marked.
type SearchResult struct {
	Agent     string // the slug
	AgentName string
	ID        string
	Line      int // the line of a fact in the index; 0 for a memory
	Name      []words.Part
	Description,
	Excerpt []words.Part
	Type  memories.Type // empty if it has no type
	Age   Age
	State memories.State
}

// kind returns the style sheet's name for the row's colour: the memory's type, or "index" for a
// fact of MEMORY.md.
func (r SearchResult) kind() string {
	if r.Line > 0 {
		return "index"
	}
	return string(r.Type)
}

func (r SearchResult) path() string {
	if r.Line > 0 {
		return FactPath(r.Agent, r.ID)
	}
	return MemoryPath(r.Agent, r.ID)
}

func (v Search) at(t memories.Type, deleted bool, cursor string) string {
	state := ""
	if deleted {
		state = string(memories.Deleted)
	}
	return WithQuery(SearchPath, map[string]string{FieldQuery: v.Query, FieldType: string(t), FieldState: state, FieldCursor: cursor})
}

// found returns in words how many hits there are on all pages. It is empty without a query.
func (v Search) found() string {
	switch {
	case v.Query == "":
		return ""
	case v.Near:
		return "No memory has all of “" + v.Query + "”. " + counted(v.Total, "comes", "come") + " close."
	case v.Deleted:
		return counted(v.Total, "memory", "memories") + " in the trash found for “" + v.Query + "”"
	case slices.ContainsFunc(v.Results, func(r SearchResult) bool { return r.Line > 0 }):
		return counted(v.Total, "result", "results") + " for “" + v.Query + "”, facts in MEMORY.md among them"
	default:
		return counted(v.Total, "memory", "memories") + " found for “" + v.Query + "”"
	}
}

func (v Search) address() string { return v.at(v.Type, v.Deleted, v.Cursor) }

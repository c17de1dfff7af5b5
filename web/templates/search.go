package templates

import (
	"slices"

	"memoir/internal/memories"
	"memoir/internal/memories/terms"
	"memoir/internal/words"
	"memoir/web/templates/address"
	"memoir/web/templates/ui"
	"memoir/web/templates/wording"
)

// Search is the view of the search over all agents.
type Search struct {
	ui.Frame
	Query   string      // as typed; empty if there is no search yet
	Terms   terms.Terms // of Query
	Partial bool        // the search index is not complete yet
	// Near reports whether no memory has all the words, so that these are close matches.
	Near    bool
	Agents  []FoundAgent // with the words in their names
	Results []SearchResult
	Total   int // number of hits on all pages
	// Cursor is the start of this page. It is empty on the first page.
	Cursor string
	// Next is the cursor of the next page. It is empty on the last page.
	Next string
}

// FoundAgent is the view of an agent that a search has found.
type FoundAgent struct {
	Slug     string
	Name     []words.Part // with the words marked
	Place    string
	Memories int
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
		return address.FactPath(r.Agent, r.ID)
	}
	return address.MemoryPath(r.Agent, r.ID)
}

// hasUsefulExcerpt reports whether the excerpt shows a hit, or is the only text.
func (r SearchResult) hasUsefulExcerpt() bool {
	return len(r.Excerpt) > 0 && len(r.Description) == 0 || slices.ContainsFunc(r.Excerpt, func(p words.Part) bool { return p.Hit })
}

// addressFrom returns the address of the hit, from which a link leads back to the search for typed,
// if that is not empty.
func (r SearchResult) addressFrom(typed string) string {
	if typed == "" {
		return r.path()
	}
	return address.WithQuery(r.path(), map[string]string{address.FieldOpener: address.FromSearch, address.FieldQuery: typed})
}

// at returns the address of a search for terms.
func (v Search) at(t terms.Terms, cursor string) string {
	return address.WithQuery(address.SearchPath, map[string]string{address.FieldQuery: t.String(), address.FieldCursor: cursor})
}

func (v Search) address() string {
	return address.WithQuery(address.SearchPath, map[string]string{address.FieldQuery: v.Query, address.FieldCursor: v.Cursor})
}

// suggested returns filters that are not in use, for one click.
func (v Search) suggested() []terms.Filter {
	var all []terms.Filter
	if v.Terms.Value(terms.Type) == "" {
		for _, t := range memories.Types() {
			all = append(all, terms.Filter{Field: terms.Type, Value: string(t)})
		}
	}
	for _, value := range terms.IsValues() {
		if value != terms.IsStale && !v.Terms.Is(value) {
			all = append(all, terms.Filter{Field: terms.Is, Value: value})
		}
	}
	return all
}

// found returns in words how many hits there are on all pages. It is empty without a query.
func (v Search) found() string {
	switch {
	case v.Query == "":
		return ""
	case v.Near:
		return "No exact results for “" + v.Query + "”. " + wording.Count(v.Total, "similar memory", "similar memories")
	default:
		return wording.Count(v.Total, "memory", "memories")
	}
}

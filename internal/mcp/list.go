package mcp

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"memoir/internal/fence"
	"memoir/internal/memories"
	"memoir/internal/memories/memtext"
	"memoir/internal/records"
	"memoir/internal/words"
)

const (
	// defaultListLimit and maxListLimit are the numbers of memories on a page: without a limit in the
	// request, and at most. Arbitrary.
	defaultListLimit = 50
	maxListLimit     = 100
	// maxDescription is the length of a description in a list, in characters. Arbitrary.
	maxDescription = 200
	// excerptLength is the length of the excerpt of a search result, in bytes. Arbitrary.
	excerptLength = 240
)

type listInput struct {
	agentSelector
	memories.Filter
	memories.PageRequest
}

type searchInput struct {
	agentSelector
	memories.Filter
	memories.PageRequest
}

// hiddenFilters are the filters that no tool takes, so that a model has fewer to choose from.
var hiddenFilters = []string{"stale", "unchecked", "flagged", "not_removed", "session", "name", "scope", "near", "sort", "as_of"}

// shape removes the properties that list_memories does not take from schema.
func (listInput) shape(schema *jsonschema.Schema) {
	leaveOut(schema, append(hiddenFilters, "query"))
}

// shape removes the properties that search_memories does not take from schema, makes query
// required, and describes query and cursor.
func (searchInput) shape(schema *jsonschema.Schema) {
	leaveOut(schema, append(hiddenFilters, "state"))
	schema.Required = append(schema.Required, "query")
	schema.Properties["query"].Description = "Search words, in any letter case; each also matches longer words that begin with it. If no memory has all words, similar ones are returned."
	schema.Properties["cursor"].Description = "The next_cursor of the previous page of the same search."
}

func leaveOut(schema *jsonschema.Schema, names []string) {
	for _, name := range names {
		delete(schema.Properties, name)
	}
}

// list is the result of list_memories and search_memories.
type list struct {
	Agent      string   `json:"agent"`
	Memories   []listed `json:"memories"`
	Total      int      `json:"total" jsonschema:"Number of all memories, on every page."`
	Near       bool     `json:"near,omitempty" jsonschema:"No memory has all words of the search; these are similar."`
	NextCursor string   `json:"next_cursor,omitempty" jsonschema:"The cursor of the next page. Absent on the last page."`
	Facts      []fact   `json:"index_facts,omitempty" jsonschema:"First page of a search: facts in MEMORY.md itself, not in a memory file. Not counted in total."`
	Shared     []shared `json:"shared,omitempty" jsonschema:"First page: memories that all agents share. Not counted in total."`

	query string // empty if this is not a search
}

// fact is a search result in an index file.
type fact struct {
	ID      string `json:"id" jsonschema:"The id for get_memory."`
	File    string `json:"file" jsonschema:"The index file on disk."`
	Line    int    `json:"line"`
	Heading string `json:"heading,omitempty" jsonschema:"The heading above it."`
	Excerpt string `json:"excerpt" jsonschema:"The passage that matches best."`
}

// maxFacts is the largest number of index facts in a result. Arbitrary.
const maxFacts = 20

// facts returns at most maxFacts facts in the agent's indexes that match filter.Query, each with an
// excerpt. It returns nil if there is no query, if a type is requested (facts have none), and after
// the first page.
func facts(ctx context.Context, store Store, agent records.Agent, filter memories.Filter, request memories.PageRequest) ([]fact, error) {
	if filter.Query == "" || request.Cursor != "" || filter.Type != "" {
		return nil, nil
	}
	found, err := store.SearchFacts(ctx, agent.ID, filter.Query, 0, min(request.Limit, maxFacts))
	var all []fact
	search := words.For(filter.Query)
	for _, m := range found {
		f := fact{ID: m.ID, File: filepath.Join(agent.Dir, filepath.FromSlash(m.Path)), Line: m.Line, Heading: m.Description}
		for _, part := range search.Excerpt(m.Body, excerptLength) {
			f.Excerpt += part.Text
		}
		all = append(all, f)
	}
	return all, err
}

// shared is the memories of another agent that all agents share.
type shared struct {
	Agent    string   `json:"agent" jsonschema:"Their agent. Give it as agent to see more, or to change one."`
	Memories []listed `json:"memories"`
	Total    int      `json:"total"`
}

// listed is a memory in a list.
type listed struct {
	memory
	Excerpt string `json:"excerpt,omitempty" jsonschema:"In a search: the passage that matches best."`
}

const (
	toolList   = "list_memories"
	toolSearch = "search_memories"
)

func (e *endpoint) listMemories(ctx context.Context, agent records.Agent, in listInput) (list, error) {
	return e.page(ctx, agent, in.Filter, in.PageRequest)
}

func (e *endpoint) searchMemories(ctx context.Context, agent records.Agent, in searchInput) (list, error) {
	switch {
	case strings.TrimSpace(in.Query) == "":
		return list{}, refusal("The query is empty. Give some words, or use list_memories.")
	case !memories.CanBeText(in.Query):
		return list{}, refusal("The query contains a NUL character. Remove it.")
	}
	in.Near = true
	return e.page(ctx, agent, in.Filter, in.PageRequest)
}

// page returns one page of a list, at most maxListLimit memories. The first page also has the facts
// and the shared memories. If the result is too large for an agent, page reads again with half the
// limit, until it fits or has one memory. The next page then begins after the last memory shown.
func (e *endpoint) page(ctx context.Context, agent records.Agent, filter memories.Filter, request memories.PageRequest) (list, error) {
	if request.Limit == 0 {
		request.Limit = defaultListLimit
	}
	for request.Limit = min(request.Limit, maxListLimit); ; request.Limit /= 2 {
		page, err := e.store.Memories(ctx, agent, filter, request)
		if err != nil {
			return list{}, err
		}
		shown := listOf(agent, page, filter.Query, time.Now())
		if shown.Facts, err = facts(ctx, e.store, agent, filter, request); err != nil {
			return list{}, err
		}
		if shown.Shared, err = sharedMemories(ctx, e.store, agent, filter, request); err != nil {
			return list{}, err
		}
		if request.Limit == 1 || !isTooLarge(shown) {
			return shown, nil
		}
	}
}

// sharedMemories returns, for each agent that shares memories with agent, the first page of the
// memories that the filter selects. Agents without such memories are left out. A memory must have
// all words of the query. It returns nil after the first page, and for a state other than active.
func sharedMemories(ctx context.Context, store Store, agent records.Agent, filter memories.Filter, request memories.PageRequest) ([]shared, error) {
	if request.Cursor != "" || filter.State != "" && filter.State != memories.Active {
		return nil, nil
	}
	from, err := store.Shared(ctx, agent)
	if err != nil {
		return nil, err
	}
	filter.Near = false
	var all []shared
	for _, giver := range from {
		page, err := store.Memories(ctx, giver, filter, request)
		if err != nil {
			return nil, err
		}
		if found := listOf(giver, page, filter.Query, time.Now()); len(found.Memories) > 0 {
			all = append(all, shared{giver.Slug, found.Memories, found.Total})
		}
	}
	return all, nil
}

// listOf returns a page as a result, with descriptions cut to maxDescription characters. If query
// is not empty, each memory has an excerpt with its words.
func listOf(agent records.Agent, page records.MemoryPage, query string, now time.Time) list {
	l := list{Agent: agent.Slug, Memories: make([]listed, len(page.Memories)), Total: page.Total, Near: page.Near, NextCursor: page.NextCursor, query: query}
	search := words.For(query)
	for i, m := range page.Memories {
		l.Memories[i].memory = memoryOf(m, now)
		l.Memories[i].Description = beginningOf(m.Description, maxDescription)
		if query != "" {
			for _, part := range search.Excerpt(m.Body, excerptLength) {
				l.Memories[i].Excerpt += part.Text
			}
		}
	}
	return l
}

func (l list) text() string {
	var text strings.Builder
	text.WriteString(l.own())
	if len(l.Facts) > 0 {
		var facts strings.Builder
		for _, f := range l.Facts {
			fmt.Fprintf(&facts, "- line %d: %s\n", f.Line, f.Excerpt)
		}
		head := memtext.Counted(len(l.Facts), "fact", "facts") + " in the index " + fence.Defuse(l.Facts[0].File) + ":"
		text.WriteString("\n\n" + fence.Block(head, facts.String()))
	}
	for _, s := range l.Shared {
		head := fmt.Sprintf("%s that all agents share, of %s:", memtext.Counted(s.Total, "memory", "memories"), s.Agent)
		text.WriteString("\n\n" + fence.Block(head, lines(s.Memories)))
	}
	return text.String()
}

// own returns the text about the agent's own memories in the list: their number, a line for each,
// and the cursor of the next page. Without memories, it is a sentence.
func (l list) own() string {
	head := memtext.Counted(l.Total, "memory", "memories") + " of " + l.Agent + ":"
	switch {
	case l.Total == 0 && l.query != "":
		return "No memory of " + l.Agent + " has that."
	case l.Total == 0:
		return l.Agent + " has no such memories."
	case l.Near:
		head = "No memory of " + l.Agent + " has all of these words. " + memtext.Counted(l.Total, "memory comes", "memories come") + " close:"
	}
	text := lines(l.Memories)
	if l.NextCursor != "" {
		text += fmt.Sprintf("More: ask again with cursor %s\n", l.NextCursor)
	}
	return fence.Block(head, text)
}

// lines returns a text with each memory on one line, and its excerpt, if any, on the next.
func lines(all []listed) string {
	var text strings.Builder
	for _, m := range all {
		text.WriteString(m.line() + "\n")
		if m.Excerpt != "" {
			text.WriteString("  " + m.Excerpt + "\n")
		}
	}
	return text.String()
}

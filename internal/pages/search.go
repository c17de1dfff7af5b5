package pages

import (
	"net/http"
	"time"

	"memoir/internal/memories"
	"memoir/internal/words"
	"memoir/web/templates"
)

const (
	// maxResults is the maximum number of hits on a page (arbitrary).
	maxResults = 50
	// excerptLength is the length of an excerpt in bytes, about two lines of the page.
	excerptLength = 160
)

// search shows one page of a search over all agents. Without a query it shows the form only. For an
// invalid filter it returns a *badRequest or *memories.InvalidError.
func (s *site) search(w http.ResponseWriter, r *http.Request) error {
	v, err := requestedSearch(r)
	if err != nil {
		return err
	}
	v.Frame = templates.Frame{Live: templates.EventsPath}
	// set before the search, so that it is true if the search misses anything
	v.Partial = !s.engine.Searchable()
	if v.Query != "" {
		if err := s.find(r, &v); err != nil {
			return err
		}
	}
	return show(w, r, http.StatusOK, templates.SearchPage(v))
}

// requestedSearch returns the search in the query of r: the words, type, state and cursor. It
// ignores other filters. It returns a *badRequest for a state other than deleted, and
// *memories.InvalidError for an invalid filter.
func requestedSearch(r *http.Request) (templates.Search, error) {
	query := r.URL.Query()
	filter, err := filterOf(query)
	if err != nil {
		return templates.Search{}, err
	}
	if filter.State != "" && filter.State != memories.Deleted {
		return templates.Search{}, errBadRequest("The only state that can be searched for here is deleted.")
	}
	return templates.Search{
		Query: filter.Query, Type: filter.Type, Deleted: filter.State == memories.Deleted, Cursor: query.Get(templates.FieldCursor),
	}, nil
}

// find fills v with one page of what matches v in all agents: the memories, best first, then the
// facts. It sets v.Total, and v.Next for the next page. If nothing has all words, it finds memories
// with similar words, and sets v.Near. It omits facts if v has a type or is about the trash.
func (s *site) find(r *http.Request, v *templates.Search) error {
	filter := memories.Filter{Query: v.Query, Near: true, Type: v.Type}
	if v.Deleted {
		filter.State = memories.Deleted
	}
	page, err := s.store.Search(r.Context(), filter, memories.PageRequest{Limit: maxResults, Cursor: v.Cursor})
	if err != nil {
		return err
	}
	agents, err := s.store.AgentsUncounted(r.Context())
	if err != nil {
		return err
	}
	names := displayNames(agents)
	search, now := words.For(v.Query), time.Now()
	if page.Near {
		search = search.Near()
	}
	for _, m := range page.Memories {
		if err := r.Context().Err(); err != nil {
			return err
		}
		v.Results = append(v.Results, resultOf(m, names[m.Agent], search, now))
	}
	v.Total, v.Near, v.Next = page.Total, page.Near, page.NextCursor
	return nil
}

func resultOf(m memories.Memory, agent string, search words.Search, now time.Time) templates.SearchResult {
	return templates.SearchResult{
		Agent: m.Agent, AgentName: agent, ID: m.ID, Line: m.Line, Type: m.Type, State: m.State,
		Name: search.Mark(m.Name), Description: search.Mark(m.Description), Excerpt: search.Excerpt(m.Body, excerptLength),
		Age: ageView(m.Age(now)),
	}
}

package pages

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"memoir/internal/memories"
	"memoir/internal/memories/terms"
	"memoir/internal/pages/homeview"
	"memoir/internal/pages/paletteview"
	"memoir/internal/records"
	"memoir/internal/words"
	"memoir/web/templates"
)

const (
	// maxResults is the maximum number of hits on a page (arbitrary).
	maxResults = 50
	// maxFoundAgents is the maximum number of agents above the hits (arbitrary).
	maxFoundAgents = 6
	// excerptLength is the length of an excerpt in bytes, about two lines of the page.
	excerptLength = 160
)

// search shows one page of a search over all agents. Without a query it shows the form only. The
// earlier parameters for the type and the trash redirect to the same filters in the query.
func (s *site) search(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	if target, ok := withoutOldFilters(query); ok {
		http.Redirect(w, r, target, http.StatusMovedPermanently)
		return nil
	}
	typed := cleanText(query.Get(templates.FieldQuery))
	v := templates.Search{
		Frame: templates.Frame{Live: templates.EventsPath}, Query: typed, Terms: terms.Parse(typed), Cursor: query.Get(templates.FieldCursor),
		// set before the search, so that it is true if the search misses anything
		Partial: !s.engine.Searchable(),
	}
	if typed != "" {
		if err := s.find(r.Context(), &v); err != nil {
			return err
		}
	}
	return show(w, r, http.StatusOK, templates.SearchPage(v))
}

// withoutOldFilters returns the address of a search whose query has the parameters type and state
// as filters. It returns false if the search has neither.
func withoutOldFilters(query url.Values) (target string, ok bool) {
	asked := terms.Parse(cleanText(query.Get(templates.FieldQuery)))
	if t, known := memories.ParseType(query.Get(templates.FieldType)); known {
		asked, ok = asked.With(terms.Filter{Field: terms.Type, Value: string(t)}), true
	}
	if query.Get(templates.FieldState) == string(memories.Deleted) {
		asked, ok = asked.With(terms.Filter{Field: terms.Is, Value: terms.IsTrash}), true
	}
	return templates.WithQuery(templates.SearchPath, map[string]string{templates.FieldQuery: asked.String()}), ok
}

// find fills v with one page of what matches v in all agents: agents, then memories, best first,
// then facts. It sets v.Total, and v.Next for the next page. If nothing has all words, it finds
// memories with similar words, and sets v.Near.
func (s *site) find(ctx context.Context, v *templates.Search) error {
	all, newest, err := s.agentsAndChanges(ctx)
	if err != nil {
		return err
	}
	page, err := s.searchTerms(ctx, v.Terms, memories.PageRequest{Limit: maxResults, Cursor: v.Cursor})
	if err != nil {
		return err
	}
	labels := homeview.Labels(all, home())
	names, places := map[string]string{}, map[string]string{}
	for i, agent := range all {
		names[agent.Slug], places[agent.Slug] = labels[i].Name, labels[i].Parent
	}
	if v.Cursor == "" && len(v.Terms.Filters) == 0 {
		found := paletteview.Data{Agents: all, Newest: newest, HomeDir: home(), Typed: v.Terms.Words, Query: v.Query}
		for _, agent := range found.FoundAgents(maxFoundAgents) {
			v.Agents = append(v.Agents, templates.FoundAgent{
				Slug: agent.Slug, Name: paletteview.MarkAgent(names[agent.Slug], v.Terms.Words), Place: places[agent.Slug], Memories: agent.Counts.Total,
			})
		}
	}
	search, now := words.For(v.Terms.Words), time.Now()
	if page.Near {
		search = search.Near()
	}
	for _, m := range page.Memories {
		if err := ctx.Err(); err != nil {
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

// searchTerms returns one page of the memories and facts that match. It is empty without a word,
// unless an agent is named, and for an unknown agent.
func (s *site) searchTerms(ctx context.Context, asked terms.Terms, page memories.PageRequest) (records.MemoryPage, error) {
	filter := memories.Filter{Query: asked.Words, Near: true, Type: memories.Type(asked.Value(terms.Type)), Stale: asked.Is(terms.IsStale)}
	switch {
	case asked.Is(terms.IsTrash):
		filter.State = memories.Deleted
	case asked.Is(terms.IsMissing):
		filter.State = memories.Missing
	}
	if asked.Is(terms.IsTeam) {
		filter.Scope = memories.TeamScope
	}
	name := asked.Value(terms.Agent)
	switch {
	case name != "":
		agent, known, err := s.agentNamed(ctx, name)
		if err != nil || !known {
			return records.MemoryPage{}, err
		}
		return s.store.Memories(ctx, agent, filter, page)
	case asked.Words == "":
		return records.MemoryPage{}, nil
	default:
		return s.store.Search(ctx, filter, page)
	}
}

// agentNamed returns the agent with the slug, or else with that name in lists.
func (s *site) agentNamed(ctx context.Context, name string) (records.Agent, bool, error) {
	all, err := s.store.AgentsUncounted(ctx)
	if err != nil {
		return records.Agent{}, false, err
	}
	named := -1
	for i, label := range homeview.Labels(all, home()) {
		if all[i].Slug == name {
			return all[i], true, nil
		}
		if label.Name == name {
			named = i
		}
	}
	if named < 0 {
		return records.Agent{}, false, nil
	}
	return all[named], true, nil
}

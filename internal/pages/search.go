package pages

import (
	"net/http"
	"net/url"
	"time"

	"memoir/internal/memories"
	"memoir/internal/memories/terms"
	"memoir/internal/pages/kit"
	"memoir/internal/pages/listview"
	"memoir/internal/pages/paletteview"
	"memoir/internal/words"
	"memoir/web/templates"
	"memoir/web/templates/address"
	"memoir/web/templates/ui"
)

const (
	// maxResults is the maximum number of hits on a page (arbitrary).
	maxResults = 50
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
	typed := listview.CleanText(query.Get(address.FieldQuery))
	v := templates.Search{
		Frame: ui.Frame{Live: address.EventsPath}, Query: typed, Terms: terms.Parse(typed), Cursor: query.Get(address.FieldCursor),
		// set before the search, so that it is true if the search misses anything
		Partial: !s.engine.Searchable(),
	}
	var err error
	if v.Notice, err = s.undoNotice(r); err != nil {
		return err
	}
	if typed != "" {
		now := time.Now()
		err = paletteview.Find(r.Context(), s.store, &v, home(), maxResults, func(m memories.Memory, agent string, search words.Search) templates.SearchResult {
			return resultOf(m, agent, search, now)
		})
		if err != nil {
			return err
		}
	}
	return kit.Show(w, r, http.StatusOK, templates.SearchPage(v))
}

// withoutOldFilters returns the address of a search whose query has the parameters type and state
// as filters. It returns false if the search has neither.
func withoutOldFilters(query url.Values) (target string, ok bool) {
	asked := terms.Parse(listview.CleanText(query.Get(address.FieldQuery)))
	if t, known := memories.ParseType(query.Get(address.FieldType)); known {
		asked, ok = asked.With(terms.Filter{Field: terms.Type, Value: string(t)}), true
	}
	if query.Get(address.FieldState) == string(memories.Deleted) {
		asked, ok = asked.With(terms.Filter{Field: terms.Is, Value: terms.IsTrash}), true
	}
	return address.WithQuery(address.SearchPath, map[string]string{address.FieldQuery: asked.String()}), ok
}

func resultOf(m memories.Memory, agent string, search words.Search, now time.Time) templates.SearchResult {
	return templates.SearchResult{
		Agent: m.Agent, AgentName: agent, ID: m.ID, Line: m.Line, Type: m.Type, State: m.State,
		Name: search.Mark(m.Name), Description: search.Mark(m.Description), Excerpt: search.Excerpt(m.Body, excerptLength),
		Age: ageView(m.Age(now)),
	}
}

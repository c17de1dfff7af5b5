package pages

import (
	"net/http"
	"net/url"

	"memoir/internal/memories"
	"memoir/internal/pages/kit"
	"memoir/internal/pages/listview"
	"memoir/internal/records"
	"memoir/web/templates/address"
)

// viewOf returns the list in the address of r, as listview.Parse. For an action it takes the address
// of the page of the form.
func viewOf(r *http.Request, agent records.Agent) (address.View, records.MemoryList, error) {
	query := r.URL.Query()
	if r.Method == http.MethodPost {
		if page, err := url.Parse(kit.Back(r, "")); err == nil {
			query = page.Query()
		}
	}
	if query.Get(address.FieldOpener) == address.FromSearch {
		query.Del(address.FieldQuery) // it has the words of that search
	}
	return listview.Parse(agent.Slug, query)
}

// filterOf returns the filter of a list from the query of an address. It returns
// *memories.InvalidError for an invalid or repeated value. It ignores empty fields, other
// parameters, and the filters as_of, near and not_removed.
func filterOf(query url.Values) (memories.Filter, error) {
	filters := url.Values{}
	for _, field := range memories.FilterFields() {
		switch field.Name {
		case "as_of", "near", "not_removed": // pages of their own, and not chosen by the address
			continue
		}
		for _, raw := range query[field.Name] {
			if value := listview.CleanText(raw); value != "" || len(query[field.Name]) > 1 {
				filters.Add(field.Name, value)
			}
		}
	}
	return memories.ParseFilter(filters)
}

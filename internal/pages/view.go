package pages

import (
	"net/http"
	"net/url"
	"strings"

	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/web/templates"
)

// viewOf returns the filter and the cursor of the Memory tab from the address of r. For an action
// it takes them from the address of the page of the form. It returns a *badRequest or
// *memories.InvalidError for an invalid value or combination.
func viewOf(r *http.Request, agent records.Agent) (templates.View, error) {
	query := r.URL.Query()
	if r.Method == http.MethodPost {
		if page, err := url.Parse(back(r, "")); err == nil {
			query = page.Query()
		}
	}
	if query.Get(templates.FieldOpener) == templates.FromSearch {
		query.Del(templates.FieldQuery) // it has the words of that search
	}
	v := templates.View{Agent: agent.Slug, Cursor: query.Get(templates.FieldCursor)}
	if len(query[templates.FieldCursor]) > 1 {
		return v, errBadRequest("“" + templates.FieldCursor + "” may be given once only.")
	}
	var err error
	if v.Filter, err = filterOf(query); err != nil {
		return v, err
	}
	switch {
	case v.State != "" && !v.Attention():
		return v, errBadRequest("The only state that can be asked for here is needs_attention.")
	case v.State != "" && v.Type != "":
		return v, errBadRequest("“state” and “type” cannot be combined here.")
	}
	return v, nil
}

// filterOf returns the filter of a list from the query of an address. It returns
// *memories.InvalidError for an invalid or repeated value, because ignoring it would widen the
// selection of a bulk action. It ignores empty fields, other parameters, and the filters as_of,
// near and not_removed.
func filterOf(query url.Values) (memories.Filter, error) {
	filters := url.Values{}
	for _, field := range memories.FilterFields() {
		switch field.Name {
		case "as_of", "near", "not_removed": // pages of their own, and not chosen by the address
			continue
		}
		for _, raw := range query[field.Name] {
			if value := cleanText(raw); value != "" || len(query[field.Name]) > 1 {
				filters.Add(field.Name, value)
			}
		}
	}
	return memories.ParseFilter(filters)
}

// cleanText returns raw as text that Postgres can store: without surrounding space and NULs, and
// with U+FFFD for invalid UTF-8.
func cleanText(raw string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(strings.TrimSpace(raw), "\uFFFD"), "\x00", "")
}

func errBadRequest(detail string) error { return &badRequest{http.StatusBadRequest, detail} }

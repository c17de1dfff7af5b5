package pages

import (
	"net/http"
	"net/url"
	"strings"

	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/web/templates"
)

// listFilters are the parameters of the list that bulk actions select from. A repeated one is
// refused, because ignoring a value would widen the selection.
var listFilters = []string{
	templates.FieldQuery, templates.FieldSession, templates.FieldType, templates.FieldState,
	templates.FieldScope, templates.FieldStale, templates.FieldSort, templates.FieldCursor,
}

// viewOf reads the view of the Memory tab from the address. For an action it reads the address of
// the page that the form came from.
func viewOf(r *http.Request, agent records.Agent) (templates.View, error) {
	query := r.URL.Query()
	if r.Method == http.MethodPost {
		if page, err := url.Parse(back(r, "")); err == nil {
			query = page.Query()
		}
	}
	for _, filter := range listFilters {
		if len(query[filter]) > 1 {
			return templates.View{}, errBadRequest("“" + filter + "” may be given once only.")
		}
	}
	v := templates.View{
		Agent:   agent.Slug,
		Query:   cleanText(query.Get(templates.FieldQuery)),
		Session: cleanText(query.Get(templates.FieldSession)),
		Cursor:  query.Get(templates.FieldCursor),
	}
	if raw := query.Get(templates.FieldType); raw != "" {
		t, ok := memories.ParseType(raw)
		if !ok {
			return v, errBadRequest("The types are feedback, user, project and reference.")
		}
		v.Type = t
	}
	switch memories.State(query.Get(templates.FieldState)) {
	case "":
	case memories.NeedsAttention:
		if v.Type != "" {
			return v, errBadRequest("“state” and “type” cannot be combined here.")
		}
		v.Attention = true
	default:
		return v, errBadRequest("The only state that can be asked for here is needs_attention.")
	}
	switch v.Scope = memories.Scope(query.Get(templates.FieldScope)); v.Scope {
	case "", memories.PrivateScope, memories.TeamScope:
	default:
		return v, errBadRequest("The scopes are private and team.")
	}
	switch query.Get(templates.FieldStale) {
	case "", "false":
	case "true":
		v.Stale = true
	default:
		return v, errBadRequest("“stale” can only be true or false.")
	}
	switch sort := query.Get(templates.FieldSort); sort {
	case "", templates.SortByName, templates.SortByUpdate, templates.SortByAge:
		v.Sort = sort
	default:
		return v, errBadRequest("The orders are name, updated and age.")
	}
	return v, nil
}

// cleanText returns raw as text that Postgres can store.
func cleanText(raw string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(strings.TrimSpace(raw), "\uFFFD"), "\x00", "")
}

func errBadRequest(detail string) error { return &badRequest{http.StatusBadRequest, detail} }

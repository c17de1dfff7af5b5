package pages

import (
	"net/http"
	"net/url"
	"strings"

	"memoir/internal/memories"
	"memoir/internal/postgres"
	"memoir/web/templates"
)

// viewOf reads from the address which memories are wanted in the list. An action has the address of the page that it
// was taken on among its fields.
func viewOf(r *http.Request, agent postgres.Agent) (templates.View, error) {
	query := r.URL.Query()
	if r.Method == http.MethodPost {
		if page, err := url.Parse(back(r, "")); err == nil {
			query = page.Query()
		}
	}
	v := templates.View{
		Agent:   agent.Slug,
		Query:   sought(query.Get(templates.FieldQuery)),
		Session: sought(query.Get(templates.FieldSession)),
		Cursor:  query.Get(templates.FieldCursor),
	}
	if raw := query.Get(templates.FieldType); raw != "" {
		t, ok := memories.ParseType(raw)
		if !ok {
			return v, asked("The types are feedback, user, project and reference.")
		}
		v.Type = t
	}
	switch memories.State(query.Get(templates.FieldState)) {
	case "":
	case memories.NeedsAttention:
		v.Attention = v.Type == ""
	default:
		return v, asked("The only state that can be asked for here is needs_attention.")
	}
	switch v.Scope = memories.Scope(query.Get(templates.FieldScope)); v.Scope {
	case "", memories.PrivateScope, memories.TeamScope:
	default:
		return v, asked("The scopes are private and team.")
	}
	switch query.Get(templates.FieldStale) {
	case "", "false":
	case "true":
		v.Stale = true
	default:
		return v, asked("“stale” can only be true or false.")
	}
	switch sort := query.Get(templates.FieldSort); sort {
	case "", templates.SortByName, templates.SortByUpdate, templates.SortByAge:
		v.Sort = sort
	default:
		return v, asked("The orders are name, updated and age.")
	}
	return v, nil
}

// sought is text of an address as Postgres takes it.
func sought(raw string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(strings.TrimSpace(raw), "\uFFFD"), "\x00", "")
}

func asked(detail string) error { return &badRequest{http.StatusBadRequest, detail} }

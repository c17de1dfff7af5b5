package pages

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/web/templates"
)

// memoriesAsOf shows an agent's memories at a past moment.
func (s *site) memoriesAsOf(w http.ResponseWriter, r *http.Request, at time.Time) error {
	agent, err := s.requestedAgent(r)
	if err != nil {
		return err
	}
	path := templates.MemoriesPath(agent.Slug)
	v := templates.MemoriesAsOf{Agent: agentView(agent), AsOf: templates.AsOf{At: at, Here: path}}
	query := r.URL.Query()
	list := records.AsOfList{Limit: pageRows, Cursor: query.Get(templates.FieldCursor)}
	if raw := query.Get(templates.FieldType); raw != "" {
		t, ok := memories.ParseType(raw)
		if !ok {
			return &badRequest{http.StatusBadRequest, "The types are feedback, user, project and reference."}
		}
		v.Type, list.Type = t, t
	}
	page, err := s.store.MemoriesAsOf(r.Context(), agent, at, list)
	if err != nil {
		return err
	}
	v.Total = page.Total
	if v.Rows, err = s.rowsAsOf(r.Context(), agent, page.Memories, at); err != nil {
		return err
	}
	here := templates.AsOfHref(path, at)
	if v.Type != "" {
		here += "&" + url.Values{templates.FieldType: {string(v.Type)}}.Encode()
	}
	if list.Cursor != "" {
		v.FirstHref = here
	}
	if page.NextCursor != "" {
		v.MoreHref = here + "&" + url.Values{templates.FieldCursor: {page.NextCursor}}.Encode()
	}
	return show(w, r, http.StatusOK, templates.MemoriesAsOfPage(v))
}

// rowsAsOf returns a row for each memory in found, with the change since the time at.
func (s *site) rowsAsOf(ctx context.Context, agent records.Agent, found []memories.Memory, at time.Time) ([]templates.MemoryAsOf, error) {
	ids := make([]string, len(found))
	for i, m := range found {
		ids[i] = m.ID
	}
	now, err := s.store.MemoryVersions(ctx, agent.ID, ids)
	rows := make([]templates.MemoryAsOf, len(found))
	for i, m := range found {
		rows[i] = templates.MemoryAsOf{MemoryRow: rowOf(m, at), Since: since(m, now[m.ID])}
	}
	return rows, err
}

// since returns "deleted since", "changed since", or "" if the memory is unchanged.
func since(then memories.Memory, now records.MemoryVersion) string {
	switch {
	case now.State == memories.Deleted:
		return "deleted since"
	case then.Readable && now.Fingerprint != memories.FingerprintOf(then.Type, then.Description, then.Body):
		return "changed since"
	default:
		return ""
	}
}

package pages

import (
	"net/http"
	"time"

	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/web/templates"
)

func (s *site) trash(w http.ResponseWriter, r *http.Request, agent records.Agent) error {
	cursor := r.URL.Query().Get(templates.FieldCursor)
	page, err := s.store.Memories(r.Context(), agent, memories.Filter{State: memories.Deleted}, memories.PageRequest{Limit: pageRows, Cursor: cursor})
	if err != nil {
		return err
	}
	path := templates.AgentPath(agent.Slug, "trash")
	frame, err := s.frame(r, agent, path)
	if err != nil {
		return err
	}
	v := templates.Trash{Frame: frame, Agent: agentView(agent), Selection: selectionOf(agent, true, path)}
	for _, m := range page.Memories {
		v.Rows = append(v.Rows, trashRow(m))
	}
	v.MoreHref, v.FirstHref = pageLinks(path, cursor, page.NextCursor)
	return show(w, r, http.StatusOK, templates.TrashPage(v))
}

func trashRow(m memories.Memory) templates.TrashRow {
	m.DeletedAt = local(m.DeletedAt)
	return templates.TrashRow{MemoryRow: rowOf(m, time.Now()), Left: notRemoved(m)}
}

// purge deletes a memory and its history permanently, and redirects to the page of the form, by
// default the trash. If the memory has changed since the form was shown, or cannot be deleted, it
// shows the reason and the current memory.
func (s *site) purge(w http.ResponseWriter, r *http.Request) error {
	slug := slugOf(r)
	if _, err := s.engine.Purge(r.Context(), slug, idOf(r), r.PostFormValue(templates.FieldETag)); err != nil {
		return s.refuse(w, r, err)
	}
	return redirect(w, r, back(r, templates.AgentPath(slug, "trash")), donePurged, "")
}

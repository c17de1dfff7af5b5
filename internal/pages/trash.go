package pages

import (
	"net/http"
	"net/url"

	"memoir/internal/memories"
	engine "memoir/internal/sync"
	"memoir/web/templates"
)

// trash shows an agent's deleted memories, last deleted first.
func (s *site) trash(w http.ResponseWriter, r *http.Request) error {
	agent, err := s.requestedAgent(r)
	if err != nil {
		return err
	}
	cursor := r.URL.Query().Get(templates.FieldCursor)
	page, err := s.store.Memories(r.Context(), agent, memories.Filter{State: memories.Deleted}, memories.PageRequest{Limit: pageRows, Cursor: cursor})
	if err != nil {
		return err
	}
	path := templates.AgentPath(agent.Slug, "trash")
	frame, err := s.frame(r.Context(), r, agent, path)
	if err != nil {
		return err
	}
	v := templates.Trash{Frame: frame, Agent: agentView(agent), Selection: selectionOf(agent, true, path)}
	for _, m := range page.Memories {
		v.Rows = append(v.Rows, trashRow(m))
	}
	if page.NextCursor != "" {
		v.MoreHref = path + "?" + url.Values{templates.FieldCursor: {page.NextCursor}}.Encode()
	}
	if cursor != "" {
		v.FirstHref = path
	}
	return show(w, r, http.StatusOK, templates.TrashPage(v))
}

func trashRow(m memories.Memory) templates.TrashRow {
	return templates.TrashRow{
		Agent: m.Agent, ID: m.ID, ETag: engine.ETag(m), Name: m.Name, Type: m.Type, Description: m.Description, Why: m.DeletedActor.Deleted(),
		DeletedAt: local(m.DeletedAt), Left: notRemoved(m),
	}
}

// restore restores a deleted memory, or writes back the file of a missing one.
func (s *site) restore(w http.ResponseWriter, r *http.Request) error {
	slug, id := slugOf(r), idOf(r)
	if _, err := s.engine.Restore(r.Context(), slug, id, r.PostFormValue(templates.FieldETag)); err != nil {
		return s.refuse(w, r, err)
	}
	return redirect(w, r, back(r, templates.MemoryPath(slug, id)), doneRestored, id)
}

// purge deletes a memory and its history permanently.
func (s *site) purge(w http.ResponseWriter, r *http.Request) error {
	slug := slugOf(r)
	if _, err := s.engine.Purge(r.Context(), slug, idOf(r), r.PostFormValue(templates.FieldETag)); err != nil {
		return s.refuse(w, r, err)
	}
	return redirect(w, r, back(r, templates.AgentPath(slug, "trash")), donePurged, "")
}

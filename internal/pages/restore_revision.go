package pages

import (
	"errors"
	"net/http"

	"github.com/go-chi/chi/v5"

	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/internal/sync"
	"memoir/web/templates"
)

// restoreRevision gives a memory the content of an earlier revision.
func (s *site) restoreRevision(w http.ResponseWriter, r *http.Request) error {
	agent, m, err := s.requestedMemory(r)
	if err != nil {
		return err
	}
	wanted := chi.URLParam(r, "revision")
	page, err := s.store.Revisions(r.Context(), agent, m.ID, records.RevisionList{From: wanted, Limit: 1})
	if errors.Is(err, records.ErrCursor) {
		return memories.ErrNotFound
	}
	if err != nil {
		return err
	}
	then := page.Revisions[0]
	patch := sync.Patch{Type: &then.Type, Description: &then.Description, Body: &then.Body}
	if _, err := s.engine.Patch(r.Context(), agent.Slug, m.ID, r.PostFormValue(templates.FieldETag), patch); err != nil {
		return s.refuse(w, r, err)
	}
	return redirect(w, r, back(r, templates.MemoryPath(agent.Slug, m.ID, "history")), doneReverted, m.ID)
}

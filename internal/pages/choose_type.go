package pages

import (
	"net/http"

	"memoir/internal/memories"
	"memoir/internal/sync"
	"memoir/web/templates"
)

func (s *site) chooseType(w http.ResponseWriter, r *http.Request) error {
	slug, id := slugOf(r), idOf(r)
	t, ok := memories.ParseType(r.PostFormValue(templates.FieldType))
	if !ok {
		return &badRequest{http.StatusUnprocessableEntity, "The types are feedback, user, project and reference."}
	}
	if _, err := s.engine.Patch(r.Context(), slug, id, r.PostFormValue(templates.FieldETag), sync.Patch{Type: &t}); err != nil {
		return s.refuse(w, r, err)
	}
	return redirect(w, r, back(r, templates.MemoryPath(slug, id)), doneTyped, id)
}

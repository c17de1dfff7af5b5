package pages

import (
	"net/http"

	"memoir/web/templates"
)

// restore restores a deleted memory, or writes back the file of a missing one.
func (s *site) restore(w http.ResponseWriter, r *http.Request) error {
	slug, id := slugOf(r), idOf(r)
	if _, err := s.engine.Restore(r.Context(), slug, id, r.PostFormValue(templates.FieldETag)); err != nil {
		return s.refuse(w, r, err)
	}
	return redirect(w, r, back(r, templates.MemoryPath(slug, id)), doneRestored, id)
}

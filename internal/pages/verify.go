package pages

import (
	"net/http"

	"memoir/web/templates"
)

// verify marks a memory as still true, which sets its age to zero.
func (s *site) verify(w http.ResponseWriter, r *http.Request) error {
	slug, id := slugOf(r), idOf(r)
	if _, err := s.engine.Verify(r.Context(), slug, id, r.PostFormValue(templates.FieldETag)); err != nil {
		return s.refuse(w, r, err)
	}
	return redirect(w, r, back(r, templates.MemoryPath(slug, id)), doneVerified, id)
}

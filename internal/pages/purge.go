package pages

import (
	"net/http"

	"memoir/web/templates"
)

// purge deletes a memory and its history permanently.
func (s *site) purge(w http.ResponseWriter, r *http.Request) error {
	slug := slugOf(r)
	if _, err := s.engine.Purge(r.Context(), slug, idOf(r), r.PostFormValue(templates.FieldETag)); err != nil {
		return s.refuse(w, r, err)
	}
	return redirect(w, r, back(r, templates.AgentPath(slug, "trash")), donePurged, "")
}

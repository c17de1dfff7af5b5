package pages

import (
	"net/http"

	"memoir/web/templates"
)

// forget removes an agent whose directory is missing, with all its data.
func (s *site) forget(w http.ResponseWriter, r *http.Request) error {
	if _, err := s.engine.Forget(r.Context(), slugOf(r)); err != nil {
		return err
	}
	return redirect(w, r, templates.AgentsPath, doneForgotten, "")
}

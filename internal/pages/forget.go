package pages

import (
	"net/http"

	"memoir/web/templates"
)

// forget removes an agent whose directory is gone, with all that is known of it.
func (s *site) forget(w http.ResponseWriter, r *http.Request) error {
	if _, err := s.engine.Forget(r.Context(), slugOf(r)); err != nil {
		return err
	}
	return redirect(w, r, templates.AgentsPath, doneForgotten, "")
}

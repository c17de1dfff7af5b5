package pages

import (
	"net/http"

	"memoir/web/templates"
)

// allow restores a blocked content as a memory.
func (s *site) allow(w http.ResponseWriter, r *http.Request) error {
	slug := slugOf(r)
	result, err := s.engine.Allow(r.Context(), slug, idOf(r))
	if err != nil {
		return err
	}
	return redirect(w, r, back(r, templates.MemoriesPath(slug)), doneAllowed, result.Memory.ID)
}

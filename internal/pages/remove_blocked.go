package pages

import (
	"net/http"

	"memoir/web/templates"
)

// removeBlocked removes the file of a blocked content from the disk.
func (s *site) removeBlocked(w http.ResponseWriter, r *http.Request) error {
	slug := slugOf(r)
	if _, err := s.engine.RemoveBlocked(r.Context(), slug, idOf(r)); err != nil {
		return err
	}
	return redirect(w, r, back(r, templates.AttentionPath(slug)), doneUnblocked, "")
}

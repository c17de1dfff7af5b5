package pages

import (
	"net/http"

	"memoir/web/templates"
)

// keys lists the keyboard shortcuts.
func (s *site) keys(w http.ResponseWriter, r *http.Request) error {
	return show(w, r, http.StatusOK, templates.KeysPage(templates.Keys{}))
}

package pages

import (
	"net/http"

	"memoir/web/templates"
)

// scan scans all agents and waits for the result.
func (s *site) scan(w http.ResponseWriter, r *http.Request) error {
	if _, err := s.engine.ScanAll(r.Context()); err != nil {
		return err
	}
	return redirect(w, r, templates.SyncPath, doneScanned, "")
}

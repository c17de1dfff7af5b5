package pages

import (
	"net/http"

	"memoir/web/templates"
)

// scan looks at everything now, and answers when that is done.
func (s *site) scan(w http.ResponseWriter, r *http.Request) error {
	if _, err := s.engine.ScanAll(r.Context()); err != nil {
		return err
	}
	return redirect(w, r, templates.SyncPath, doneScanned, "")
}

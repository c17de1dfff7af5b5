package pages

import (
	"net/http"

	"memoir/internal/memories"
	"memoir/web/templates"
)

// addSamples installs the sample agents and scans them.
func (s *site) addSamples(w http.ResponseWriter, r *http.Request) error {
	if s.options.AddSamples == nil {
		return memories.ErrNotFound
	}
	if err := s.options.AddSamples(); err != nil {
		return err
	}
	if _, err := s.engine.ScanAll(r.Context()); err != nil {
		return err
	}
	return redirect(w, r, templates.AgentsPath, doneSamples, "")
}

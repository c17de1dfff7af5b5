package pages

import (
	"net/http"

	"memoir/internal/gate"
	"memoir/web/templates"
)

// refuse answers an action that failed because the memory has changed. It shows the reason and the
// current memory, so that the user can decide again. It returns refused if the failure is not a
// conflict.
func (s *site) refuse(w http.ResponseWriter, r *http.Request, refused error) error {
	f, _ := failureOf(r, refused)
	if f.Status != http.StatusConflict && f.Status != http.StatusPreconditionFailed {
		return refused
	}
	// A changed file has not been read yet. Without a scan, the page would show the old content.
	if _, err := s.engine.Scan(r.Context(), slugOf(r)); err != nil {
		s.options.Log.WarnContext(r.Context(), "the look after a refused action failed", "request", gate.RequestID(r.Context()), "error", err)
	}
	agent, m, err := s.requestedMemory(r)
	if err != nil {
		return refused
	}
	banner := templates.Banner{Tone: templates.Danger, Title: f.Title, Text: f.Text}
	return s.showMemory(w, r, f.Status, agent, m, templates.Frame{Banners: []templates.Banner{banner}})
}

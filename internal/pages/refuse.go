package pages

import (
	"net/http"

	"memoir/internal/gate"
	"memoir/web/templates"
)

// refuse answers an action on a memory that was not done because the memory is not what the user saw: with what stands
// against it, and the memory as it is now, so that the decision can be made again right there.
func (s *site) refuse(w http.ResponseWriter, r *http.Request, refused error) error {
	f, _ := failureOf(r, refused)
	if f.Status != http.StatusConflict && f.Status != http.StatusPreconditionFailed {
		return refused
	}
	// A file that changed is not yet read anew: without a look, the page would show again what the user saw.
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

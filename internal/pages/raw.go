package pages

import (
	"net/http"
	"strconv"

	"memoir/web/templates"
)

// raw answers with the exact bytes of the memory's source file as plain text. Its headers prevent a
// browser from running or loading anything.
func (s *site) raw(w http.ResponseWriter, r *http.Request) error {
	agent, m, err := s.requestedMemory(r)
	if err != nil {
		return err
	}
	raw, err := s.store.Raw(r.Context(), agent, m.ID)
	if err != nil {
		return err
	}
	if raw == nil {
		f := templates.FailureOf(http.StatusNotFound)
		f.Title = "Its bytes are not kept here"
		f.Text = "The file could not be read, or is too large for a memory, so it was left where it is: " + m.Path + "."
		f.BackHref, f.BackLabel = templates.MemoryPath(agent.Slug, m.ID), "Back to the memory"
		s.showFailure(w, r, f)
		return nil
	}
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(len(raw)))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	_, _ = w.Write(raw) // the client may be gone
	return nil
}

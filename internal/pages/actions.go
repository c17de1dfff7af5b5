package pages

import (
	"errors"
	"net/http"

	"memoir/internal/gate"
	"memoir/internal/memories"
	engine "memoir/internal/sync"
	"memoir/web/templates"
)

// delete moves a memory to the trash and redirects to the list, which offers an undo.
func (s *site) delete(w http.ResponseWriter, r *http.Request) error {
	slug, id := slugOf(r), idOf(r)
	result, err := s.engine.Delete(r.Context(), slug, id, r.PostFormValue(templates.FieldETag))
	if errors.Is(err, memories.ErrChanged) && s.isDeleted(r) {
		// for example a second click
		return redirect(w, r, back(r, templates.MemoriesPath(slug)), doneDeleted, id)
	}
	if err != nil {
		return s.refuse(w, r, err)
	}
	return redirect(w, r, back(r, templates.MemoriesPath(slug)), doneDeleted, result.Memory.ID)
}

func (s *site) isDeleted(r *http.Request) bool {
	_, m, err := s.requestedMemory(r)
	return err == nil && m.State == memories.Deleted
}

// verify marks a memory as still true, which sets its age to zero.
func (s *site) verify(w http.ResponseWriter, r *http.Request) error {
	slug, id := slugOf(r), idOf(r)
	if _, err := s.engine.Verify(r.Context(), slug, id, r.PostFormValue(templates.FieldETag)); err != nil {
		return s.refuse(w, r, err)
	}
	return redirect(w, r, back(r, templates.MemoryPath(slug, id)), doneVerified, id)
}

func (s *site) chooseType(w http.ResponseWriter, r *http.Request) error {
	slug, id := slugOf(r), idOf(r)
	t, ok := memories.ParseType(r.PostFormValue(templates.FieldType))
	if !ok {
		return &badRequest{http.StatusUnprocessableEntity, "The types are feedback, user, project and reference."}
	}
	if _, err := s.engine.Patch(r.Context(), slug, id, r.PostFormValue(templates.FieldETag), engine.Patch{Type: &t}); err != nil {
		return s.refuse(w, r, err)
	}
	return redirect(w, r, back(r, templates.MemoryPath(slug, id)), doneTyped, id)
}

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
		s.options.Log.WarnContext(r.Context(), "scan after refused action failed", "request", gate.RequestID(r.Context()), "error", err)
	}
	agent, m, err := s.requestedMemory(r)
	if err != nil {
		return refused
	}
	banner := templates.Banner{Tone: templates.Danger, Title: f.Title, Text: f.Text}
	return s.showMemory(w, r, f.Status, agent, m, templates.Frame{Banners: []templates.Banner{banner}})
}

package pages

import (
	"context"
	"errors"
	"net/http"

	"memoir/internal/gate"
	"memoir/internal/memories"
	engine "memoir/internal/sync"
	"memoir/web/templates"
)

// delete moves a memory to the trash and redirects to the list with a notice, which offers an undo.
// A memory that is already deleted counts as success. After another conflict it shows the reason
// and the current memory.
func (s *site) delete(w http.ResponseWriter, r *http.Request) error {
	slug, id := slugOf(r), idOf(r)
	result, err := s.engine.Delete(r.Context(), slug, id, r.PostFormValue(templates.FieldETag))
	if errors.Is(err, memories.ErrChanged) {
		if _, m, err := s.requestedMemory(r); err == nil && m.State == memories.Deleted {
			// for example a second click
			return redirect(w, r, back(r, templates.MemoriesPath(slug)), doneDeleted, id)
		}
	}
	if err != nil {
		return s.refuse(w, r, err)
	}
	return redirect(w, r, back(r, templates.MemoriesPath(slug)), doneDeleted, result.Memory.ID)
}

// change returns a handler that calls act with the memory that the address names, and redirects to
// the page of the form, which then shows the notice done. After a conflict it shows the reason and
// the current memory.
func (s *site) change(act func(ctx context.Context, slug, id, match string) (engine.Result, error), done string) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		slug, id := slugOf(r), idOf(r)
		if _, err := act(r.Context(), slug, id, r.PostFormValue(templates.FieldETag)); err != nil {
			return s.refuse(w, r, err)
		}
		return redirect(w, r, back(r, templates.MemoryPath(slug, id)), done, id)
	}
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

// refuse answers an action that failed with refused. If that is a conflict, refuse scans the agent
// and shows the reason and the current memory, so that the user can decide again. If it is not, or
// the memory no longer exists, refuse writes nothing and returns refused.
func (s *site) refuse(w http.ResponseWriter, r *http.Request, refused error) error {
	f, _ := failureOf(r, refused)
	if f.Status != http.StatusConflict && f.Status != http.StatusPreconditionFailed {
		return refused
	}
	s.rescan(r, "scan after refused action failed")
	agent, m, err := s.requestedMemory(r)
	if err != nil {
		return refused
	}
	banner := templates.Banner{Tone: templates.Danger, Title: f.Title, Text: f.Text}
	return s.showMemory(w, r, f.Status, agent, m, templates.Frame{Banners: []templates.Banner{banner}})
}

// rescan scans the agent that the address names and waits for the end, because a file may have
// changes that no scan has read. If the scan fails, rescan only logs the error, with the message
// failed.
func (s *site) rescan(r *http.Request, failed string) {
	if _, err := s.engine.Scan(r.Context(), slugOf(r)); err != nil {
		s.options.Log.WarnContext(r.Context(), failed, "request", gate.RequestID(r.Context()), "error", err)
	}
}

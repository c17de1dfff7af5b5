package pages

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"memoir/internal/gate"
	"memoir/internal/memories"
	"memoir/internal/pages/kit"
	engine "memoir/internal/sync"
	"memoir/web/templates/address"
	"memoir/web/templates/ui"
)

// delete moves the memory in the address to the trash. It redirects to the page of the form, by
// default the Memory tab, which shows a notice with an undo. A memory that is already in the trash
// counts as success. If the memory has changed since the form was shown, or cannot be deleted, it
// shows the reason and the current memory. For an unknown memory it returns memories.ErrNotFound.
func (s *site) delete(w http.ResponseWriter, r *http.Request) error {
	slug, id := kit.Slug(r), idOf(r)
	result, err := s.engine.Delete(r.Context(), slug, id, r.PostFormValue(address.FieldETag))
	if errors.Is(err, memories.ErrChanged) {
		if _, m, err := s.requestedMemory(r); err == nil && m.State == memories.Deleted {
			// for example a second click
			return kit.Redirect(w, r, kit.Back(r, address.MemoriesPath(slug)), doneDeleted, id)
		}
	}
	if err != nil {
		return s.refuse(w, r, err)
	}
	return kit.Redirect(w, r, kit.Back(r, address.MemoriesPath(slug)), doneDeleted, result.Memory.ID)
}

// change returns a handler that calls act with the slug and id in the address and the form's ETag.
// It then redirects to the page of the form, by default the memory's page, with the notice done.
// After memories.ErrChanged or *memories.ConflictError it shows the reason and the current memory.
// Other errors of act are returned.
func (s *site) change(act func(ctx context.Context, slug, id, match string) (engine.Result, error), done string) kit.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		slug, id := kit.Slug(r), idOf(r)
		if _, err := act(r.Context(), slug, id, r.PostFormValue(address.FieldETag)); err != nil {
			return s.refuse(w, r, err)
		}
		return kit.Redirect(w, r, kit.Back(r, address.MemoryPath(slug, id)), done, id)
	}
}

func (s *site) chooseType(w http.ResponseWriter, r *http.Request) error {
	slug, id := kit.Slug(r), idOf(r)
	t, ok := memories.ParseType(r.PostFormValue(address.FieldType))
	if !ok {
		return &kit.BadRequest{Status: http.StatusUnprocessableEntity, Detail: "The types are feedback, user, project and reference."}
	}
	if _, err := s.engine.Patch(r.Context(), slug, id, r.PostFormValue(address.FieldETag), engine.Patch{Type: &t}); err != nil {
		return s.refuse(w, r, err)
	}
	return kit.Redirect(w, r, kit.Back(r, address.MemoryPath(slug, id)), doneTyped, id)
}

// askAs replaces the phrases as which the memory in the address is asked by the lines of the form. It
// redirects to the page of the form, by default the memory's page. For invalid phrases it saves nothing
// and shows the reason.
func (s *site) askAs(w http.ResponseWriter, r *http.Request) error {
	slug, id := kit.Slug(r), idOf(r)
	phrases := strings.Split(r.FormValue(address.FieldAskedAs), "\n")
	former, err := s.store.AskedAs(r.Context(), id)
	if err != nil {
		return err
	}
	_, err = s.engine.Patch(r.Context(), slug, id, "", engine.Patch{AskedAs: &phrases})
	var invalid *memories.InvalidError
	switch {
	case errors.As(err, &invalid):
		return &kit.BadRequest{Status: http.StatusUnprocessableEntity, Detail: askedAsProblem(invalid)}
	case err != nil:
		return s.refuse(w, r, err)
	}
	return redirectFormer(w, r, kit.Back(r, address.MemoryPath(slug, id)), doneAsked, id, strings.Join(former.Phrases, "\n"))
}

// refuse answers an action that failed with refused. After memories.ErrChanged,
// *memories.ConflictError or *memories.NameTakenError it scans the agent. It then shows the reason
// and the current memory, with a status of 409 or 412. For another error, or if the memory cannot
// be loaded, it writes nothing and returns refused.
func (s *site) refuse(w http.ResponseWriter, r *http.Request, refused error) error {
	return s.refuseAbout(w, r, kit.Slug(r), idOf(r), refused)
}

// refuseAbout is refuse for an action on the memory of an agent.
func (s *site) refuseAbout(w http.ResponseWriter, r *http.Request, slug, id string, refused error) error {
	f, _ := kit.FailureOf(r, refused)
	if f.Status != http.StatusConflict && f.Status != http.StatusPreconditionFailed {
		return refused
	}
	s.rescan(r, slug, "scan after refused action failed")
	agent, err := s.store.Agent(r.Context(), slug)
	if err != nil {
		return refused
	}
	m, err := s.store.Memory(r.Context(), agent, id)
	if err != nil {
		return refused
	}
	banner := ui.Banner{Tone: ui.Danger, Title: f.Title, Text: f.Text}
	return s.showMemory(w, r, f.Status, agent, m, opening{banners: []ui.Banner{banner}, noNotice: true})
}

// rescan scans an agent and waits for the end, because a file may have changes that no scan has read.
// If the scan fails, rescan only logs the error, with the message failed.
func (s *site) rescan(r *http.Request, slug, failed string) {
	if _, err := s.engine.Scan(r.Context(), slug); err != nil {
		s.options.Log.WarnContext(r.Context(), failed, "request", gate.RequestID(r.Context()), "error", err)
	}
}

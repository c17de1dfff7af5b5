package pages

import (
	"errors"
	"net/http"

	"memoir/internal/gate"
	"memoir/internal/memories"
	"memoir/internal/records"
	"memoir/internal/sync"
	"memoir/web/templates"
)

// editMemory shows the form with what a memory says.
func (s *site) editMemory(w http.ResponseWriter, r *http.Request) error {
	agent, m, err := s.requestedMemory(r)
	if err != nil {
		return err
	}
	switch {
	case m.State == memories.Deleted:
		return &memories.ConflictError{Reason: "The memory is in the trash, so it cannot be edited. Restore it first."}
	case !m.Readable:
		return &memories.ConflictError{Reason: "The file could not be read, so it cannot be edited here. Mend it on disk, or delete it."}
	}
	v := memoryForm(agent, m)
	v.With = r.URL.Query().Get(templates.FieldWith)
	return s.showForm(w, r, http.StatusOK, agent, v)
}

// edit saves what somebody made of a memory, unless it is no longer what they began with: then they choose.
func (s *site) edit(w http.ResponseWriter, r *http.Request) error {
	agent, err := s.requestedAgent(r)
	if err != nil {
		return err
	}
	v := typed(r, agent)
	result, err := s.saveEdit(r, v)
	if err == nil {
		return redirect(w, r, templates.MemoryPath(agent.Slug, result.Memory.ID), doneSaved, result.Memory.ID)
	}
	return s.refuseEdit(w, r, agent, v, err)
}

// saveEdit changes the memory to what the form says. A form that does not tell what its writer saw is no ground to
// overwrite anything.
func (s *site) saveEdit(r *http.Request, v templates.MemoryForm) (sync.Result, error) {
	if v.ETag == "" {
		return sync.Result{}, memories.ErrChanged
	}
	patch := sync.Patch{Name: &v.Name, Description: &v.Description, Body: &v.Body}
	if v.Type != "" { // a memory that needs attention may go on without one
		patch.Type = &v.Type
	}
	return s.engine.Patch(r.Context(), v.Agent.Slug, v.ID, v.ETag, patch)
}

// refuseEdit answers an edit that was not saved: with both versions where the memory is not what the form began with,
// else with what stands against it.
func (s *site) refuseEdit(w http.ResponseWriter, r *http.Request, agent records.Agent, v templates.MemoryForm, refused error) error {
	var conflict *memories.ConflictError
	var taken *memories.NameTakenError
	switch {
	case errors.Is(refused, memories.ErrNotFound):
		return s.showGone(w, r, agent, v)
	case errors.As(refused, &taken):
		return s.notSaved(w, r, agent, v, refused)
	case !errors.Is(refused, memories.ErrChanged) && !errors.As(refused, &conflict):
		return s.notSaved(w, r, agent, v, refused)
	}
	// A file that changed is not yet read anew: without a look, the page would show what the form began with.
	if _, err := s.engine.Scan(r.Context(), agent.Slug); err != nil {
		s.options.Log.WarnContext(r.Context(), "the look after a refused edit failed", "request", gate.RequestID(r.Context()), "error", err)
	}
	m, err := s.store.Memory(r.Context(), agent, v.ID)
	if errors.Is(err, memories.ErrNotFound) {
		return s.showGone(w, r, agent, v)
	}
	if err != nil {
		return err
	}
	if conflict != nil && sync.ETag(m) == v.ETag {
		return s.notSaved(w, r, agent, v, refused)
	}
	return s.showBoth(w, r, agent, v, m)
}

// showBoth shows what somebody wrote beside what the memory says by now. The form carries the new state from here on:
// its writer has seen it. Of a deleted memory the form saves a new one under its name, which brings it back.
func (s *site) showBoth(w http.ResponseWriter, r *http.Request, agent records.Agent, v templates.MemoryForm, m memories.Memory) error {
	deleted := m.State == memories.Deleted
	v.Theirs = &templates.Theirs{
		ID: m.ID, Name: m.Name, Type: m.Type, Description: m.Description, Body: m.Body, Deleted: deleted,
	}
	if deleted {
		v.ID, v.ETag, v.Team = "", "", m.Team
		v.Banners = append(v.Banners, templates.DeletedMeanwhile())
	} else {
		v.ETag = sync.ETag(m)
		v.Banners = append(v.Banners, templates.ChangedMeanwhile())
	}
	return s.showForm(w, r, http.StatusPreconditionFailed, agent, v)
}

// showGone keeps what somebody wrote of a memory that was emptied from the trash meanwhile, in a form for a new one.
func (s *site) showGone(w http.ResponseWriter, r *http.Request, agent records.Agent, v templates.MemoryForm) error {
	v.ID, v.ETag = "", ""
	v.Banners = append(v.Banners, templates.DeletedMeanwhile())
	return s.showForm(w, r, http.StatusPreconditionFailed, agent, v)
}

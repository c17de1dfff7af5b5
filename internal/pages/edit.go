package pages

import (
	"errors"
	"net/http"

	"memoir/internal/gate"
	"memoir/internal/memories"
	"memoir/internal/records"
	engine "memoir/internal/sync"
	"memoir/web/templates"
)

// editMemory shows the form with a memory's content. A deleted or unreadable memory is a conflict.
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

// edit saves an edit of a memory. If the memory has changed since the form was shown, it shows both
// versions.
func (s *site) edit(w http.ResponseWriter, r *http.Request) error {
	agent, err := s.requestedAgent(r)
	if err != nil {
		return err
	}
	v := submittedForm(r, agent)
	result, err := s.saveEdit(r, v)
	if err == nil {
		return redirect(w, r, templates.MemoryPath(agent.Slug, result.Memory.ID), doneSaved, result.Memory.ID)
	}
	return s.refuseEdit(w, r, agent, v, err)
}

// saveEdit patches the memory with the values of the form. It returns memories.ErrChanged if the
// form's ETag is empty.
func (s *site) saveEdit(r *http.Request, v templates.MemoryForm) (engine.Result, error) {
	if v.ETag == "" {
		return engine.Result{}, memories.ErrChanged
	}
	patch := engine.Patch{Name: &v.Name, Description: &v.Description, Body: &v.Body}
	if v.Type != "" { // a memory without a type can stay without one
		patch.Type = &v.Type
	}
	return s.engine.Patch(r.Context(), v.Agent.Slug, v.ID, v.ETag, patch)
}

// refuseEdit answers an edit that was not saved. If the memory differs from the form's start, it
// shows both versions; otherwise it shows the reason.
func (s *site) refuseEdit(w http.ResponseWriter, r *http.Request, agent records.Agent, v templates.MemoryForm, refused error) error {
	var conflict *memories.ConflictError
	var taken *memories.NameTakenError
	switch {
	case errors.Is(refused, memories.ErrNotFound):
		return s.showPurged(w, r, agent, v)
	case errors.As(refused, &taken):
		return s.notSaved(w, r, agent, v, refused)
	case !errors.Is(refused, memories.ErrChanged) && !errors.As(refused, &conflict):
		return s.notSaved(w, r, agent, v, refused)
	}
	// A changed file has not been read yet. Without a scan, the page would show the old content.
	if _, err := s.engine.Scan(r.Context(), agent.Slug); err != nil {
		s.options.Log.WarnContext(r.Context(), "scan after refused edit failed", "request", gate.RequestID(r.Context()), "error", err)
	}
	m, err := s.store.Memory(r.Context(), agent, v.ID)
	if errors.Is(err, memories.ErrNotFound) {
		return s.showPurged(w, r, agent, v)
	}
	if err != nil {
		return err
	}
	if conflict != nil && engine.ETag(m) == v.ETag {
		return s.notSaved(w, r, agent, v, refused)
	}
	return s.showConflict(w, r, agent, v, m)
}

// showConflict shows the form and the memory's current content. The form gets the new ETag, because
// its user now sees the new content. For a deleted memory the form saves a new memory with the same
// name, which restores it.
func (s *site) showConflict(w http.ResponseWriter, r *http.Request, agent records.Agent, v templates.MemoryForm, m memories.Memory) error {
	deleted := m.State == memories.Deleted
	v.Theirs = &templates.Theirs{
		ID: m.ID, Name: m.Name, Type: m.Type, Description: m.Description, Body: m.Body, Deleted: deleted,
	}
	if deleted {
		v.ID, v.ETag, v.Team = "", "", m.Team
		v.Banners = append(v.Banners, templates.DeletedMeanwhile())
	} else {
		v.ETag = engine.ETag(m)
		v.Banners = append(v.Banners, templates.ChangedMeanwhile())
	}
	return s.showForm(w, r, http.StatusPreconditionFailed, agent, v)
}

// showPurged shows the form of a memory that was purged since, as a form for a new memory.
func (s *site) showPurged(w http.ResponseWriter, r *http.Request, agent records.Agent, v templates.MemoryForm) error {
	v.ID, v.ETag = "", ""
	v.Banners = append(v.Banners, templates.DeletedMeanwhile())
	return s.showForm(w, r, http.StatusPreconditionFailed, agent, v)
}

func (s *site) newMemory(w http.ResponseWriter, r *http.Request) error {
	agent, err := s.requestedAgent(r)
	if err != nil {
		return err
	}
	return s.showForm(w, r, http.StatusOK, agent, templates.MemoryForm{Agent: agentView(agent)})
}

// create saves a new memory. The engine accepts its name if it is free or if only a deleted memory
// has it.
func (s *site) create(w http.ResponseWriter, r *http.Request) error {
	agent, err := s.requestedAgent(r)
	if err != nil {
		return err
	}
	v := submittedForm(r, agent)
	result, err := s.engine.Create(r.Context(), agent.Slug, engine.Draft{
		Name: v.Name, Team: v.Team, Type: v.Type, Description: v.Description, Body: v.Body,
	})
	if err != nil {
		return s.notSaved(w, r, agent, v, err)
	}
	return redirect(w, r, templates.MemoryPath(agent.Slug, result.Memory.ID), doneSaved, result.Memory.ID)
}

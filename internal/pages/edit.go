package pages

import (
	"errors"
	"net/http"

	"memoir/internal/memories"
	"memoir/internal/records"
	engine "memoir/internal/sync"
	"memoir/web/templates"
)

// editMemory shows the form with a memory's content, and with the version to merge if the parameter
// FieldWith names one. For a deleted or unreadable memory it returns a *memories.ConflictError.
func (s *site) editMemory(w http.ResponseWriter, r *http.Request, agent records.Agent, m memories.Memory) error {
	switch {
	case m.State == memories.Deleted:
		return &memories.ConflictError{Reason: "The memory is in the trash, so it cannot be edited. Restore it first."}
	case !m.Readable:
		return &memories.ConflictError{Reason: "The file could not be read, so it cannot be edited here. Mend it on disk, or delete it."}
	}
	return s.showForm(w, r, http.StatusOK, agent, templates.MemoryForm{
		Agent: agentView(agent), ID: m.ID, ETag: engine.ETag(m), With: r.URL.Query().Get(templates.FieldWith),
		Name: m.Name, Type: m.Type, Description: m.Description, Body: m.Body,
	})
}

// edit saves the form over a memory and redirects to the memory's page. If the memory has changed
// since the form was shown, it saves nothing and shows both versions. If the user can correct
// another problem, it shows the form with the reason. Otherwise it returns the error.
func (s *site) edit(w http.ResponseWriter, r *http.Request, agent records.Agent) error {
	v := submittedForm(r, agent)
	result, err := s.saveEdit(r, v)
	if err == nil {
		return redirect(w, r, templates.MemoryPath(agent.Slug, result.Memory.ID), doneSaved, result.Memory.ID)
	}
	return s.refuseEdit(w, r, agent, v, err)
}

// saveEdit gives the memory the form's name, description and body, and its type unless that is
// empty. It returns memories.ErrChanged if the form's ETag is empty or not the memory's. Other
// errors: memories.ErrNotFound, *memories.InvalidError, *memories.NameTakenError,
// *memories.ConflictError.
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

// refuseEdit answers an edit that failed with refused. After memories.ErrChanged, or a
// *memories.ConflictError about a memory that has another ETag after a scan, it shows both
// versions. If the memory was purged, it shows the form for a new memory. For an invalid field, a
// taken name or another conflict it shows the form with the reason. Otherwise it writes nothing and
// returns the error.
func (s *site) refuseEdit(w http.ResponseWriter, r *http.Request, agent records.Agent, v templates.MemoryForm, refused error) error {
	var conflict *memories.ConflictError
	var taken *memories.NameTakenError
	switch {
	case errors.Is(refused, memories.ErrNotFound):
		return s.showPurged(w, r, agent, v)
	case errors.As(refused, &taken), !errors.Is(refused, memories.ErrChanged) && !errors.As(refused, &conflict):
		return s.notSaved(w, r, agent, v, refused)
	}
	s.rescan(r, "scan after refused edit failed")
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

// showConflict answers 412 with the form and the memory's current content. The form gets the new
// ETag, because its user now sees the new content. If the memory is deleted, the form becomes one
// for a new memory with the same name, which restores it.
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

// showPurged answers 412 with the submitted form as a form for a new memory, and a banner that the
// old one was deleted.
func (s *site) showPurged(w http.ResponseWriter, r *http.Request, agent records.Agent, v templates.MemoryForm) error {
	v.ID, v.ETag = "", ""
	v.Banners = append(v.Banners, templates.DeletedMeanwhile())
	return s.showForm(w, r, http.StatusPreconditionFailed, agent, v)
}

func (s *site) newMemory(w http.ResponseWriter, r *http.Request, agent records.Agent) error {
	return s.showForm(w, r, http.StatusOK, agent, templates.MemoryForm{Agent: agentView(agent)})
}

// create saves a new memory and redirects to its page. If a deleted memory has the name, that one
// is restored with the new content. For a taken name, an invalid field or a conflict it saves
// nothing and shows the form with the reason. It returns other errors.
func (s *site) create(w http.ResponseWriter, r *http.Request, agent records.Agent) error {
	v := submittedForm(r, agent)
	result, err := s.engine.Create(r.Context(), agent.Slug, engine.Draft{
		Name: v.Name, Team: v.Team, Type: v.Type, Description: v.Description, Body: v.Body,
	})
	if err != nil {
		return s.notSaved(w, r, agent, v, err)
	}
	return redirect(w, r, templates.MemoryPath(agent.Slug, result.Memory.ID), doneSaved, result.Memory.ID)
}

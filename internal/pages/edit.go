package pages

import (
	"errors"
	"net/http"

	"memoir/internal/gate"
	"memoir/internal/memories"
	"memoir/internal/pages/kit"
	"memoir/internal/pages/listview"
	"memoir/internal/records"
	engine "memoir/internal/sync"
	"memoir/web/templates"
	"memoir/web/templates/address"
)

// editMemory shows the form with a memory's content, and with the version to merge if the parameter
// FieldWith names one. For a masked memory it needs the parameter FieldShowSecret, and a user who may
// write. For a deleted, unreadable or masked memory it returns a *memories.ConflictError.
func (s *site) editMemory(w http.ResponseWriter, r *http.Request, agent records.Agent, m memories.Memory) error {
	isRevealed := m.IsQuarantined() && r.URL.Query().Get(address.FieldShowSecret) != "" && gate.CanWrite(r.Context())
	switch {
	case m.State == memories.Deleted:
		return &memories.ConflictError{Reason: "The memory is in the trash. Restore it first."}
	case !m.Readable:
		return &memories.ConflictError{Reason: "The file cannot be read. Fix it on disk, or delete it."}
	case isRevealed:
		var err error
		if m, err = s.revealed(r.Context(), agent, m.ID); err != nil {
			return err
		}
		w.Header().Set("Cache-Control", "no-store")
	case m.IsQuarantined():
		return &memories.ConflictError{Reason: "The text is masked. Reveal it first, or decide in Review."}
	}
	return s.showForm(w, r, http.StatusOK, agent, templates.MemoryForm{
		Agent: agentView(agent), ID: m.ID, ETag: engine.ETag(m), With: r.URL.Query().Get(address.FieldWith), Revealed: isRevealed,
		Name: m.Name, Type: m.Type, Description: m.Description, Body: m.Body,
	})
}

// edit saves the form over a memory and redirects to the memory's page. If the memory has changed
// since the form was shown, it saves nothing and shows both versions. If the text has a new secret, or
// the user can correct another problem, it shows the form with the reason. Otherwise it returns the
// error.
func (s *site) edit(w http.ResponseWriter, r *http.Request, agent records.Agent) error {
	v := submittedForm(r, agent)
	before, err := s.store.Revealed(r.Context(), agent, v.ID)
	if err != nil && !errors.Is(err, memories.ErrNotFound) {
		return err
	}
	if v.Secret = newSecret(r, v, before.Name, before.Description, before.Body); v.Secret != "" {
		return s.showForm(w, r, http.StatusUnprocessableEntity, agent, v)
	}
	result, err := s.saveEdit(r, v)
	if err == nil {
		view, _, err := viewOf(r, agent)
		if err != nil {
			return err
		}
		return kit.Redirect(w, r, view.Memory(result.Memory.ID), doneSaved, result.Memory.ID)
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
	s.rescan(r, v.Agent.Slug, "scan after refused edit failed")
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

// newMemory shows the form for a new memory, with the name of the parameter FieldNewName.
func (s *site) newMemory(w http.ResponseWriter, r *http.Request, agent records.Agent) error {
	name := listview.CleanText(r.URL.Query().Get(address.FieldNewName))
	return s.showForm(w, r, http.StatusOK, agent, templates.MemoryForm{Agent: agentView(agent), Name: name})
}

// create saves a new memory and redirects to its page. If a deleted memory has the name, that one
// is restored with the new content. For a secret in the text, a taken name, an invalid field or a
// conflict it saves nothing and shows the form with the reason. It returns other errors.
func (s *site) create(w http.ResponseWriter, r *http.Request, agent records.Agent) error {
	v := submittedForm(r, agent)
	if v.Secret = newSecret(r, v); v.Secret != "" {
		return s.showForm(w, r, http.StatusUnprocessableEntity, agent, v)
	}
	result, err := s.engine.Create(r.Context(), agent.Slug, engine.Draft{
		Name: v.Name, Team: v.Team, Type: v.Type, Description: v.Description, Body: v.Body,
	})
	if err != nil {
		return s.notSaved(w, r, agent, v, err)
	}
	return kit.Redirect(w, r, address.MemoryPath(agent.Slug, result.Memory.ID), doneSaved, result.Memory.ID)
}
